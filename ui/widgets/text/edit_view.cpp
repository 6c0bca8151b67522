#include "ui/widgets/text/edit_view.h"

#include "core/base/source.h"
#include "ui/text/plain_text.h"
#include "ui/text/severity_text.h"
#include "ui/widgets/severity_role.h"

#include <QScrollBar>

#include <algorithm>

// The text of an EditView and its marks; edit_keys.cpp contains what the user does.
namespace blobscope::ui {
namespace {

constexpr uint64_t kTextBytes = 64 << 20;
/// Brackets farther away are not searched.
constexpr uint64_t kBracketBytes = 65'536;
constexpr int kIconWidth = 16;

std::shared_ptr<const syntax::LineIndex> indexOf(const Bytes& text) {
  const auto index = std::make_shared<syntax::LineIndex>(text, syntax::LineIndex::LastEnd::BeginsLine);
  while (!index->advance(UINT64_MAX)) {}
  return index;
}

/// Returns the text with a range replaced.
Bytes spliced(const Bytes& text, Extent replaced, std::string_view inserted) {
  const auto bytes = text.span();
  const auto* const first = reinterpret_cast<const std::byte*>(inserted.data());
  Buffer out;
  out.reserve(bytes.size() - replaced.size + inserted.size());
  out.insert(out.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(replaced.offset));
  out.insert(out.end(), first, first + inserted.size());
  out.insert(out.end(), bytes.begin() + static_cast<std::ptrdiff_t>(replaced.end()), bytes.end());
  return ByteSource::all(ByteSource::fromBuffer(std::move(out)));
}

/// Returns the offset after the bytes were replaced; inside them, the end of the inserted ones.
uint64_t follow(uint64_t offset, Extent replaced, uint64_t inserted) {
  if (offset <= replaced.offset) return offset;
  return offset < replaced.end() ? replaced.offset + inserted : offset - replaced.size + inserted;
}

} // namespace

EditView::EditView(QWidget* parent) : TextView(parent) {
  connect(this, &TextView::cursorMoved, this, &EditView::updateBrackets);
}

EditView::~EditView() = default;

void EditView::setOriginal(Bytes text, std::string_view language) {
  m_original = text;
  m_editing = m_changed = false;
  m_history.clear();
  m_brackets.clear();
  setEditable(false);
  setMarks({});
  setText(std::move(text), language);
}

void EditView::setEditable(bool editable) {
  m_editable = editable;
  setAttribute(Qt::WA_InputMethodEnabled, editable);
  viewport()->update();
}

void EditView::beginEditing() {
  if (!m_editable || m_editing) return;
  m_editing = true;
  const uint64_t from = text().size();
  changeText(text(), indexOf(text()), from);
  Q_EMIT editingBegan();
}

quint64 EditView::storedLineCount() const {
  const std::string_view bytes = text().view();
  return m_editing && lineCount() > 1 && bytes.ends_with('\n') ? lineCount() - 1 : lineCount();
}

// --- changes

void EditView::splice(Extent replaced, std::string_view inserted) {
  moveMarks(replaced, inserted);
  Bytes next = spliced(text(), replaced, inserted);
  m_changed = next != m_original;
  const auto index = indexOf(next);
  changeText(std::move(next), index, replaced.offset);
}

void EditView::change(Kind kind, Extent replaced, std::string_view inserted) {
  if (!m_editable || (replaced.size == 0 && inserted.empty())) return;
  if (text().size() - replaced.size + inserted.size() > kTextBytes) {
    Q_EMIT refused(tr("The text would be larger than 64 MiB. Edit it in another program, and use Replace with file."));
    return;
  }
  beginEditing();
  m_history.add(
      kind, {replaced.offset, std::string(text().view().substr(replaced.offset, replaced.size)), std::string(inserted)},
      {m_cursor, m_anchor});
  splice(replaced, inserted);
  const uint64_t end = replaced.offset + inserted.size();
  place(end, end);
  Q_EMIT edited();
}

void EditView::place(uint64_t cursor, uint64_t anchor) {
  m_anchor = std::min(anchor, text().size());
  setCursor(cursor, true);
  revealCursor();
  updateBrackets();
}

void EditView::insert(std::string_view bytes) { change(Kind::Other, selection(), bytes); }

void EditView::replaceText(std::string_view wanted) {
  const std::string_view now = text().view();
  const auto [a, b] = std::mismatch(now.begin(), now.end(), wanted.begin(), wanted.end());
  const auto same = static_cast<std::size_t>(a - now.begin());
  const std::size_t most = std::min(now.size(), wanted.size()) - same;
  std::size_t tail = 0;
  while (tail < most && now[now.size() - 1 - tail] == wanted[wanted.size() - 1 - tail]) ++tail;
  const Extent replaced{same, now.size() - tail - same};
  const std::string_view inserted = wanted.substr(same, wanted.size() - tail - same);
  const uint64_t cursor = follow(m_cursor, replaced, inserted.size());
  change(Kind::Other, replaced, inserted);
  place(cursor, cursor);
}

void EditView::replaceHits(const FindHits& hits, const std::vector<std::string>& texts) {
  if (hits.empty() || hits.size() != texts.size()) return;
  const uint64_t from = hits.front().offset, end = hits.back().offset + hits.back().size;
  std::string inserted;
  uint64_t at = from, cursor = m_cursor;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    inserted += text().view().substr(at, hits[i].offset - at);
    inserted += texts[i];
    at = hits[i].offset + hits[i].size;
    if (m_cursor >= at) cursor = from + inserted.size() + (m_cursor - at);
  }
  change(Kind::Other, {from, end - from}, inserted);
  place(cursor, cursor);
}

