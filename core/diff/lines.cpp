#include "core/diff/lines.h"

#include "core/base/thread_rule.h"
#include "core/diff/numbers.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace blobscope::diff {
namespace {

constexpr std::size_t kStepBytes = 1u << 20;
/// The last difference may be moved by up to this many bytes of the equal end.
constexpr std::size_t kShiftBytes = 16'384;

Error cancelled() { return Error(DiagnosticId::Cancelled, {}); }

/// Returns the number of equal bytes at the start (or the end).
Result<std::size_t> equalBytes(std::string_view a, std::string_view b, bool atEnd, Monitor& monitor) {
  const std::size_t most = std::min(a.size(), b.size());
  for (std::size_t done = 0; done < most;) {
    if (monitor.stopRequested()) return cancelled();
    const std::size_t step = std::min(kStepBytes, most - done);
    const std::string_view partA = atEnd ? a.substr(a.size() - done - step, step) : a.substr(done, step);
    const std::string_view partB = atEnd ? b.substr(b.size() - done - step, step) : b.substr(done, step);
    if (std::memcmp(partA.data(), partB.data(), step) != 0) {
      if (atEnd)
        return done + static_cast<std::size_t>(std::mismatch(partA.rbegin(), partA.rend(), partB.rbegin()).first -
                                               partA.rbegin());
      return done +
             static_cast<std::size_t>(std::mismatch(partA.begin(), partA.end(), partB.begin()).first - partA.begin());
    }
    done += step;
  }
  return most;
}

Result<uint64_t> countLines(std::string_view text, Monitor& monitor) {
  uint64_t count = 0;
  for (std::size_t from = 0; from < text.size(); from += kStepBytes) {
    if (monitor.stopRequested()) return cancelled();
    const char* at = text.data() + from;
    const char* const end = at + std::min(kStepBytes, text.size() - from);
    while (const void* const found = std::memchr(at, '\n', static_cast<std::size_t>(end - at))) {
      ++count;
      at = static_cast<const char*>(found) + 1;
      if (at == end) break;
    }
  }
  return count + (!text.empty() && text.back() != '\n');
}

/// Turns lines into numbers.
class Reader {
public:
  Reader(const LineOptions& options, Monitor& monitor) : m_options(options), m_monitor(monitor) {}

  /// Returns the numbers of the text's lines; nothing if there are too many.
  Result<std::optional<std::vector<uint32_t>>> read(std::string_view text, bool second) {
    const Normalise& normalise = second ? m_options.normaliseB : m_options.normaliseA;
    const bool changes = normalise || !m_options.masks.empty();
    std::vector<uint32_t> out;
    std::vector<uint64_t>& raw = second ? m_rawB : m_rawA;
    std::size_t looked = 0;
    for (std::size_t at = 0; at < text.size();) {
      if (at - looked >= kStepBytes || out.size() % 4096 == 0) {
        if (m_monitor.stopRequested()) return cancelled();
        m_monitor.progress("reading lines", at, text.size());
        looked = at;
      }
      if (out.size() == kComparedLines) return std::optional<std::vector<uint32_t>>();
      const std::size_t end = text.find('\n', at);
      const std::size_t next = end == std::string_view::npos ? text.size() : end + 1;
      const std::string_view line = text.substr(at, next - at);
      out.push_back(changes ? changedNumber(line, normalise, raw) : m_numbers.of(line));
      at = next;
    }
    return std::optional(std::move(out));
  }

  uint32_t count() const { return m_numbers.count(); }
  /// Returns whether two lines with the same number have different bytes; both are indices in their texts.
  bool differ(uint64_t a, uint64_t b) const { return !m_rawA.empty() && m_rawA[a] != m_rawB[b]; }
  bool isChanged() const { return !m_rawA.empty(); }

private:
  uint32_t changedNumber(std::string_view line, const Normalise& normalise, std::vector<uint64_t>& raw) {
    raw.push_back(m_numbers.hash(line).low);
    std::string_view content = line;
    if (content.ends_with('\n')) content.remove_suffix(1);
    if (content.ends_with('\r')) content.remove_suffix(1);
    const std::string_view end = line.substr(content.size());
    if (normalise) {
      normalise(content, m_text);
    } else {
      maskLine(m_options.masks, content, m_text, m_spans);
      if (!m_options.masks.has(Mask::LineEnds)) m_text += end;
    }
    return m_numbers.of(m_text);
  }

