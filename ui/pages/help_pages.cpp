#include "ui/pages/help_pages.h"

#include "core/mlf/rule.h"
#include "ui/models/contents_model.h"
#include "ui/text/plain_text.h"

#include <QDir>
#include <QFile>

namespace blobscope::ui::help {
namespace {

QString pathOf(const QString& topic) { return QStringLiteral(":/help/%1.md").arg(topic); }

/// The rules of the Model Library Format, from the one table. No table here: one of so many rows takes seconds to lay
/// out.
QString rulesPage() {
  QString text = QObject::tr("# Rules of the Model Library Format\n\nThe rules by which archives are checked, with "
                             "what to do where the archive itself tells it.\n\n");
  for (const mlf::Rule& rule : mlf::rules()) {
    const QString versions = rule.first == rule.last ? QObject::tr("version %1").arg(rule.first)
                                                     : QObject::tr("versions %1 to %2").arg(rule.first).arg(rule.last);
    const auto plain = [](std::string_view words) {
      return toQt(words)
          .toHtmlEscaped()
          .replace(QLatin1Char('*'), QStringLiteral("\\*"))
          .replace(QLatin1Char('_'), QStringLiteral("\\_"));
    };
    text += QStringLiteral("**%1**, %2, %3: %4")
                .arg(toQt(rule.id), severityWord(rule.severity), versions, plain(rule.message));
    if (!rule.fix.empty()) text += QObject::tr(". What to do: %1").arg(plain(rule.fix));
    text += QStringLiteral(".\n\n");
  }
  return text + QObject::tr("See also [Model Library Format](model-library-format.md), [Problems](problems.md).\n");
}

QString read(const QString& topic) {
  if (topic == QLatin1String("mlf-rules")) return rulesPage();
  QFile file(pathOf(topic));
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

bool exists(const QString& topic) { return topic == QLatin1String("mlf-rules") || QFile::exists(pathOf(topic)); }

QString page(const QString& topic) {
  const QString text = read(topic);
  return text.isEmpty() ? read(QStringLiteral("index")) : text;
}

QString title(const QString& topic) { return read(topic).section(QLatin1Char('\n'), 0, 0).mid(2).trimmed(); }

QString sentence(const QString& topic) { return read(topic).section(QStringLiteral("\n\n"), 1, 1).simplified(); }

QStringList topics() {
  QStringList names;
  for (const QString& file :
       QDir(QStringLiteral(":/help")).entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name))
    names << file.chopped(3);
  names << QStringLiteral("mlf-rules");
  names.sort();
  return names;
}

} // namespace blobscope::ui::help
