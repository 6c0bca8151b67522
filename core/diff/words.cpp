#include "core/diff/words.h"

#include "core/diff/numbers.h"

#include <algorithm>
#include <utility>

namespace blobscope::diff {
namespace {

constexpr std::size_t kMarkedBytes = 65'536;
constexpr std::size_t kSimilarBytes = 4'096;
constexpr std::size_t kCombinations = 16'384;
/// Cost of a pair of lines: enough for the smallest difference of 64 KiB in which every tenth word differs, about 1 ms.
constexpr uint64_t kWordCost = 500'000;

bool isWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool isBlank(char c) { return c == ' ' || c == '\t'; }

/// A line as words, each with its number.
struct Words {
  std::vector<Range> ranges;
  std::vector<uint32_t> numbers;
  uint64_t bytes = 0; ///< of all words
};

/// Cuts lines into words. A span that a mask hides is either no word or a word that is the same everywhere.
class Cutter {
public:
  explicit Cutter(Masks masks) : m_masks(masks) {}

  Words cut(std::string_view line) {
    Words out;
    findMasked(m_masks, line, m_spans);
    std::size_t at = 0;
    for (const MaskedSpan& span : m_spans) {
      cutPlain(line, at, span.begin, out);
      if (const std::string_view hidden = maskedAs(line, span); !hidden.empty())
        add(out, {span.begin, span.size}, hidden);
      at = span.begin + span.size;
    }
    cutPlain(line, at, line.size(), out);
    return out;
  }
  uint32_t count() const { return m_numbers.count(); }

private:
  void cutPlain(std::string_view line, std::size_t at, std::size_t end, Words& out) {
    while (at < end) {
      std::size_t next = at + 1;
      const auto run = [&](bool (*belongs)(char)) {
        while (next < end && belongs(line[next])) ++next;
      };
      if (isWordByte(line[at]))
        run(isWordByte);
      else if (isBlank(line[at]))
        run(isBlank);
      add(out, {at, next - at}, line.substr(at, next - at));
      at = next;
    }
  }
  void add(Words& out, Range range, std::string_view text) {
    out.ranges.push_back(range);
    out.bytes += range.count;
    out.numbers.push_back(m_numbers.of(text));
  }

