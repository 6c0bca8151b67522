#include "ui/pages/help_pages.h"

#include <QDir>
#include <QFile>

namespace blobscope::ui::help {
namespace {

QString pathOf(const QString& topic) { return QStringLiteral(":/help/%1.md").arg(topic); }

QString read(const QString& topic) {
  QFile file(pathOf(topic));
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

bool exists(const QString& topic) { return QFile::exists(pathOf(topic)); }

QString page(const QString& topic) {
  const QString text = read(topic);
  return text.isEmpty() ? read(QStringLiteral("index")) : text;
}

QString title(const QString& topic) { return read(topic).section(QLatin1Char('\n'), 0, 0).mid(2).trimmed(); }

QString sentence(const QString& topic) {
  return read(topic).section(QStringLiteral("\n\n"), 1, 1).simplified();
}

QStringList topics() {
  QStringList names;
  for (const QString& file : QDir(QStringLiteral(":/help")).entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name)) names << file.chopped(3);
  return names;
}

} // namespace blobscope::ui::help
