#include "ui/pages/help_pages.h"

#include "core/base/message.h"
#include "core/check/rule.h"
#include "ui/models/contents_model.h"
#include "ui/text/plain_text.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>

namespace blobscope::ui::help {
namespace {

QString pathOf(const QString& topic) { return QStringLiteral(":/help/%1.md").arg(topic); }

/// Returns "**MLF-411**, warning, versions 1 to 7: …". Not a table row: a table with this number of rows takes seconds
/// to lay out.
QString paragraph(const check::RuleRow& rule) {
  const auto plain = [](std::string_view words) {
    return toQt(words)
        .toHtmlEscaped()
        .replace(QLatin1Char('*'), QStringLiteral("\\*"))
        .replace(QLatin1Char('_'), QStringLiteral("\\_"));
  };
  QString text = QStringLiteral("**%1**, %2").arg(toQt(rule.id), toQt(severityName(rule.severity)));
  if (rule.first > 0)
    text += QStringLiteral(", %1: %2.")
                .arg(rule.first == rule.last ? QObject::tr("version %1").arg(rule.first)
                                             : QObject::tr("versions %1 to %2").arg(rule.first).arg(rule.last),
                     plain(fillPlaceholders(rule.message, {})));
  else
    text += QLatin1Char(':');
  text += QLatin1Char(' ') + plain(rule.help);
  if (!rule.fix.empty()) text += QLatin1Char(' ') + QObject::tr("What to do: %1.").arg(plain(rule.fix));
  return text + QStringLiteral("\n\n");
}

/// Replaces the line "<!-- FILE BLOB -->" by the rules whose ids begin with one of the words.
QString withRules(QString page) {
  static const QRegularExpression kPlace(QStringLiteral("^<!-- ([A-Z ]+) -->\n\n?"),
                                         QRegularExpression::MultilineOption);
  for (auto place = kPlace.match(page); place.hasMatch(); place = kPlace.match(page)) {
    const QStringList groups = place.captured(1).split(QLatin1Char(' '));
    QString list;
    for (const check::RuleRow& rule : check::rules())
      if (groups.contains(toQt(rule.id.substr(0, rule.id.find('-'))))) list += paragraph(rule);
    page.replace(place.capturedStart(), place.capturedLength(), list);
  }
  return page;
}

QString read(const QString& topic) {
  QFile file(pathOf(topic));
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

constexpr const char* kGlossaryLine = "<!-- glossary -->";

QString glossarySentence(const QString& topic) {
  for (const Term& term : glossary())
    if (term.topic == topic) return term.sentence;
  return {};
}

} // namespace

QVector<Term> glossary() {
  // "- **[Blob](blob.md)**: The blob is …" or "- **PTX**: …".
  static const QRegularExpression kRow(
      QStringLiteral("^- \\*\\*(?:\\[([^\\]]+)\\]\\(([a-z-]+)\\.md\\)|([^*]+))\\*\\*: (.+)$"),
      QRegularExpression::MultilineOption);
  QVector<Term> terms;
  for (auto row = kRow.globalMatch(read(QStringLiteral("glossary"))); row.hasNext();) {
    const QRegularExpressionMatch one = row.next();
    terms.append({one.captured(1) + one.captured(3), one.captured(2), one.captured(4)});
  }
  return terms;
}

bool exists(const QString& topic) { return QFile::exists(pathOf(topic)); }

QString page(const QString& topic) {
  const QString text = read(topic);
  if (text.isEmpty()) return read(QStringLiteral("index"));
  return withRules(QString(text).replace(QLatin1String(kGlossaryLine), glossarySentence(topic)));
}

QString title(const QString& topic) { return read(topic).section(QLatin1Char('\n'), 0, 0).mid(2).trimmed(); }

QString sentence(const QString& topic) {
  const QString term = glossarySentence(topic);
  return term.isEmpty() ? read(topic).section(QStringLiteral("\n\n"), 1, 1).simplified() : term;
}

QStringList topics() {
  QStringList names;
  for (const QString& file :
       QDir(QStringLiteral(":/help")).entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name))
    names << file.chopped(3);
  return names;
}

} // namespace blobscope::ui::help
