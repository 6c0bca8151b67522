#include "ui/text/name_parts.h"

#include <QHash>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr qsizetype kSampled = 4096, kLeastShared = 3;

bool isBoundary(QChar c) { return c == QLatin1Char('_') || c == QLatin1Char('.') || c == QLatin1Char('/'); }

/// End of the word that begins at `from`, its sign included; -1 when the name ends before.
qsizetype wordEnd(const QString& name, qsizetype from) {
  for (qsizetype i = from; i < name.size(); ++i)
    if (isBoundary(name[i]) && i > from) return i + 1;
  return -1;
}

QString commonPrefix(const QStringList& names) {
  const qsizetype needed = qMax(kLeastShared, (names.size() + 1) / 2);
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

/// The runs of a text, whose matches are marked.
void addRuns(QVector<NameRun>& runs, const QString& text, bool dim, const QString& filter) {
  qsizetype at = 0;
  while (at < text.size()) {
    const qsizetype match = filter.isEmpty() ? -1 : text.indexOf(filter, at, Qt::CaseInsensitive);
    const qsizetype end = match < 0 ? text.size() : match;
    if (end > at) runs.append({text.mid(at, end - at), dim, false});
    if (match < 0) return;
    runs.append({text.mid(match, filter.size()), dim, true});
    at = match + filter.size();
  }
}

/// As much around the match as there is room for, else both ends.
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
  QString prefix, middle = name, suffix;
  if (!affixes.prefix.isEmpty() && middle.size() > affixes.prefix.size() && middle.startsWith(affixes.prefix)) {
    prefix = affixes.prefix;
    middle = middle.mid(prefix.size());
  }
  if (!affixes.suffix.isEmpty() && middle.size() > affixes.suffix.size() && middle.endsWith(affixes.suffix)) {
    suffix = affixes.suffix;
    middle.chop(suffix.size());
  }
  const qsizetype match = filter.isEmpty() ? -1 : name.indexOf(filter, 0, Qt::CaseInsensitive);
  const auto fits = [&](const QString& text) { return metrics.horizontalAdvance(text) <= width; };
  QVector<NameRun> runs;
  const bool free = match < 0 || match + filter.size() <= name.size() - suffix.size();
  if (!fits(name)) {
    // A match that lies in what is shared keeps it.
    if (!suffix.isEmpty() && free) suffix.clear();
    if (!fits(prefix + middle + suffix) && !prefix.isEmpty() && (match < 0 || match >= prefix.size()))
      prefix = QStringLiteral("…");
    if (!fits(prefix + middle + suffix)) {
      const QString all = prefix + middle + suffix;
      const qsizetype place = filter.isEmpty() ? -1 : all.indexOf(filter, 0, Qt::CaseInsensitive);
      addRuns(runs, cutAround(all, place, filter.size(), metrics, width), false, filter);
      return runs;
    }
  }
  if (match >= 0 && (match < prefix.size() || !free)) {
    // The match may cross the border of what is dimmed.
    addRuns(runs, prefix + middle + suffix, false, filter);
    return runs;
  }
  addRuns(runs, prefix, true, filter);
  addRuns(runs, middle, false, filter);
  addRuns(runs, suffix, true, filter);
  return runs;
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
