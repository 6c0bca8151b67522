#include "ui/session/document.h"

#include "core/library/open.h"
#include "ui/session/strings.h"

#include <QFile>
#include <QFileInfo>

namespace blobscope::ui {

Document::Document(QObject* parent) : QObject(parent) {
  connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, [this] {
    // Builds write a file in steps or replace it; both are one change to the user.
    Q_EMIT changedOnDisk();
    if (QFileInfo::exists(m_path) && !m_watcher.files().contains(m_path)) m_watcher.addPath(m_path);
  });
}

void Document::open(const QString& path) {
  m_openingPath = path;
  Q_EMIT opening(path);
  const std::filesystem::path file = QFile::encodeName(path).toStdString();
  m_jobs.start<StatePtr>(
      openTag(),
      [file](Monitor& monitor) -> Result<StatePtr> {
        auto state = std::make_shared<State>();
        BLOBSCOPE_TRY(package, library::open(file, monitor));
        state->package = state->opened = package;
        state->contents = library::contentsOf(*package);
        BLOBSCOPE_TRY(overview, library::computeOverview(*package, monitor));
        state->overview = std::move(overview);
        state->locator.emplace(*package);
        return StatePtr(std::move(state));
      },
      [this, path](Result<StatePtr> result) {
        if (!result) {
          Q_EMIT failed(path, toQt(result.error().message()));
          return;
        }
        m_reloaded = m_state && m_path == path;
        m_state = std::move(*result);
        m_path = path;
        watch();
        Q_EMIT opened();
      });
}

void Document::cancelOpening() {
  if (!isOpening()) return;
  m_jobs.cancel(openTag());
  Q_EMIT cancelled(m_openingPath);
}

void Document::watch() {
  if (!m_watcher.files().isEmpty()) m_watcher.removePaths(m_watcher.files());
  m_watcher.addPath(m_path);
}

} // namespace blobscope::ui
