#pragma once

#include "core/edit/apply.h"
#include "core/library/contents.h"
#include "core/library/locator.h"
#include "core/library/overview.h"
#include "core/library/package.h"
#include "ui/session/jobs.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace blobscope::ui {

/// What a window shows: one opened file. Opening runs in the background; what is open stays until the new file is
/// there. Nothing here reads the file on the GUI thread.
class Document : public QObject {
  Q_OBJECT
public:
  explicit Document(QObject* parent = nullptr);

  /// An opened state: the package and what was derived from it in the same job.
  struct State {
    library::PackagePtr package; ///< what is shown: the file with all edits
    library::PackagePtr opened;  ///< the file as it was opened; the same without edits
    std::vector<edit::Edit> edits;
    edit::Applied applied;       ///< what the edits made of the blobs of `opened`
    std::vector<library::ContentsRow> contents;
    library::Overview overview;
    std::optional<library::Locator> locator;
  };
  using StatePtr = std::shared_ptr<const State>;

  /// Starts to open `path`; opened(), failed() or cancelled() follows.
  void open(const QString& path);
  /// Opens the same path again.
  void reload() { open(m_path); }
  void cancelOpening();
  bool isOpening() const { return m_jobs.isRunning(openTag()); }

  /// Null before the first file is open.
  const StatePtr& state() const { return m_state; }
  /// Whether the present state is a later one of the same path.
  bool isReloaded() const { return m_reloaded; }
  /// Path of what is open, empty before.
  const QString& path() const { return m_path; }
  const QString& openingPath() const { return m_openingPath; }
  Jobs& jobs() { return m_jobs; }
  static QString openTag() { return QStringLiteral("open"); }

Q_SIGNALS:
  void opening(const QString& path);
  void opened();
  void failed(const QString& path, const QString& message);
  void cancelled(const QString& path);
  /// The file on disk is no longer the one that is open.
  void changedOnDisk();

private:
  void watch();

  Jobs m_jobs;
  QFileSystemWatcher m_watcher;
  StatePtr m_state;
  QString m_path, m_openingPath;
  bool m_reloaded = false;
};

} // namespace blobscope::ui
