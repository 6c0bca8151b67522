#include "ui/pages/help_pages.h"

#include "core/base/message.h"
#include "core/check/rule.h"
#include "ui/models/contents_model.h"
#include "ui/text/plain_text.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>

#include <algorithm>

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

/// Matches "<!-- FILE BLOB -->", the place of the rules whose ids begin with one of the words.
const QRegularExpression& placeOfRules() {
  static const QRegularExpression kPlace(QStringLiteral("^<!-- ([A-Z ]+) -->\n\n?"),
                                         QRegularExpression::MultilineOption);
  return kPlace;
}

bool listsRule(const QRegularExpressionMatch& place, std::string_view id) {
  return place.captured(1).split(QLatin1Char(' ')).contains(toQt(id.substr(0, id.find('-'))));
}

/// Replaces each of these places by the paragraphs of its rules.
QString withRules(QString page) {
  for (auto place = placeOfRules().match(page); place.hasMatch(); place = placeOfRules().match(page)) {
    QString list;
    for (const check::RuleRow& rule : check::rules())
      if (listsRule(place, rule.id)) list += paragraph(rule);
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

QString topicOfRule(const QString& id) {
  const auto& rules = check::rules();
  const auto rule = std::ranges::find_if(rules, [&](const check::RuleRow& row) { return toQt(row.id) == id; });
  if (rule == std::ranges::end(rules)) return {};
  for (const QString& topic : topics())
    for (auto places = placeOfRules().globalMatch(read(topic)); places.hasNext();)
      if (listsRule(places.next(), rule->id)) return topic;
  return {};
}

QStringList topics() {
  QStringList names;
  for (const QString& file :
       QDir(QStringLiteral(":/help")).entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name))
    names << file.chopped(3);
  return names;
}

} // namespace blobscope::ui::help
