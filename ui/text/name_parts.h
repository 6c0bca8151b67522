#pragma once

#include <QFontMetrics>
#include <QString>
#include <QStringList>
#include <QVector>

namespace blobscope::ui {

/// Whole words that at least half of a list's names share at their beginning and at their end: "fused_", "_kernel".
/// Empty where they share none.
struct Affixes {
  QString prefix, suffix;
};
/// Looks at no more than a few thousand of the names.
Affixes commonAffixes(const QStringList& names);

/// A piece of a name in one look.
struct NameRun {
  QString text;
  bool dim = false;   ///< shared with other names of the list
  bool found = false; ///< matches the filter
  friend bool operator==(const NameRun&, const NameRun&) = default;
};

/// A name in at most `width` pixels. When there is no room for all of it, its common end leaves first, then its common
/// beginning (as "…"), then its middle; what matches `filter` (in any case, may be empty) stays.
QVector<NameRun> fitName(const QString& name, const Affixes& affixes, const QString& filter,
                         const QFontMetrics& metrics, int width);

/// Where lines end when `text` is broken at `width` pixels, after blanks and signs if possible; at most `limit` lines,
/// the last of which holds the rest. Never empty.
QVector<int> wrapText(const QString& text, const QFontMetrics& metrics, int width, int limit);

/// A text in lines of at most `width` pixels, broken as wrapText() says. A match that goes over the end of a line is
/// marked in both; of a last line without room for the rest, its matches stay.
QVector<QVector<NameRun>> fitLines(const QString& text, const Affixes& affixes, const QString& filter,
                                   const QFontMetrics& metrics, int width, int limit);

} // namespace blobscope::ui
