#pragma once

#include <QString>
#include <QStringList>

#include <cstdint>

namespace blobscope::ui {

/// How well a row of the palette matches the typed text, best first.
enum class PaletteMatch : uint8_t {
  Exact,  ///< the typed text is the name or the reference
  Prefix, ///< the name begins with the typed text
  Words,  ///< each typed word begins a word of the name
  Inside, ///< each typed word is part of the name
  Detail, ///< like Inside, but some words are only in the kind or the reference
  None
};

/// The typed text, split into words once for all rows. Ignores case.
class PaletteQuery {
public:
  explicit PaletteQuery(const QString& typed);
  /// Matches the `name`, `kind` and `reference` of a row. A query without words matches everything as
  /// PaletteMatch::Inside.
  PaletteMatch match(const QString& name, const QString& kind, const QString& reference) const;

private:
  QString m_whole;
  QStringList m_words;
};

} // namespace blobscope::ui
