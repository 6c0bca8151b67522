#include "core/kernels/kernels.h"

#include <algorithm>
#include <unordered_map>

namespace blobscope::kernels {
namespace {

/// Words of a name that are looked at; further ones distinguish kernels of one operator.
constexpr std::size_t kWords = 8;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Returns the name without "_kernel" and what follows it. TVM numbers further kernels of a function: "_kernel_1".
std::string_view withoutKernel(std::string_view name) {
  constexpr std::string_view kEnd = "_kernel";
  std::string_view rest = name;
  while (!rest.empty() && (isDigit(rest.back()) || rest.back() == '_')) rest.remove_suffix(1);
  return rest.size() > kEnd.size() && rest.ends_with(kEnd) ? rest.substr(0, rest.size() - kEnd.size()) : name;
}

/// The words between underscores, without the numbers at their ends.
std::vector<std::string_view> wordsOf(std::string_view name) {
  std::vector<std::string_view> words;
  name = withoutKernel(name);
  while (words.size() < kWords && !name.empty()) {
    const std::size_t end = std::min(name.find('_'), name.size());
    std::string_view word = name.substr(0, end);
    while (word.size() > 1 && isDigit(word.back())) word.remove_suffix(1);
    words.push_back(word);
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return words;
}

std::string joined(const std::vector<std::string_view>& words, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < std::min(count, words.size()); ++i) (out += i == 0 ? "" : "_") += words[i];
  return out;
}

/// What follows a beginning of names.
struct Beginning {
  std::size_t names = 0;
  std::string_view next; ///< the word after it, when all names have the same one
  bool branches = false; ///< the names have different words after it, or one ends there
};
using Beginnings = std::unordered_map<std::string, Beginning>;

} // namespace

std::vector<std::string> prefixesOf(const std::vector<std::string_view>& names) {
  // --- 1. What follows each beginning. ---
  std::vector<std::vector<std::string_view>> all;
  Beginnings beginnings;
  for (const std::string_view name : names) {
    const std::vector<std::string_view>& words = all.emplace_back(wordsOf(name));
    for (std::size_t count = 0; count <= words.size(); ++count) {
      Beginning& known = beginnings[joined(words, count)];
      const std::string_view next = count < words.size() ? words[count] : std::string_view();
      known.branches |= next.empty() || (known.names > 0 && known.next != next);
      known.next = next;
      ++known.names;
    }
  }
  // --- 2. The first words that all names share say nothing; nor does "fused". ---
  std::size_t shared = 0;
  while (names.size() > 1 && shared < kWords && !beginnings[joined(all[0], shared)].branches) ++shared;
  std::vector<std::string> out;
  for (const std::vector<std::string_view>& words : all) {
    std::size_t count = std::min(shared, words.size());
    if (count < words.size() && words[count] == "fused") ++count;
    if (count < words.size()) ++count;
    // --- 3. More words, as long as all names with this beginning have them. ---
    while (count < words.size() && !beginnings[joined(words, count)].branches) ++count;
    out.push_back(joined(words, count));
  }
  return out;
}

} // namespace blobscope::kernels