  const LineOptions& m_options;
  Monitor& m_monitor;
  Numbers m_numbers;
  std::vector<uint64_t> m_rawA, m_rawB;
  std::string m_text;
  std::vector<MaskedSpan> m_spans;
};

void mirror(std::vector<Hunk>& hunks) {
  for (Hunk& hunk : hunks) hunk = mirrored(hunk);
}

/// Adds the equal lines around the compared part.
std::vector<Hunk> withEqualEnds(std::vector<Hunk> hunks, uint64_t head, uint64_t tail) {
  for (Hunk& hunk : hunks) {
    hunk.a.begin += head;
    hunk.b.begin += head;
  }
  if (head > 0) {
    if (!hunks.empty() && hunks.front().kind == HunkKind::Equal) {
      Hunk& first = hunks.front();
      first.a = {0, first.a.count + head};
      first.b = {0, first.b.count + head};
    } else {
      hunks.insert(hunks.begin(), {HunkKind::Equal, {0, head}, {0, head}});
    }
  }
  if (tail > 0) {
    if (!hunks.empty() && hunks.back().kind == HunkKind::Equal) {
      hunks.back().a.count += tail;
      hunks.back().b.count += tail;
    } else {
      const uint64_t a = hunks.empty() ? 0 : hunks.back().a.end(), b = hunks.empty() ? 0 : hunks.back().b.end();
      hunks.push_back({HunkKind::Equal, {a, tail}, {b, tail}});
    }
  }
  return hunks;
}

/// The bytes at both ends of two texts that need no comparison: whole lines.
struct EqualEnds {
  std::size_t head = 0, tail = 0;
};

Result<EqualEnds> equalEnds(std::string_view a, std::string_view b, Monitor& monitor) {
  EqualEnds ends;
  BLOBSCOPE_TRY(equalHead, equalBytes(a, b, false, monitor));
  const bool all = equalHead == a.size() && equalHead == b.size();
  ends.head = all ? equalHead : equalHead == 0 ? 0 : a.substr(0, equalHead).rfind('\n') + 1;
  // The first difference may be in a "\r\n" that only one side has; whole lines avoid that case.
  BLOBSCOPE_TRY(equalTail, equalBytes(a.substr(ends.head), b.substr(ends.head), true, monitor));
  const std::size_t start = a.size() - equalTail;
  // A line ends before this position in both; a text that begins there also begins a line.
  const bool wholeLine =
      (start == 0 || a[start - 1] == '\n') && (b.size() == equalTail || b[b.size() - equalTail - 1] == '\n');
  const std::size_t next = wholeLine ? start : a.find('\n', start);
  const std::size_t tail =
      equalTail == 0 || next == std::string_view::npos ? 0 : a.size() - (wholeLine ? start : next + 1);
  // Some of the equal end is compared, so that the last difference is placed in the same way as all others.
  const std::size_t kept =
      tail < kShiftBytes ? std::string_view::npos : a.find('\n', a.size() - tail + kShiftBytes - 1);
  ends.tail = kept == std::string_view::npos ? 0 : a.size() - kept - 1;
  return ends;
}

/// Handles the case that one text is empty. It has one empty line, like a text that consists of a line end. `lines`: of
/// the other text.
void compareWithEmpty(bool emptyA, std::string_view other, uint64_t lines, const LineOptions& options, LineDiff& out) {
  Hunk first{HunkKind::Changed, {0, 1}, {0, 1}};
  (emptyA ? first.b : first.a).count = lines;
  out.hunks = {first};
  if (options.masks.has(Mask::LineEnds) && lines == 1 && (other == "\n" || other == "\r\n")) {
    out.hunks.front().kind = HunkKind::Equal;
    out.masked = 1;
  }
}

void addSums(LineDiff& out) {
  if (out.hunks.empty()) out.hunks.push_back({HunkKind::Equal, {0, 1}, {0, 1}}); // two empty texts
  for (const Hunk& hunk : out.hunks) {
    if (hunk.kind == HunkKind::Equal) continue;
    out.removed += hunk.a.count;
    out.added += hunk.b.count;
  }
  out.linesA = out.hunks.back().a.end();
  out.linesB = out.hunks.back().b.end();
}

} // namespace

Result<LineDiff> compareLines(const Bytes& a, const Bytes& b, const LineOptions& options, Monitor& monitor) {
  longWork("diff::compareLines");
  const std::string_view textA = a.view(), textB = b.view();
  LineDiff out;

  // --- 1. Equal ends. Normalising may depend on the side; then nothing is known to be equal. ---
  EqualEnds ends;
  if (!options.normaliseA && !options.normaliseB) {
    BLOBSCOPE_TRY(found, equalEnds(textA, textB, monitor));
    ends = found;
  }
  const auto [head, tail] = ends;
  BLOBSCOPE_TRY(headLines, countLines(textA.substr(0, head), monitor));
  BLOBSCOPE_TRY(tailLines, countLines(textA.substr(textA.size() - tail), monitor));
  const std::string_view midA = textA.substr(head, textA.size() - head - tail),
                         midB = textB.substr(head, textB.size() - head - tail);

  // --- 2. Numbers for the lines between, in an order that does not depend on which text is first. ---
  const bool swapped = midA.size() != midB.size() ? midA.size() > midB.size() : midA > midB;
  Reader reader(options, monitor);
  BLOBSCOPE_TRY(numbersA, reader.read(midA, false));
  BLOBSCOPE_TRY(numbersB, reader.read(midB, true));
  if (!numbersA || !numbersB) {
    BLOBSCOPE_TRY(countA, countLines(midA, monitor));
    BLOBSCOPE_TRY(countB, countLines(midB, monitor));
    out.capped = countA > 0 && countB > 0;
    const HunkKind kind = countA == 0 ? HunkKind::Added : countB == 0 ? HunkKind::Removed : HunkKind::Changed;
    out.hunks = withEqualEnds({{kind, {0, countA}, {0, countB}}}, headLines, tailLines);
  } else if (textA.empty() != textB.empty()) {
    // The middle part may have no line; a text has at least one.
    const bool emptyA = textA.empty();
    compareWithEmpty(emptyA, emptyA ? midB : midA, (emptyA ? numbersB : numbersA)->size(), options, out);
  } else {
    BLOBSCOPE_TRY(compared, swapped ? compareSequences(*numbersB, *numbersA, reader.count(), monitor, options.cost)
                                    : compareSequences(*numbersA, *numbersB, reader.count(), monitor, options.cost));
    if (swapped) mirror(compared.hunks);
    out.capped = compared.capped;
    if (reader.isChanged())
      for (const Hunk& hunk : compared.hunks)
        for (uint64_t i = 0; hunk.kind == HunkKind::Equal && i < hunk.a.count; ++i)
          out.masked += reader.differ(hunk.a.begin + i, hunk.b.begin + i);
    out.hunks = withEqualEnds(std::move(compared.hunks), headLines, tailLines);
  }

  addSums(out);
  return out;
}

} // namespace blobscope::diff
