#include "ui/text/name_parts.h"

#include <QHash>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr qsizetype kSampled = 4096, kMinimumShared = 3;

bool isBoundary(QChar c) { return c == QLatin1Char('_') || c == QLatin1Char('.') || c == QLatin1Char('/'); }

/// Returns the end of the word that begins at `from`, including its separator; -1 when the name ends first.
qsizetype wordEnd(const QString& name, qsizetype from) {
  for (qsizetype i = from; i < name.size(); ++i)
    if (isBoundary(name[i]) && i > from) return i + 1;
  return -1;
}

QString commonPrefix(const QStringList& names) {
  const qsizetype needed = qMax(kMinimumShared, (names.size() + 1) / 2);
  QString prefix;
  QStringList left = names;
  while (left.size() >= needed) {
    QHash<QString, qsizetype> counts;
    QString best;
    for (const QString& name : std::as_const(left)) {
      const qsizetype end = wordEnd(name, prefix.size());
      if (end < 0 || end >= name.size()) continue;
      const QString word = name.left(end);
      if (++counts[word] > counts.value(best)) best = word;
    }
    if (best.isEmpty() || counts.value(best) < needed) break;
    prefix = best;
    left.removeIf([&](const QString& name) { return !name.startsWith(prefix) || name.size() == prefix.size(); });
  }
  return prefix;
}

QStringList reversed(QStringList names) {
  for (QString& name : names) std::reverse(name.begin(), name.end());
  return names;
}

/// Number of characters at the beginning and at the end of a name that other names share.
struct Shared {
  qsizetype prefix = 0, suffix = 0;
};

Shared sharedOf(const QString& name, const Affixes& affixes) {
  Shared out;
  if (name.size() > affixes.prefix.size() && name.startsWith(affixes.prefix)) out.prefix = affixes.prefix.size();
  if (name.size() > out.prefix + affixes.suffix.size() && name.endsWith(affixes.suffix))
    out.suffix = affixes.suffix.size();
  return out;
}

/// Returns the runs of the characters `from` to `to`; matches are searched in the whole text.
QVector<NameRun> runsOf(const QString& text, qsizetype from, qsizetype to, const Shared& shared,
                        const QString& filter) {
  QVector<bool> found(text.size(), false);
  if (!filter.isEmpty())
    for (qsizetype at = text.indexOf(filter, 0, Qt::CaseInsensitive); at >= 0;
         at = text.indexOf(filter, at + filter.size(), Qt::CaseInsensitive))
      std::fill_n(found.begin() + at, qMin(filter.size(), text.size() - at), true);
  QVector<NameRun> runs;
  for (qsizetype at = from; at < to; ++at) {
    const bool dim = at < shared.prefix || at >= text.size() - shared.suffix;
    if (runs.isEmpty() || runs.last().dim != dim || runs.last().found != found[at]) runs.append({{}, dim, found[at]});
    runs.last().text += text[at];
  }
  return runs;
}

/// Returns the match with as much text around it as fits; without a match, both ends of the text.
QString cutAround(const QString& text, qsizetype match, qsizetype size, const QFontMetrics& metrics, int width) {
  if (match < 0) return metrics.elidedText(text, Qt::ElideMiddle, width);
  qsizetype from = match, to = qMin(text.size(), match + size);
  const auto cut = [&](qsizetype begin, qsizetype end) {
    return (begin > 0 ? QStringLiteral("…") : QString()) + text.mid(begin, end - begin) +
           (end < text.size() ? QStringLiteral("…") : QString());
  };
  QString best = cut(from, to);
  while (from > 0 || to < text.size()) {
    from = qMax<qsizetype>(0, from - 1);
    to = qMin(text.size(), to + 1);
    const QString next = cut(from, to);
    if (metrics.horizontalAdvance(next) > width) break;
    best = next;
  }
  return best;
}

} // namespace

Affixes commonAffixes(const QStringList& names) {
  QStringList sample;
  const qsizetype step = qMax<qsizetype>(1, names.size() / kSampled);
  for (qsizetype i = 0; i < names.size(); i += step) sample.append(names[i].left(kSampled));
  Affixes out{commonPrefix(sample), commonPrefix(reversed(sample))};
  std::reverse(out.suffix.begin(), out.suffix.end());
  return out;
}

QVector<NameRun> fitName(const QString& name, const Affixes& affixes, const QString& filter,
                         const QFontMetrics& metrics, int width) {
  Shared shared = sharedOf(name, affixes);
  const auto fits = [&](const QString& text) { return metrics.horizontalAdvance(text) <= width; };
  if (fits(name)) return runsOf(name, 0, name.size(), shared, filter);
  // The shared beginning is omitted first, unless it contains the match. A shared end stays: without "_kernel", a
  // kernel would have the name of the function that starts it.
  const qsizetype match = filter.isEmpty() ? -1 : name.indexOf(filter, 0, Qt::CaseInsensitive);
  QString rest = name;
  if (shared.prefix > 1 && (match < 0 || match >= shared.prefix)) {
    rest.replace(0, shared.prefix, QStringLiteral("…"));
    shared.prefix = 1;
  }
  if (fits(rest)) return runsOf(rest, 0, rest.size(), shared, filter);
  const qsizetype place = filter.isEmpty() ? -1 : rest.indexOf(filter, 0, Qt::CaseInsensitive);
  const QString cut = cutAround(rest, place, filter.size(), metrics, width);
  return runsOf(cut, 0, cut.size(), {}, filter);
}

QVector<QVector<NameRun>> fitLines(const QString& text, const Affixes& affixes, const QString& filter,
                                   const QFontMetrics& metrics, int width, int limit) {
  const Shared shared = sharedOf(text, affixes);
  QVector<QVector<NameRun>> lines;
  qsizetype from = 0;
  for (const qsizetype end : wrapText(text, metrics, width, limit)) {
    const QString line = text.mid(from, end - from);
    lines.append(end == text.size() && metrics.horizontalAdvance(line) > width
                     ? fitName(line, {}, filter, metrics, width)
                     : runsOf(text, from, end, shared, filter));
    from = end;
  }
  return lines;
}

QVector<int> wrapText(const QString& text, const QFontMetrics& metrics, int width, int limit) {
  QVector<int> ends;
  int from = 0, place = 0;
  int used = 0;
  for (int i = 0; i < text.size(); ++i) {
    const int advance = metrics.horizontalAdvance(text[i]);
    if (used + advance > width && i > from && ends.size() + 1 < limit) {
      const int end = place > from ? place : i;
      ends.append(end);
      used = 0;
      for (int k = end; k < i; ++k) used += metrics.horizontalAdvance(text[k]);
      from = end;
    }
    used += advance;
    if (text[i].isSpace() || text[i] == QLatin1Char('_') || text[i] == QLatin1Char(',')) place = i + 1;
  }
  ends.append(static_cast<int>(text.size()));
  return ends;
}

} // namespace blobscope::ui
