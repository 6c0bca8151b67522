#pragma once

#include <QString>
#include <QVector>

namespace blobscope::ui {

/// A file that was opened before, with a summary of its content at that time.
struct RecentFile {
  QString path;
  QString detail;    ///< "x86_64 · CUDA · TVM v0.7 – v0.20"
  QString moduleKey; ///< of the most specific module, for the icon
};

/// The list of recently opened files, newest first; stored in the settings, shared by all windows.
namespace recent {
QVector<RecentFile> load();
void add(const RecentFile& file);
void clear();
} // namespace recent

} // namespace blobscope::ui
