#include "ui/session/journal.h"

#include "core/base/digest.h"
#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/edit/edit_json.h"
#include "ui/text/plain_text.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include <mutex>

namespace blobscope::ui {
namespace {

std::filesystem::path native(const QString& path) { return pathFrom(QFile::encodeName(path).toStdString()); }

} // namespace

struct Journal::Shared {
  std::mutex lock;
  uint64_t turn = 0;  ///< of the latest request; jobs of earlier requests do nothing
  std::string sha256; ///< of the opened file, when it is known
};

Journal::Journal(Jobs& jobs, QObject* parent) : QObject(parent), m_jobs(jobs) {}

QString Journal::pathOf(const QString& file) {
  const QString real = QFileInfo(file).canonicalFilePath();
  const QByteArray name =
      QCryptographicHash::hash((real.isEmpty() ? file : real).toUtf8(), QCryptographicHash::Sha256).toHex().left(32);
  return QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) + QLatin1String("/journals/") +
         QLatin1String(name) + QLatin1String(".json");
}

void Journal::setFile(const library::PackagePtr& opened, const QString& path, bool look) {
  m_opened = opened;
  m_path = path;
  m_shared = std::make_shared<Shared>();
  m_edits.clear();
  m_writing = m_changedAgain = false;
  m_jobs.cancel(tag());
  if (!look) return;
  m_jobs.start<edit::EditList>(
      tag(),
      [opened, path, shared = m_shared](Monitor& monitor) -> Result<edit::EditList> {
        edit::EditList none;
        const QString file = pathOf(path);
        if (!QFile::exists(file)) return none;
        BLOBSCOPE_TRY(source, ByteSource::openFile(native(file)));
        BLOBSCOPE_TRY(list, edit::readEdits(ByteSource::all(source)));
        BLOBSCOPE_CHECK(edit::checkFile(list, *opened, monitor));
        const std::lock_guard guard(shared->lock);
        shared->sha256 = list.sha256;
        return list;
      },
      [this, shared = m_shared](Result<edit::EditList> list) {
        // A list that cannot be read or is for other bytes is ignored; it stays until it is overwritten.
        if (list && shared == m_shared && m_edits.empty() && !list->edits.empty()) Q_EMIT found(list->edits);
      });
}

void Journal::keep(const std::vector<edit::Edit>& edits) {
  if (!m_shared) return;
  m_edits = edits;
  uint64_t turn = 0;
  {
    const std::lock_guard guard(m_shared->lock);
    turn = ++m_shared->turn;
  }
  if (!edits.empty()) {
    m_changedAgain = m_writing;
    if (!m_writing) write();
    return;
  }
  // Not cancelled when the window closes: discarded edits must not be offered again.
  m_jobs.start<Done>(
      tag() + QLatin1String("/remove"),
      [path = m_path, shared = m_shared, turn](Monitor&) -> Result<Done> {
        const std::lock_guard guard(shared->lock);
        if (shared->turn == turn) QFile::remove(pathOf(path));
        return Done{};
      },
      [](Result<Done>) {});
}

void Journal::write() {
  m_writing = true;
  m_changedAgain = false;
  m_jobs.start<Done>(
      tag(),
      [opened = m_opened, path = m_path, shared = m_shared, turn = m_shared->turn,
       edits = m_edits](Monitor& monitor) -> Result<Done> {
        std::string sha256;
        {
          const std::lock_guard guard(shared->lock);
          sha256 = shared->sha256;
        }
        if (sha256.empty()) {
          BLOBSCOPE_TRY(digest, computeSha256(opened->bytes, monitor));
          sha256 = digest;
        }
        const std::string text = edit::writeEdits(sha256, edits);
        const QString file = pathOf(path);
        QDir().mkpath(QFileInfo(file).path());
        const std::lock_guard guard(shared->lock);
        shared->sha256 = sha256;
        if (shared->turn != turn) return Done{};
        return writeFile(native(file), {{native(path)}}, Bytes::copyOf(text), monitor);
      },
      [this, shared = m_shared](Result<Done>) {
        if (shared != m_shared) return;
        m_writing = false;
        if (m_changedAgain && !m_edits.empty()) write();
      });
}

} // namespace blobscope::ui