  Masks m_masks;
  Numbers m_numbers;
  std::vector<MaskedSpan> m_spans;
};

bool continuesCharacter(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

/// Marks everything from the first to the last byte that differs.
WordMarks wholeMark(std::string_view a, std::string_view b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t head = 0, tail = 0;
  while (head < shorter && a[head] == b[head]) ++head;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  while (head > 0 && (continuesCharacter(a, head) || continuesCharacter(b, head))) --head;
  while (tail > 0 && (continuesCharacter(a, a.size() - tail) || continuesCharacter(b, b.size() - tail))) --tail;
  WordMarks out;
  if (a.size() > head + tail) out.a.push_back({head, a.size() - head - tail});
  if (b.size() > head + tail) out.b.push_back({head, b.size() - head - tail});
  return out;
}

/// Returns the bytes of words that both have, counted as often as both have them.
uint64_t sharedBytes(const Words& a, const Words& b, std::vector<uint32_t>& left) {
  for (const uint32_t number : a.numbers) {
    if (number >= left.size()) left.resize(number + 1, 0);
    ++left[number];
  }
  uint64_t shared = 0;
  for (std::size_t i = 0; i < b.numbers.size(); ++i) {
    if (b.numbers[i] >= left.size() || left[b.numbers[i]] == 0) continue;
    --left[b.numbers[i]];
    shared += b.ranges[i].count;
  }
  for (const uint32_t number : a.numbers) left[number] = 0;
  return shared;
}

double ratio(const Words& a, const Words& b, std::vector<uint32_t>& left) {
  if (a.bytes + b.bytes == 0) return 1;
  // A hidden word may be longer in one line than in the other.
  return std::min(1.0, 2 * static_cast<double>(sharedBytes(a, b, left)) / static_cast<double>(a.bytes + b.bytes));
}

/// Adds the bytes of words [range] to the marks; merged with the last mark if hardly anything is between them.
void mark(std::vector<Range>& marks, std::string_view line, const Words& words, Range range) {
  if (range.count == 0) return;
  const uint64_t begin = words.ranges[range.begin].begin, end = words.ranges[range.end() - 1].end();
  if (!marks.empty()) {
    const std::string_view between = line.substr(marks.back().end(), begin - marks.back().end());
    const bool blank = std::all_of(between.begin(), between.end(), isBlank);
    if (blank || between.size() == 1) {
      marks.back().count = end - marks.back().begin;
      return;
    }
  }
  marks.push_back({begin, end - begin});
}

} // namespace

WordMarks compareWords(std::string_view a, std::string_view b, Masks masks) {
  if (a.size() > kMarkedBytes || b.size() > kMarkedBytes) return wholeMark(a, b);
  Cutter cutter(masks);
  const Words wordsA = cutter.cut(a), wordsB = cutter.cut(b);
  // Otherwise the result could depend on the side if words can be paired in several ways.
  const bool swapped = a.size() != b.size() ? a.size() > b.size() : a > b;
  const Words& first = swapped ? wordsB : wordsA;
  const Words& second = swapped ? wordsA : wordsB;
  NullMonitor monitor;
  const auto compared = compareSequences(first.numbers, second.numbers, cutter.count(), monitor, kWordCost);
  if (!compared) return wholeMark(a, b);
  uint64_t equal = 0, all = 0;
  for (const Hunk& hunk : compared->hunks) {
    for (uint64_t i = hunk.a.begin; i < hunk.a.end(); ++i) {
      if (isBlank((swapped ? b : a)[first.ranges[i].begin])) continue;
      all += first.ranges[i].count;
      if (hunk.kind == HunkKind::Equal) equal += first.ranges[i].count;
    }
    for (uint64_t i = hunk.b.begin; i < hunk.b.end(); ++i)
      if (hunk.kind != HunkKind::Equal && !isBlank((swapped ? a : b)[second.ranges[i].begin]))
        all += second.ranges[i].count;
  }
  // Common single characters mean nothing.
  if (masks.empty() && equal * 6 < all) return wholeMark(a, b);
  WordMarks out;
  for (const Hunk& hunk : compared->hunks) {
    if (hunk.kind == HunkKind::Equal) continue;
    mark(swapped ? out.b : out.a, swapped ? b : a, first, hunk.a);
    mark(swapped ? out.a : out.b, swapped ? a : b, second, hunk.b);
  }
  return out;
}

double similarity(std::string_view a, std::string_view b, Masks masks) {
  Cutter cutter(masks);
  const Words wordsA = cutter.cut(a.substr(0, kSimilarBytes)), wordsB = cutter.cut(b.substr(0, kSimilarBytes));
  std::vector<uint32_t> left;
  return ratio(wordsA, wordsB, left);
}

Result<std::vector<LinePair>> pairLines(std::span<const std::string_view> a, std::span<const std::string_view> b,
                                        Masks masks, Monitor& monitor, double least) {
  std::vector<LinePair> out;
  Cutter cutter(masks);
  std::vector<uint32_t> left;
  // --- 1. Too many combinations: only lines at the same position. ---
  const bool positions = !a.empty() && b.size() > kCombinations / a.size();
  if (positions) {
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      if (i % 256 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const bool both = i < a.size() && i < b.size();
      if (both && similarity(a[i], b[i], masks) >= least) {
        out.push_back({i, i});
        continue;
      }
      if (i < a.size()) out.push_back({i, LinePair::kNone});
      if (i < b.size()) out.push_back({LinePair::kNone, i});
    }
    return out;
  }

  // --- 2. The most that pairs of lines from i and j on can have in common, from the end. Long lines count more. ---
  std::vector<Words> wordsA, wordsB;
  for (const std::string_view line : a) wordsA.push_back(cutter.cut(line.substr(0, kSimilarBytes)));
  for (const std::string_view line : b) wordsB.push_back(cutter.cut(line.substr(0, kSimilarBytes)));
  const std::size_t width = b.size() + 1;
  std::vector<float> similar(a.size() * b.size()), best((a.size() + 1) * width, 0.0f);
  for (std::size_t i = a.size(); i-- > 0;) {
    uint64_t bytes = 0;
    for (std::size_t j = b.size(); j-- > 0;) {
      bytes += a[i].size() + b[j].size();
      if (bytes > 65'536) {
        bytes = 0;
        if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      }
      const double value = ratio(wordsA[i], wordsB[j], left);
      const auto size = static_cast<float>(wordsA[i].ranges.size() + wordsB[j].ranges.size() + 1);
      const float weight = value >= least ? static_cast<float>(value) * size : 0.0f;
      similar[i * b.size() + j] = weight;
      float& sum = best[i * width + j];
      sum = std::max(best[(i + 1) * width + j], best[i * width + j + 1]);
      if (weight > 0) sum = std::max(sum, best[(i + 1) * width + j + 1] + weight);
    }
  }

  // --- 3. Pairs; unpaired lines come before the next pair, those of `a` first. ---
  std::vector<std::size_t> alone;
  std::size_t i = 0, j = 0;
  const auto flush = [&] {
    for (const std::size_t line : alone) out.push_back({LinePair::kNone, line});
    alone.clear();
  };
  while (i < a.size() || j < b.size()) {
    const float here = best[i * width + j];
    const float pairValue = i < a.size() && j < b.size() ? similar[i * b.size() + j] : 0.0f;
    if (pairValue > 0 && here == best[(i + 1) * width + j + 1] + pairValue) {
      flush();
      out.push_back({i++, j++});
    } else if (i < a.size() && (j == b.size() || here == best[(i + 1) * width + j])) {
      out.push_back({i++, LinePair::kNone});
    } else {
      alone.push_back(j++);
    }
  }
  flush();
  return out;
}

} // namespace blobscope::diff
