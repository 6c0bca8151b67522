#pragma once

#include "core/edit/edit.h"
#include "core/library/package.h"
#include "ui/session/jobs.h"

#include <QObject>
#include <QString>

#include <memory>
#include <vector>

namespace blobscope::ui {

/// Keeps the list of pending edits on disk in case the program ends before they are saved: one file for each opened
/// file, written as a whole after each change and removed when nothing is pending.
class Journal : public QObject {
  Q_OBJECT
public:
  explicit Journal(Jobs& jobs, QObject* parent = nullptr);

  /// Sets the file whose edits are kept from now on. `look`: found() follows if an earlier session left a list for
  /// these bytes.
  void setFile(const library::PackagePtr& opened, const QString& path, bool look);
  const library::PackagePtr& opened() const { return m_opened; }
  /// Writes the list, or removes the file if the list is empty. A later call replaces an earlier one.
  void keep(const std::vector<edit::Edit>& edits);
  /// Returns the path of the journal of a file. Asks the file system for the real path.
  static QString pathOf(const QString& file);
  static QString tag() { return QStringLiteral("journal"); }

Q_SIGNALS:
  void found(const std::vector<edit::Edit>& edits);

private:
  struct Shared;
  void write();

  Jobs& m_jobs;
  library::PackagePtr m_opened;
  QString m_path;
  std::shared_ptr<Shared> m_shared; ///< shared with the jobs of this file
  std::vector<edit::Edit> m_edits;
  bool m_writing = false;
  bool m_changedAgain = false; ///< the list changed while it was being written
};

} // namespace blobscope::ui
