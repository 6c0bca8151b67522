#include "ui/window/dialogs/palette_match.h"

#include <algorithm>

namespace blobscope::ui {
namespace {

/// Whether a word of `name` begins with `word`: words are separated by everything that is not a letter or digit.
bool beginsWord(const QString& name, const QString& word) {
  for (qsizetype at = name.indexOf(word, 0, Qt::CaseInsensitive); at >= 0;
       at = name.indexOf(word, at + 1, Qt::CaseInsensitive))
    if (at == 0 || !name[at - 1].isLetterOrNumber()) return true;
  return false;
}

} // namespace

PaletteQuery::PaletteQuery(const QString& typed)
    : m_whole(typed.trimmed()), m_words(m_whole.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {}

PaletteMatch PaletteQuery::match(const QString& name, const QString& kind, const QString& reference) const {
  if (m_words.isEmpty()) return PaletteMatch::Inside;
  if (name.compare(m_whole, Qt::CaseInsensitive) == 0 || reference.compare(m_whole, Qt::CaseInsensitive) == 0)
    return PaletteMatch::Exact;
  if (name.startsWith(m_whole, Qt::CaseInsensitive)) return PaletteMatch::Prefix;
  const auto all = [this](const auto& fits) { return std::all_of(m_words.begin(), m_words.end(), fits); };
  if (all([&](const QString& word) { return beginsWord(name, word); })) return PaletteMatch::Words;
  const auto inside = [&](const QString& word) { return name.contains(word, Qt::CaseInsensitive); };
  if (all(inside)) return PaletteMatch::Inside;
  return all([&](const QString& word) {
    return inside(word) || kind.contains(word, Qt::CaseInsensitive) || reference.contains(word, Qt::CaseInsensitive);
  })
             ? PaletteMatch::Detail
             : PaletteMatch::None;
}

} // namespace blobscope::ui
