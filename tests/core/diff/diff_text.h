#pragma once

#include "core/diff/sequence.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

/// Comparisons as text, and lists to compare.
namespace blobscope::test {

/// "=0+2,0+2 -2+1,2+0 ~3+1,2+2": kind, begin and count in each list.
inline QString hunksText(const std::vector<diff::Hunk>& hunks) {
  QStringList out;
  for (const diff::Hunk& hunk : hunks)
    out << QStringLiteral("%1%2+%3,%4+%5")
               .arg(QLatin1Char("=~-+"[static_cast<int>(hunk.kind)]))
               .arg(hunk.a.begin)
               .arg(hunk.a.count)
               .arg(hunk.b.begin)
               .arg(hunk.b.count);
  return out.join(QLatin1Char(' '));
}

/// Letters as numbers.
inline std::vector<uint32_t> letters(std::string_view text) {
  std::vector<uint32_t> out;
  for (const char c : text) out.push_back(static_cast<uint8_t>(c));
  return out;
}

/// Says why hunks are not a valid comparison of the two lists; empty when they are: they cover both lists, equal parts
/// are equal, kinds say which side has items, and neighbours have different kinds. So applying the parts of `b` gives
/// `b`.
template <class List> QString breachOf(const std::vector<diff::Hunk>& hunks, const List& a, const List& b) {
  using diff::HunkKind;
  uint64_t atA = 0, atB = 0;
  bool equalBefore = false, first = true;
  for (const diff::Hunk& hunk : hunks) {
    if (hunk.a.begin != atA || hunk.b.begin != atB) return QStringLiteral("a gap before %1").arg(hunksText({hunk}));
    atA = hunk.a.end();
    atB = hunk.b.end();
    if (atA > a.size() || atB > b.size()) return QStringLiteral("too long: %1").arg(hunksText({hunk}));
    const bool equal = hunk.kind == HunkKind::Equal;
    if (!first && equal == equalBefore) return QStringLiteral("not joined: %1").arg(hunksText({hunk}));
    first = false;
    equalBefore = equal;
    const bool right = equal                            ? hunk.a.count == hunk.b.count && hunk.a.count > 0
                       : hunk.kind == HunkKind::Changed ? hunk.a.count > 0 && hunk.b.count > 0
                       : hunk.kind == HunkKind::Removed ? hunk.a.count > 0 && hunk.b.count == 0
                                                        : hunk.a.count == 0 && hunk.b.count > 0;
    if (!right) return QStringLiteral("not of its kind: %1").arg(hunksText({hunk}));
    for (uint64_t i = 0; equal && i < hunk.a.count; ++i)
      if (a[hunk.a.begin + i] != b[hunk.b.begin + i])
        return QStringLiteral("not equal at %1: %2").arg(i).arg(hunksText({hunk}));
  }
  if (atA != a.size() || atB != b.size()) return QStringLiteral("ends at %1,%2").arg(atA).arg(atB);
  return {};
}

/// Items removed and added.
inline uint64_t editsOf(const std::vector<diff::Hunk>& hunks) {
  uint64_t edits = 0;
  for (const diff::Hunk& hunk : hunks)
    if (hunk.kind != diff::HunkKind::Equal) edits += hunk.a.count + hunk.b.count;
  return edits;
}

inline std::vector<uint32_t> randomList(std::mt19937& random, std::size_t size, uint32_t numbers) {
  std::vector<uint32_t> out(size);
  for (uint32_t& item : out) item = static_cast<uint32_t>(random() % numbers);
  return out;
}

/// The list with `edits` items removed, added, changed, or runs of up to 8 moved.
inline std::vector<uint32_t> edited(std::vector<uint32_t> list, std::mt19937& random, int edits, uint32_t numbers) {
  for (int i = 0; i < edits && !list.empty(); ++i) {
    const auto at = static_cast<std::ptrdiff_t>(random() % list.size());
    const auto item = static_cast<uint32_t>(random() % numbers);
    switch (random() % 4) {
    case 0: list.erase(list.begin() + at); break;
    case 1: list.insert(list.begin() + at, item); break;
    case 2: list[static_cast<std::size_t>(at)] = item; break;
    default: {
      const auto end = std::min(at + 8, static_cast<std::ptrdiff_t>(list.size()));
      const std::vector<uint32_t> run(list.begin() + at, list.begin() + end);
      list.erase(list.begin() + at, list.begin() + end);
      const auto to = static_cast<std::ptrdiff_t>(list.empty() ? 0 : random() % list.size());
      list.insert(list.begin() + to, run.begin(), run.end());
    }
    }
  }
  return list;
}

} // namespace blobscope::test
