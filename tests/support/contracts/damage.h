#pragma once

#include <QTest>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

/// Fails with the text that the expression gives, unless it is empty.
#define NOTHING_WRONG(...)                                                                                             \
  do {                                                                                                                 \
    const std::string found = __VA_ARGS__;                                                                             \
    QVERIFY2(found.empty(), found.c_str());                                                                            \
  } while (false)

/// Damaged files for the contracts of readers.
namespace blobscope::test {

/// At most about `most` of the numbers below `count`: all of them when that is enough, else the first and last ones,
/// where headers and tables usually are, and every n-th between them.
inline std::vector<std::size_t> sampled(std::size_t count, std::size_t most) {
  std::vector<std::size_t> out;
  const std::size_t edge = most / 4;
  // Odd, so that no field of a structure of two, four or eight bytes is always skipped.
  const std::size_t step = count <= most ? 1 : ((count - 2 * edge) / (most - 2 * edge) + 1) | 1;
  for (std::size_t at = 0; at < count; at += at < edge || at + edge >= count ? 1 : std::min(step, count - edge - at))
    out.push_back(at);
  return out;
}

/// Calls `look` with the file cut at some lengths, at most about `most`, until it finds something wrong; returns that
/// with the length, empty when nothing is wrong. `look` returns what is wrong, empty when nothing is.
template <class Look> std::string wrongWithTruncations(const std::string& file, std::size_t most, const Look& look) {
  for (const std::size_t size : sampled(file.size(), most))
    if (const std::string found = look(file.substr(0, size)); !found.empty())
      return "cut at " + std::to_string(size) + ": " + found;
  return {};
}

/// The same with one byte of the file changed in five ways, at most at about `most` places.
template <class Look> std::string wrongWithChangedBytes(const std::string& file, std::size_t most, const Look& look) {
  std::string changed = file;
  for (const std::size_t at : sampled(file.size(), most)) {
    const char was = file[at];
    for (const int value : {0, 0xff, was ^ 0x01, was ^ 0x80, was ^ 0xff}) {
      changed[at] = static_cast<char>(value);
      if (changed[at] == was) continue;
      if (const std::string found = look(changed); !found.empty())
        return "byte " + std::to_string(at) + " = " + std::to_string(value & 0xff) + ": " + found;
    }
    changed[at] = was;
  }
  return {};
}

} // namespace blobscope::test
