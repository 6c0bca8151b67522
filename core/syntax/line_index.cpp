#include "core/syntax/line_index.h"

#include <algorithm>
#include <cstring>

namespace blobscope::syntax {
namespace {

// A look-up reads at most this many lines or bytes in addition to the line itself: 1 µs for kernels (40 bytes a line).
constexpr uint64_t kMarkLines = 256;
constexpr uint64_t kMarkBytes = 65'536;
constexpr uint64_t kStepBytes = 1'048'576;

} // namespace

Result<std::shared_ptr<const LineIndex>> LineIndex::compute(Bytes text, Monitor& monitor) {
  const auto index = std::make_shared<LineIndex>(std::move(text));
  while (!index->advance(kStepBytes)) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("counting lines", index->m_indexed, index->m_text.size());
  }
  return std::shared_ptr<const LineIndex>(index);
}

bool LineIndex::advance(uint64_t bytes) {
  const char* const data = m_text.view().data();
  const uint64_t end = bytes < m_text.size() - m_indexed ? m_indexed + bytes : m_text.size();
  uint64_t at = m_indexed;
  while (at < end) {
    const void* const found = std::memchr(data + at, '\n', end - at);
    if (!found) break;
    at = static_cast<uint64_t>(static_cast<const char*>(found) - data) + 1;
    m_longest = std::max(m_longest, at - 1 - m_lastStart);
    if (at == m_text.size() && m_lastEnd == LastEnd::BeginsNoLine) break;
    m_lastStart = at;
    const Mark& last = m_marks.back();
    if (m_lines - last.line >= kMarkLines || at - last.offset >= kMarkBytes) m_marks.push_back({m_lines, at});
    ++m_lines;
  }
  m_indexed = end;
  const bool ended = end > m_lastStart && data[end - 1] == '\n';
  m_longest = std::max(m_longest, end - m_lastStart - (ended ? 1 : 0));
  return isComplete();
}

std::size_t LineIndex::markBefore(uint64_t Mark::* key, uint64_t wanted) const {
  const auto upper = std::upper_bound(m_marks.begin(), m_marks.end(), wanted,
                                      [key](uint64_t value, const Mark& mark) { return value < mark.*key; });
  return static_cast<std::size_t>(upper - m_marks.begin()) - 1;
}

uint64_t LineIndex::lineStart(uint64_t number) const {
  if (number >= m_lines - 1) return m_lastStart;
  const Mark& mark = m_marks[markBefore(&Mark::line, number)];
  // The line is close to the mark: a start far after it would have its own mark.
  const char* const data = m_text.view().data();
  uint64_t at = mark.offset;
  for (uint64_t line = mark.line; line < number; ++line)
    at = static_cast<uint64_t>(static_cast<const char*>(std::memchr(data + at, '\n', m_indexed - at)) - data) + 1;
  return at;
}

Extent LineIndex::line(uint64_t number) const {
  const uint64_t start = lineStart(number);
  const std::string_view text = m_text.view();
  uint64_t end = m_indexed;
  if (number < m_lines - 1) {
    const std::size_t mark = markBefore(&Mark::offset, start) + 1;
    // A long line is followed by a mark, so that it need not be read.
    end = mark < m_marks.size() && m_marks[mark].line == number + 1 ? m_marks[mark].offset : text.find('\n', start) + 1;
  }
  if (end > start && text[end - 1] == '\n') --end;
  if (end > start && text[end - 1] == '\r') --end;
  return {start, end - start};
}

uint64_t LineIndex::lineAt(uint64_t offset) const {
  if (offset >= m_lastStart) return m_lines - 1;
  const Mark& mark = m_marks[markBefore(&Mark::offset, offset)];
  // Starts without a mark are within kMarkBytes of the previous one.
  const std::string_view text = m_text.view().substr(mark.offset, std::min(offset - mark.offset, kMarkBytes));
  return mark.line + static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace blobscope::syntax