void EditView::undo() {
  const EditHistory::Step* const step = m_history.undo();
  if (!step) return;
  splice({step->change.offset, step->change.inserted.size()}, step->change.removed);
  place(step->before.cursor, step->before.anchor);
  Q_EMIT edited();
}

void EditView::redo() {
  const EditHistory::Step* const step = m_history.redo();
  if (!step) return;
  splice({step->change.offset, step->change.removed.size()}, step->change.inserted);
  const uint64_t end = step->change.offset + step->change.inserted.size();
  place(end, end);
  Q_EMIT edited();
}

EditView::State EditView::state() const {
  return {m_original, text(), m_history, m_cursor, m_anchor, topLine() - 1, m_editing, m_marks};
}

void EditView::restore(const State& state) {
  if (state.editing) beginEditing();
  if (m_editable && state.text != state.original && state.text != m_original) {
    splice({0, text().size()}, state.text.view());
    m_history = state.history;
  }
  if (m_editable) setMarks(state.marks);
  m_anchor = std::min(state.anchor, text().size());
  setCursor(std::min(state.cursor, text().size()), true);
  scrollToLine(state.top);
  updateBrackets();
  if (m_changed) Q_EMIT edited();
}

std::string_view EditView::lineEnd() const {
  const std::string_view bytes = text().view();
  const std::size_t found = bytes.find('\n', index().lineStart(cursorLine() > 0 ? cursorLine() - 1 : 0));
  return found != std::string_view::npos && found > 0 && bytes[found - 1] == '\r' ? "\r\n" : "\n";
}

std::string_view EditView::indentation() const {
  for (uint64_t line = cursorLine() + 1; line-- > 0 && cursorLine() - line < 64;) {
    const std::string_view bytes = lineBytes(line);
    if (bytes.starts_with('\t')) return "\t";
    if (bytes.starts_with("  ")) return "  ";
  }
  return "\t";
}

void EditView::updateBrackets() {
  constexpr std::string_view kOpening = "([{", kClosing = ")]}";
  const std::vector<uint64_t> before = std::exchange(m_brackets, {});
  const std::string_view bytes = text().view();
  for (const uint64_t at : {m_cursor, m_cursor - 1}) {
    if (!m_editable || at >= bytes.size()) continue;
    const std::size_t opening = kOpening.find(bytes[at]), closing = kClosing.find(bytes[at]);
    if (opening == std::string_view::npos && closing == std::string_view::npos) continue;
    const bool forward = opening != std::string_view::npos;
    const char same = bytes[at], other = forward ? kClosing[opening] : kOpening[closing];
    const uint64_t end = forward ? std::min<uint64_t>(bytes.size(), at + kBracketBytes) : std::min(at, kBracketBytes);
    uint64_t depth = 0;
    for (uint64_t i = forward ? at : 0; i < (forward ? end : end + 1); ++i) {
      const uint64_t here = forward ? i : at - i;
      if (bytes[here] == same) ++depth;
      if (bytes[here] != other || --depth > 0) continue;
      m_brackets = {std::min(at, here), std::max(at, here)};
      break;
    }
    if (!m_brackets.empty()) break;
  }
  if (m_brackets != before) viewport()->update();
}

