#include "ui/session/recent_files.h"

#include <QSettings>

namespace blobscope::ui::recent {
namespace {
constexpr int kKept = 12;
QString key() { return QStringLiteral("recent"); }
} // namespace

QVector<RecentFile> load() {
  QVector<RecentFile> files;
  QSettings settings;
  const int count = settings.beginReadArray(key());
  for (int i = 0; i < qMin(count, kKept); ++i) {
    settings.setArrayIndex(i);
    files.append({settings.value(QStringLiteral("path")).toString(),
                  settings.value(QStringLiteral("detail")).toString(),
                  settings.value(QStringLiteral("module")).toString()});
  }
  settings.endArray();
  return files;
}

void add(const RecentFile& file) {
  QVector<RecentFile> files = load();
  files.erase(
      std::remove_if(files.begin(), files.end(), [&](const RecentFile& known) { return known.path == file.path; }),
      files.end());
  files.prepend(file);
  QSettings settings;
  settings.remove(key());
  settings.beginWriteArray(key());
  for (int i = 0; i < qMin(static_cast<int>(files.size()), kKept); ++i) {
    settings.setArrayIndex(i);
    settings.setValue(QStringLiteral("path"), files[i].path);
    settings.setValue(QStringLiteral("detail"), files[i].detail);
    settings.setValue(QStringLiteral("module"), files[i].moduleKey);
  }
  settings.endArray();
}

void clear() { QSettings().remove(key()); }

} // namespace blobscope::ui::recent
