#include "core/base/pattern_search.h"

#include <algorithm>
#include <cstring>

namespace blobscope {

PatternSearch::PatternSearch(const std::vector<std::string_view>& texts) {
  if (texts.empty()) return;
  m_step = std::ranges::min(texts, {}, &std::string_view::size).size() - 1;
  for (const std::string_view text : texts) {
    m_texts.emplace_back(pairAt(text, 0), text);
    m_first.set(pairAt(text, 0));
    for (std::size_t at = 0; at < m_step; ++at) m_inside.set(pairAt(text, at));
  }
}

uint16_t PatternSearch::pairAt(std::string_view data, std::size_t at) {
  uint16_t pair = 0; // in the machine's own order of bytes
  std::memcpy(&pair, data.data() + at, sizeof(pair));
  return pair;
}

bool PatternSearch::beginsAt(std::string_view data, std::size_t at) const {
  const uint16_t pair = pairAt(data, at);
  if (!m_first[pair]) return false;
  const std::string_view rest = data.substr(at);
  return std::ranges::any_of(m_texts,
                             [&](const auto& text) { return text.first == pair && rest.starts_with(text.second); });
}

std::size_t PatternSearch::find(std::string_view data, std::size_t from) const {
  if (m_texts.empty()) return std::string_view::npos;
  const auto isInside = [&](std::size_t at) { return static_cast<unsigned>(m_inside[pairAt(data, at)]); };
  std::size_t tested = from; // no text begins between `from` and here
  for (std::size_t at = from + m_step - 1; at + 1 < data.size(); at += m_step) {
    // Most data has none of the pairs; this loop has no branch per pair.
    while (at + 3 * m_step + 1 < data.size() &&
           (isInside(at) | isInside(at + m_step) | isInside(at + 2 * m_step) | isInside(at + 3 * m_step)) == 0)
      at += 4 * m_step;
    if (at + 1 >= data.size()) break;
    if (isInside(at) == 0) continue;
    for (tested = std::max(tested, at - (m_step - 1)); tested <= at; ++tested)
      if (beginsAt(data, tested)) return tested;
  }
  return std::string_view::npos;
}

} // namespace blobscope
