#include "core/targets/facts.h"

#include <algorithm>

namespace blobscope::targets {
namespace {

/// Letters and digits in lower case.
std::string plainBoard(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c >= 'A' && c <= 'Z')
      out += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      out += c;
  return out;
}

/// The length of the longest text that both contain.
std::size_t commonPart(std::string_view a, std::string_view b) {
  std::vector<std::size_t> above(b.size() + 1), row(b.size() + 1);
  std::size_t longest = 0;
  for (const char c : a) {
    for (std::size_t i = 0; i < b.size(); ++i) {
      row[i + 1] = c == b[i] ? above[i] + 1 : 0;
      longest = std::max(longest, row[i + 1]);
    }
    std::swap(above, row);
  }
  return longest;
}

} // namespace

const Board* Facts::findBoard(std::string_view name) const {
  const std::string wanted = plainBoard(name);
  const auto found =
      std::ranges::find_if(m_boards, [&](const Board& board) { return plainBoard(board.name) == wanted; });
  return found == m_boards.end() ? nullptr : &*found;
}

bool Facts::isNewBoard(std::string_view name) const { return !plainBoard(name).empty() && !findBoard(name); }

std::vector<std::string> Facts::boardsLike(std::string_view name) const {
  constexpr std::size_t kLongest = 100, kLeast = 3, kMost = 6;
  const std::string wanted = plainBoard(name.substr(0, kLongest));
  std::vector<std::pair<std::size_t, const Board*>> found;
  for (const Board& board : m_boards)
    if (const std::size_t common = commonPart(wanted, plainBoard(board.name)); common >= kLeast)
      found.emplace_back(common, &board);
  std::ranges::stable_sort(found, std::ranges::greater(), &std::pair<std::size_t, const Board*>::first);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < found.size() && i < kMost; ++i) out.push_back(found[i].second->name);
  return out;
}

} // namespace blobscope::targets
