#pragma once

#include <QFontMetrics>
#include <QString>
#include <QStringList>
#include <QVector>

namespace blobscope::ui {

/// Whole words that at least half of the names in a list have in common at the beginning and at the end: "fused_",
/// "_kernel". Empty if there are none.
struct Affixes {
  QString prefix, suffix;
};
/// Examines at most a few thousand of the names.
Affixes commonAffixes(const QStringList& names);

/// A piece of a name with one appearance.
struct NameRun {
  QString text;
  bool dim = false;   ///< shared with other names of the list
  bool found = false; ///< matches the filter
  friend bool operator==(const NameRun&, const NameRun&) = default;
};

/// Fits a name into at most `width` pixels. If there is not enough room, the beginning that it shares with other
/// names is omitted first, then its middle, both shown as "…"; what matches `filter` (in any case, may be empty) stays.
QVector<NameRun> fitName(const QString& name, const Affixes& affixes, const QString& filter,
                         const QFontMetrics& metrics, int width);

/// Returns the offsets where lines end when `text` is broken at `width` pixels, after spaces and punctuation if
/// possible; at most `limit` lines, the last of which contains the rest. Never empty.
QVector<int> wrapText(const QString& text, const QFontMetrics& metrics, int width, int limit);

/// Breaks a text into lines of at most `width` pixels, as wrapText() does. A match that continues on the next line is
/// marked in both; if the last line has no room for the rest, the matches in the rest stay.
QVector<QVector<NameRun>> fitLines(const QString& text, const Affixes& affixes, const QString& filter,
                                   const QFontMetrics& metrics, int width, int limit);

} // namespace blobscope::ui
