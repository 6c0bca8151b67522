#include "core/syntax/line_states.h"

#include <algorithm>

namespace blobscope::syntax {
namespace {

constexpr uint64_t kMarkLines = 128;
constexpr uint64_t kMarkBytes = 65'536;

} // namespace

bool LineStates::advance(const LineIndex& index, uint64_t line, uint64_t bytes) {
  const std::string_view text = index.text().view();
  // The last known line may be incomplete.
  const uint64_t last = index.isComplete() ? index.lineCount() : index.lineCount() - 1;
  uint64_t done = 0;
  uint64_t at = knows(line) || m_known >= last ? 0 : index.lineStart(m_known);
  while (!knows(line) && m_known < last && done < bytes) {
    const std::size_t end = text.substr(at, kLexedBytes).find('\n');
    Extent extent = {at, end};
    uint64_t next = at + end + 1;
    if (end == std::string_view::npos) { // a long line: the index knows its end without reading it
      extent = index.line(m_known);
      next = m_known + 1 < index.lineCount() ? index.lineStart(m_known + 1) : text.size();
    }
    std::string_view content = text.substr(extent.offset, extent.size);
    if (content.ends_with('\r')) content.remove_suffix(1);
    m_state = lexLine(*m_language, content, m_state, m_tokens);
    const uint64_t lexed = std::min<uint64_t>(next - at, kLexedBytes);
    at = next;
    ++m_known;
    done += lexed;
    m_sinceMark += lexed;
    if (m_known - m_marks.back().line >= kMarkLines || m_sinceMark >= kMarkBytes) {
      m_marks.push_back({m_known, m_state});
      m_sinceMark = 0;
    }
  }
  return knows(line);
}

void LineStates::forgetAfter(uint64_t line) {
  if (line >= m_known) return;
  while (m_marks.back().line > line) m_marks.pop_back();
  m_known = m_marks.back().line;
  m_state = m_marks.back().state;
  m_sinceMark = 0;
}

LineState LineStates::before(const LineIndex& index, uint64_t line) const {
  if (!knows(line) || !m_language->comments) return LineState::Code;
  const auto mark = std::prev(std::upper_bound(m_marks.begin(), m_marks.end(), line,
                                               [](uint64_t wanted, const Mark& m) { return wanted < m.line; }));
  LineState state = mark->state;
  std::vector<Token> tokens;
  for (uint64_t at = mark->line; at < line; ++at) {
    const Extent extent = index.line(at);
    state = lexLine(*m_language, index.text().view().substr(extent.offset, extent.size), state, tokens);
  }
  return state;
}

} // namespace blobscope::syntax
