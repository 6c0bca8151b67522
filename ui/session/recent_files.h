#pragma once

#include <QString>
#include <QVector>

namespace blobscope::ui {

/// A file that was opened before, with what was found in it then.
struct RecentFile {
  QString path;
  QString detail;    ///< "x86_64 · CUDA · TVM v0.7 – v0.20"
  QString moduleKey; ///< of the module that tells most, for its icon
};

/// The list of files opened last, newest first; kept in the settings, shared by all windows.
namespace recent {
QVector<RecentFile> load();
void add(const RecentFile& file);
void clear();
} // namespace recent

} // namespace blobscope::ui
