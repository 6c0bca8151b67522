#include "ui/widgets/text/edit_history.h"

namespace blobscope::ui {
namespace {

constexpr qint64 kPauseMs = 2'000;
constexpr uint64_t kHistoryBytes = 64 << 20;

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

uint64_t sizeOf(const TextChange& change) { return change.removed.size() + change.inserted.size(); }

} // namespace

bool EditHistory::merge(Kind kind, const TextChange& change) {
  const bool paused = !m_last.isValid() || m_last.elapsed() > kPauseMs;
  if (!m_open || paused || kind == Kind::Other || m_done == 0 || m_done != m_steps.size()) return false;
  Step& step = m_steps.back();
  TextChange& last = step.change;
  if (step.kind != kind) return false;
  if (kind == Kind::Typed) {
    if (!change.removed.empty() || change.offset != last.offset + last.inserted.size()) return false;
    // The first letter of a word starts a step, and so does a line.
    if (!last.inserted.empty() && isSpace(last.inserted.back()) && !isSpace(change.inserted.front())) return false;
    if (change.inserted.front() == '\n' || change.inserted.front() == '\r') return false;
    last.inserted += change.inserted;
  } else if (change.offset + change.removed.size() == last.offset) { // Backspace
    last.offset = change.offset;
    last.removed.insert(0, change.removed);
  } else if (change.offset == last.offset) { // Delete
    last.removed += change.removed;
  } else {
    return false;
  }
  m_bytes += sizeOf(change);
  return true;
}

void EditHistory::add(Kind kind, TextChange change, Place before) {
  while (m_steps.size() > m_done) {
    m_bytes -= sizeOf(m_steps.back().change);
    m_steps.pop_back();
  }
  if (!merge(kind, change)) {
    m_bytes += sizeOf(change);
    m_steps.push_back({kind, std::move(change), before});
    ++m_done;
  }
  while (m_bytes > kHistoryBytes && m_steps.size() > 1) {
    m_bytes -= sizeOf(m_steps.front().change);
    m_steps.pop_front();
    --m_done;
  }
  m_open = kind != Kind::Other;
  m_last.start();
}

const EditHistory::Step* EditHistory::undo() {
  m_open = false;
  return m_done > 0 ? &m_steps[--m_done] : nullptr;
}

const EditHistory::Step* EditHistory::redo() {
  m_open = false;
  return m_done < m_steps.size() ? &m_steps[m_done++] : nullptr;
}

void EditHistory::clear() {
  m_steps.clear();
  m_done = 0;
  m_bytes = 0;
  m_open = false;
}

} // namespace blobscope::ui
