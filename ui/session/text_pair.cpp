#include "ui/session/text_pair.h"

#include <algorithm>
#include <string_view>

namespace blobscope::ui {
namespace {

using diff::Hunk;
using diff::HunkKind;

/// Number of bytes of lines that may be read to find similar ones; about 20 ns each.
constexpr uint64_t kPairingBytes = 24'000'000;
/// Number of pairs of changed lines whose words are compared immediately, and their maximum size in bytes.
constexpr std::size_t kMarked = 512;
constexpr uint64_t kMarkedBytes = 1'000'000;
/// Number of bytes of a line that are compared, and the number of combinations from which on only lines at the same
/// position are paired (core/diff/words.h).
constexpr uint64_t kComparedBytes = 4'096, kCombinations = 16'384;

std::string_view lineOf(const syntax::LineIndex& index, uint64_t line) {
  const Extent extent = index.line(line);
  return index.text().view().substr(extent.offset, extent.size);
}

std::vector<std::string_view> linesOf(const syntax::LineIndex& index, diff::Range range) {
  std::vector<std::string_view> out;
  out.reserve(range.count);
  for (uint64_t line = range.begin; line < range.end(); ++line) out.push_back(lineOf(index, line));
  return out;
}

uint64_t bytesOf(const std::vector<std::string_view>& lines) {
  uint64_t bytes = 0;
  for (const std::string_view line : lines) bytes += std::min<uint64_t>(line.size(), kComparedBytes);
  return bytes;
}

void add(std::vector<LineRun>& runs, HunkKind kind, uint64_t a, uint64_t b, uint64_t count) {
  if (count == 0) return;
  if (!runs.empty() && runs.back().kind == kind && kind != HunkKind::Equal) {
    LineRun& last = runs.back();
    const bool goesOnA = kind == HunkKind::Added || last.a + last.count == a,
               goesOnB = kind == HunkKind::Removed || last.b + last.count == b;
    if (goesOnA && goesOnB) {
      last.count += count;
      return;
    }
  }
  runs.push_back({kind, a, b, count});
}

/// Pairs the n-th lines of both sides.
void addByPosition(std::vector<LineRun>& runs, const Hunk& hunk) {
  const uint64_t both = std::min(hunk.a.count, hunk.b.count);
  add(runs, HunkKind::Changed, hunk.a.begin, hunk.b.begin, both);
  add(runs, HunkKind::Removed, hunk.a.begin + both, hunk.b.begin + both, hunk.a.count - both);
  add(runs, HunkKind::Added, hunk.a.end(), hunk.b.begin + both, hunk.b.count - both);
}

} // namespace

bool TextPair::same() const {
  return std::all_of(runs.begin(), runs.end(), [](const LineRun& run) { return run.kind == HunkKind::Equal; });
}

Result<TextPairPtr> makeTextPair(const view::TextPage& a, const view::TextPage& b, const diff::LineDiff& lines,
                                 diff::Masks masks, Monitor& monitor) {
  auto out = std::make_shared<TextPair>();
  out->a = a.text;
  out->b = b.text;
  out->language = b.language.empty() ? a.language : b.language;
  out->masks = masks;
  out->masked = lines.masked;
  out->capped = lines.capped;
  BLOBSCOPE_TRY(indexA, syntax::LineIndex::compute(a.text, monitor));
  BLOBSCOPE_TRY(indexB, syntax::LineIndex::compute(b.text, monitor));
  out->indexA = std::move(indexA);
  out->indexB = std::move(indexB);

  uint64_t left = kPairingBytes;
  for (const Hunk& hunk : lines.hunks) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (hunk.kind == HunkKind::Equal) {
      add(out->runs, HunkKind::Equal, hunk.a.begin, hunk.b.begin, hunk.a.count);
      continue;
    }
    const bool one = hunk.a.count == 1 && hunk.b.count == 1;
    if (one || hunk.a.count == 0 || hunk.b.count == 0 || std::max(hunk.a.count, hunk.b.count) > left / 16) {
      addByPosition(out->runs, hunk);
      continue;
    }
    const std::vector<std::string_view> linesA = linesOf(*out->indexA, hunk.a), linesB = linesOf(*out->indexB, hunk.b);
    const bool all = hunk.a.count <= kCombinations / hunk.b.count;
    const uint64_t work =
        all ? bytesOf(linesA) * hunk.b.count + bytesOf(linesB) * hunk.a.count : bytesOf(linesA) + bytesOf(linesB);
    if (work > left) {
      addByPosition(out->runs, hunk);
      continue;
    }
    left -= work;
    BLOBSCOPE_TRY(pairs, diff::pairLines(linesA, linesB, masks, monitor));
    // Lines without a similar line are also shown side by side where both sides have some, because that takes less
    // room.
    uint64_t atA = hunk.a.begin, atB = hunk.b.begin;
    Hunk alone{HunkKind::Changed, {atA, 0}, {atB, 0}};
    for (const diff::LinePair& pair : pairs) {
      const bool hasA = pair.a != diff::LinePair::kNone, hasB = pair.b != diff::LinePair::kNone;
      if (hasA && hasB) {
        addByPosition(out->runs, alone);
        add(out->runs, HunkKind::Changed, atA, atB, 1);
        alone = {HunkKind::Changed, {atA + 1, 0}, {atB + 1, 0}};
      } else {
        ++(hasA ? alone.a : alone.b).count;
      }
      atA += hasA ? 1 : 0;
      atB += hasB ? 1 : 0;
    }
    addByPosition(out->runs, alone);
  }

  // The lines that are shown first get their marks immediately.
  uint64_t bytes = 0;
  for (const LineRun& run : out->runs) {
    if (run.kind != HunkKind::Changed) continue;
    for (uint64_t i = 0; i < run.count && out->marks.size() < kMarked && bytes < kMarkedBytes; ++i) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const std::string_view lineA = lineOf(*out->indexA, run.a + i), lineB = lineOf(*out->indexB, run.b + i);
      bytes += lineA.size() + lineB.size();
      out->marks.emplace(run.b + i, diff::compareWords(lineA, lineB, masks));
    }
  }
  return TextPairPtr(std::move(out));
}

} // namespace blobscope::ui