// --- marks

void EditView::setMarks(QVector<TextMark> marks) {
  const bool had = !m_marks.isEmpty();
  m_marks = std::move(marks);
  m_currentMark = -1;
  std::stable_sort(m_marks.begin(), m_marks.end(), [](const TextMark& a, const TextMark& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  if (had || !m_marks.isEmpty()) {
    updateRange();
    viewport()->update();
    Q_EMIT marksChanged();
  }
}

void EditView::moveMarks(Extent replaced, std::string_view inserted) {
  if (m_marks.isEmpty()) return;
  const quint64 first = index().lineAt(replaced.offset) + 1, last = index().lineAt(replaced.end()) + 1;
  const auto added = static_cast<quint64>(std::count(inserted.begin(), inserted.end(), '\n'));
  const bool whole = replaced.offset == index().lineStart(first - 1) && replaced.size == 0 && inserted.ends_with('\n');
  QVector<TextMark> kept;
  for (TextMark& mark : m_marks) {
    if (mark.line > last || (whole && mark.line == last))
      mark.line = mark.line - (last - first) + added;
    else if (mark.line >= first)
      continue;
    kept << mark;
  }
  const bool fewer = kept.size() != m_marks.size();
  m_marks = std::move(kept);
  if (fewer) m_currentMark = -1;
  Q_EMIT marksChanged();
}

int EditView::goToNextMark(bool backwards) {
  if (m_marks.isEmpty()) return -1;
  const auto count = static_cast<int>(m_marks.size());
  int next = m_currentMark;
  if (next < 0) { // from the cursor
    const quint64 line = cursorLine() + (backwards ? 1 : 2);
    const auto after =
        std::find_if(m_marks.begin(), m_marks.end(), [line](const TextMark& m) { return m.line >= line; });
    next = static_cast<int>(after - m_marks.begin()) - (backwards ? 0 : 1);
  }
  next = (next + (backwards ? count - 1 : 1)) % count;
  goToMark(next);
  return next;
}

void EditView::goToMark(int index) {
  if (index < 0 || index >= m_marks.size()) return;
  const TextMark& mark = m_marks[index];
  const Extent line = this->index().line(mark.line > 0 ? mark.line - 1 : 0);
  goToOffset(line.offset + std::min<uint64_t>(mark.column > 0 ? mark.column - 1 : 0, line.size));
  m_currentMark = index;
  Q_EMIT marksChanged();
}

std::vector<TextView::Decoration> EditView::decorationsOf(uint64_t line) const {
  std::vector<Decoration> out;
  const Extent extent = index().line(line);
  for (const uint64_t at : m_brackets)
    if (extent.contains(at)) out.push_back({Decoration::Kind::Frame, {at - extent.offset, 1}, Role::Accent});
  for (const TextMark& mark : m_marks) {
    if (mark.line != line + 1 || extent.size == 0) continue;
    Extent bytes{0, extent.size};
    if (mark.column > 0) {
      bytes = wordAt(extent.offset + std::min<uint64_t>(mark.column - 1, extent.size - 1));
      bytes.offset -= extent.offset;
    } else {
      bytes.offset = std::min<uint64_t>(lineBytes(line).find_first_not_of(" \t"), extent.size);
      bytes.size -= bytes.offset;
    }
    out.push_back({Decoration::Kind::Wave, bytes, severityRole(mark.severity)});
  }
  return out;
}

std::pair<QString, Role> EditView::iconOf(uint64_t line) const {
  const TextMark* worst = nullptr;
  for (const TextMark& mark : m_marks)
    if (mark.line == line + 1 && (!worst || mark.severity < worst->severity)) worst = &mark;
  if (!worst) return {};
  return {severityIcon(worst->severity), severityRole(worst->severity)};
}

int EditView::iconWidth() const { return m_marks.isEmpty() ? 0 : kIconWidth; }

} // namespace blobscope::ui
