#pragma once

#include <QString>
#include <QStringList>

#include <cstdint>

namespace blobscope::ui {

/// How well a row of the palette fits what was typed, best first.
enum class PaletteMatch : uint8_t {
  Exact,  ///< the name or the reference is what was typed
  Prefix, ///< the name begins with it
  Words,  ///< each word typed begins a word of the name
  Inside, ///< each word typed is part of the name
  Detail, ///< the same, but some only of the kind or the reference
  None
};

/// What was typed, cut into words once for all rows. Upper and lower case are the same.
class PaletteQuery {
public:
  explicit PaletteQuery(const QString& typed);
  /// `name`, `kind` and `reference` of a row. Everything fits a query without words, as PaletteMatch::Inside.
  PaletteMatch match(const QString& name, const QString& kind, const QString& reference) const;

private:
  QString m_whole;
  QStringList m_words;
};

} // namespace blobscope::ui
