#include "ui/widgets/text/text_view.h"

#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/mark_scroll_bar.h"
#include "ui/widgets/text/text_accessible.h"
#include "ui/widgets/text/text_painter.h"

#include <QAction>
#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace blobscope::ui {
namespace {

constexpr int kTop = 4, kGutter = 52, kTextGap = 8, kNumberMargins = 18;
/// Widths of the signs for folding, and of the arrows of jumps.
constexpr int kFoldWidth = 12, kLanesMargin = 8, kLaneWidth = 5;
constexpr qint64 kSliceMs = 5;
constexpr uint64_t kIndexStep = 262'144, kStateStep = 65'536;
/// Columns of longer lines are not counted for the width of the view.
constexpr uint64_t kCountedCharacters = 4'096;

bool isWordByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || byte == '_' || byte == '$' || byte == '%' || (byte >= '0' && byte <= '9') ||
         ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z');
}

bool isBlank(char c) { return c == ' ' || c == '\t'; }

/// Returns 0 for blanks, 1 for others, 2 for word characters: word motion stops where the class changes.
int wordClass(char c) { return isBlank(c) ? 0 : isWordByte(c) ? 2 : 1; }

} // namespace

TextView::TextView(QWidget* parent)
    : RowView(
          new MarkScrollBar(Qt::Vertical),
          [this] {
            updateRange();
            viewport()->update();
          },
          parent),
      m_language(&syntax::language({})), m_bar(static_cast<MarkScrollBar*>(verticalScrollBar())) {
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  viewport()->setCursor(Qt::IBeamCursor);
  m_metrics.measure();
  setText({});
}

TextView::~TextView() = default;

QAccessibleInterface* TextView::makeAccessible() { return new TextViewAccessible(this); }

void TextView::setText(Bytes text, std::string_view language, std::shared_ptr<const syntax::LineIndex> index) {
  m_text = std::move(text);
  m_language = &syntax::language(language);
  m_structure = nullptr;
  m_folded.clear();
  m_name.clear();
  m_back.clear();
  m_lanes = 0;
  m_hasFolds = false;
  m_growing = index ? nullptr : std::make_shared<syntax::LineIndex>(m_text);
  m_index = index ? std::move(index) : m_growing;
  m_states = std::make_unique<syntax::LineStates>(*m_language);
  forgetTokens();
  m_hits.reset();
  m_currentHit.reset();
  m_cursor = m_anchor = m_line = 0;
  m_preferredColumn.reset();
  m_wantedLine.reset();
  m_wanted.reset();
  m_widest = 0;
  m_reported.reset();
  m_bar->setMarks({});
  m_rowLines = m_index->lineCount();
  m_rows.setHidden({});
  m_rows.setLines(m_rowLines, 0);
  continueWork(); // shows the first lines immediately
  m_scroll.setTop(0);
  horizontalScrollBar()->setValue(0);
  updateRange();
  viewport()->update();
  emitChanges();
  if (!m_growing) Q_EMIT indexed(lineCount());
}

void TextView::changeText(Bytes text, std::shared_ptr<const syntax::LineIndex> index, uint64_t from) {
  const uint64_t line = m_index->lineAt(from);
  m_text = std::move(text);
  m_growing = nullptr;
  m_index = std::move(index);
  m_structure = nullptr; // the gutter keeps its width until there is another one
  m_folded.clear();
  m_name.clear();
  m_back.clear();
  m_rowLines = m_index->lineCount();
  m_rows.setHidden({});
  m_rows.setLines(m_rowLines, line);
  m_states->forgetAfter(line);
  m_tokens.erase(m_tokens.lower_bound(line), m_tokens.end());
  m_guessed = false;
  m_hits.reset();
  m_currentHit.reset();
  m_wantedLine.reset();
  m_wanted.reset();
  m_widest = 0;
  m_line = std::min(m_line, m_index->lineCount() - 1);
  m_cursor = std::min(m_cursor, m_text.size());
  m_anchor = std::min(m_anchor, m_text.size());
  m_bar->setMarks({});
  updateRange();
  viewport()->update();
}

std::vector<TextView::Decoration> TextView::decorationsOf(uint64_t) const { return {}; }

std::pair<QString, Role> TextView::iconOf(uint64_t) const { return {}; }

// ---------------------------------------------------------------------------------------------- work between events

void TextView::startWork() {
  if (!m_work.isActive()) m_work.start(0, this);
}

void TextView::continueWork() {
  QElapsedTimer clock;
  clock.start();
  if (m_growing && !m_growing->isComplete()) {
    const uint64_t shown = m_growing->lineCount();
    while (!m_growing->advance(kIndexStep) && clock.elapsed() < kSliceMs) {}
    updateRange();
    if (shown <= topLine() + m_scroll.visible()) viewport()->update();
    const uint64_t count = index().lineCount();
    if (m_wantedLine && (isIndexed() || *m_wantedLine < count)) {
      const uint64_t line = *m_wantedLine;
      goToLine(line);
    } else if (m_wanted && isKnown(*m_wanted)) {
      const Extent wanted = *m_wanted;
      wanted.size > 0 ? select(wanted.offset, wanted.size) : goToOffset(wanted.offset);
    }
    if (isIndexed()) {
      updateMarks();
      Q_EMIT indexed(lineCount());
    } else {
      startWork();
    }
    return;
  }
  const RowPlace top = m_rows.placeOf(m_scroll.top());
  bool measured = m_rows.advance();
  while (!measured && clock.elapsed() < kSliceMs) measured = m_rows.advance();
  if (m_rows.wraps()) keepPlace(top);
  const uint64_t last = lastStateLine();
  while (!m_states->advance(index(), last, kStateStep) && clock.elapsed() < kSliceMs) {}
  if (m_guessed && m_states->knows(last)) {
    forgetTokens();
    viewport()->update();
  }
  if (measured && m_states->knows(last)) m_work.stop();
}

void TextView::forgetTokens() {
  m_tokens.clear();
  m_guessed = false;
}

const std::vector<syntax::Token>& TextView::tokensOf(uint64_t line, syntax::LineState& state) {
  const auto found = m_tokens.find(line);
  const bool growing = line + 1 == index().lineCount() && !isIndexed();
  if (found != m_tokens.end() && found->second.before == state && !growing) {
    state = found->second.after;
    return found->second.tokens;
  }
  LineTokens& entry = m_tokens[line];
  entry.before = state;
  entry.after = state = syntax::lexLine(*m_language, lineBytes(line), state, entry.tokens);
  return entry.tokens;
}

bool TextView::isKnown(Extent bytes) const {
  return isIndexed() || bytes.end() < index().lineStart(index().lineCount() - 1);
}

// ---------------------------------------------------------------------------------------------- geometry

void TextView::remeasure() {
  m_metrics.measure();
  if (m_index) updateRange();
  viewport()->update();
}

void TextView::updateRange() {
  const QSize size = viewport()->size();
  const int rows = (size.height() - kTop) / m_metrics.lineHeight;
  m_numbers = m_metrics.gutter(index().lineCount(), kGutter, kNumberMargins + iconWidth());
  m_gutter = m_numbers + (m_hasFolds ? kFoldWidth : 0) + (m_lanes > 0 ? kLanesMargin + m_lanes * kLaneWidth : 0);
  if (const uint64_t lines = index().lineCount(); lines != m_rowLines) {
    m_rowLines = lines;
    m_rows.setLines(lines);
  }
  const auto columns = static_cast<uint64_t>(std::max((size.width() - m_gutter - kTextGap) / m_metrics.cell, 1.0));
  if (columns != m_columns) {
    const RowPlace top = m_rows.placeOf(m_scroll.top());
    m_columns = columns;
    if (m_rows.wraps()) {
      measureRows();
      keepPlace(top);
    }
  }
  m_scroll.setRange(m_rows.rowCount(), static_cast<uint64_t>(std::max(rows, 1)));

  m_widest = std::max(m_widest, index().longestLine());
  uint64_t line = topLine() - 1;
  for (uint64_t row = 0; row <= m_scroll.visible() && line < index().lineCount(); ++row, line = m_rows.nextLine(line))
    if (const std::string_view bytes = lineBytes(line); bytes.size() <= kCountedCharacters)
      m_widest = std::max(m_widest, columnCount(bytes));
  const uint64_t maximum = m_widest + 1 > columns && !m_rows.wraps() ? m_widest + 1 - columns : 0;
  horizontalScrollBar()->setRange(0, static_cast<int>(std::min<uint64_t>(maximum, 1U << 30)));
  horizontalScrollBar()->setPageStep(static_cast<int>(columns));
  horizontalScrollBar()->setSingleStep(4);
}

std::string_view TextView::lineBytes(uint64_t line) const {
  const Extent extent = index().line(line);
  return m_text.view().substr(extent.offset, extent.size);
}

QString TextView::lineText(quint64 line) const {
  const std::string_view bytes = lineBytes(line > 0 ? line - 1 : 0);
  QString out;
  CellWalker walker(bytes);
  for (Cell cell{}; walker.next(cell);)
    out += bytes[cell.offset] == '\t' ? QStringLiteral("\t") : cellText(bytes, cell);
  return out;
}

QRect TextView::lineRect(uint64_t line) const {
  const auto row = static_cast<int64_t>(m_rows.rowOf(line)) - static_cast<int64_t>(m_scroll.top());
  const int y = kTop + static_cast<int>(std::clamp<int64_t>(row, -1'000'000, 1'000'000)) * m_metrics.lineHeight;
  const uint64_t rows = std::min<uint64_t>(m_rows.rowsOf(m_rows.shownLine(line)), 1'000'000);
  return {0, y, viewport()->width(), static_cast<int>(rows) * m_metrics.lineHeight};
}

QRect TextView::caretRect() const {
  const uint64_t part = cursorRow() - m_rows.rowOf(m_line);
  const double column = static_cast<double>(currentColumn() - 1 - partStart(part)) - horizontalScrollBar()->value();
  const int x = m_gutter + kTextGap + static_cast<int>(std::lround(column * m_metrics.cell));
  const int y = lineRect(m_line).y() + static_cast<int>(std::min<uint64_t>(part, 1'000'000)) * m_metrics.lineHeight;
  return {x, y, 1, m_metrics.lineHeight};
}

std::pair<uint64_t, double> TextView::placeAt(QPointF point) const {
  const double row = std::floor((point.y() - kTop) / m_metrics.lineHeight);
  const auto last = static_cast<double>(m_rows.rowCount() - 1);
  const auto [line, part] =
      m_rows.placeOf(static_cast<uint64_t>(std::clamp(static_cast<double>(m_scroll.top()) + row, 0.0, last)));
  const double column = (point.x() - m_gutter - kTextGap) / m_metrics.cell;
  if (!m_rows.wraps()) return {line, column + horizontalScrollBar()->value()};
  const auto start = static_cast<double>(partStart(part));
  // The end of a row is the start of the next one.
  const double most = part + 1 < m_rows.rowsOf(line) ? start + static_cast<double>(m_columns) - 1 : 1e18;
  return {line, std::clamp(start + column, start, most)};
}

uint64_t TextView::offsetAt(QPointF point) const {
  const auto [line, column] = placeAt(point);
  return index().line(line).offset + offsetOf(lineBytes(line), std::max(column, 0.0), true);
}

// ---------------------------------------------------------------------------------------------- cursor and selection

quint64 TextView::currentColumn() const {
  return columnOf(lineBytes(m_line), m_cursor - index().lineStart(m_line)) + 1;
}

void TextView::setCursor(uint64_t offset, bool extend, bool keepColumn) {
  m_wantedLine.reset();
  m_wanted.reset();
  m_cursor = std::min(offset, m_text.size());
  m_line = index().lineAt(m_cursor);
  if (!extend) m_anchor = m_cursor;
  if (!keepColumn) m_preferredColumn.reset();
  updateName();
  viewport()->update();
  emitChanges();
}

void TextView::emitChanges() {
  const std::pair<quint64, quint64> place(currentLine(), currentColumn());
  const Extent selected = selection();
  const bool moved = m_reported != place, changed = m_reportedSelection != selected;
  m_reported = place;
  m_reportedSelection = selected;
  if (moved) Q_EMIT cursorMoved(place.first, place.second);
  if (changed) Q_EMIT selectionChanged(selected.offset, selected.size);
  if (moved || changed) notifyAccessibility();
}

void TextView::revealCursor() {
  showLine(m_line);
  const uint64_t row = cursorRow();
  m_scroll.reveal(row);
  if (row == m_scroll.top() && stickyFunction()) m_scroll.moveBy(-1); // it would cover the row
  if (m_rows.wraps()) return;
  const uint64_t column = currentColumn() - 1;
  QScrollBar* const bar = horizontalScrollBar();
  const auto left = static_cast<uint64_t>(bar->value()), columns = static_cast<uint64_t>(bar->pageStep());
  if (column < left)
    bar->setValue(static_cast<int>(column > 8 ? column - 8 : 0));
  else if (column >= left + columns)
    bar->setValue(static_cast<int>(std::min<uint64_t>(column - columns + 8, 1U << 30)));
}

bool TextView::waitsFor(Extent bytes) {
  if (isKnown(bytes)) return false;
  m_wantedLine.reset();
  m_wanted = bytes;
  startWork();
  return true;
}

void TextView::select(quint64 offset, quint64 size) {
  if (waitsFor({offset, size})) return;
  const uint64_t from = std::min<uint64_t>(offset, m_text.size());
  const uint64_t to = from + std::min<uint64_t>(size, m_text.size() - from);
  // The end first, so that the start is certainly visible.
  setCursor(to, false);
  revealCursor();
  m_cursor = from;
  m_line = index().lineAt(from);
  revealCursor();
  m_anchor = from;
  setCursor(to, true);
  m_scroll.reveal(cursorRow());
}

void TextView::selectAll() {
  m_anchor = 0;
  setCursor(m_text.size(), true);
}

QString TextView::selectedText() const {
  const Extent selected = selection();
  return wholeToQt(m_text.view().substr(selected.offset, selected.size));
}

void TextView::goToLine(quint64 line) {
  const uint64_t wanted = line > 0 ? line - 1 : 0;
  if (!isIndexed() && wanted + 1 >= index().lineCount()) {
    m_wanted.reset();
    m_wantedLine = line;
    startWork();
    return;
  }
  setCursor(index().lineStart(wanted), false);
  revealCursor();
}

void TextView::goToOffset(quint64 offset) {
  if (waitsFor({offset, 0})) return;
  const uint64_t line = index().lineAt(offset);
  const Extent extent = index().line(line);
  const std::string_view bytes = lineBytes(line);
  const uint64_t column = columnOf(bytes, std::min<uint64_t>(offset, extent.end()) - extent.offset);
  setCursor(extent.offset + offsetOf(bytes, static_cast<double>(column)), false);
  revealCursor();
}

bool TextView::copy() {
  const Extent selected = selection();
  return selected.size > 0 && copyText(selected.size, [this] { return selectedText(); });
}

uint64_t TextView::moved(Motion motion) {
  const Extent extent = index().line(m_line);
  const std::string_view bytes = lineBytes(m_line);
  const uint64_t at = std::min(m_cursor, extent.end()) - extent.offset;
  const uint64_t column = columnOf(bytes, at);
  const auto lineEnd = [&](uint64_t line) { return index().line(line).end(); };
  const uint64_t lastLine = index().lineCount() - 1, lineAbove = m_rows.previousLine(m_line),
                 lineBelow = m_rows.nextLine(m_line);
  const bool isLast = lineBelow > lastLine;
  switch (motion) {
  case Motion::Left:
    if (at == 0) return m_line == 0 ? 0 : lineEnd(lineAbove);
    return extent.offset + offsetOf(bytes, static_cast<double>(column - 1));
  case Motion::Right: {
    if (at >= extent.size) return isLast ? m_cursor : index().lineStart(lineBelow);
    Cell cell{};
    CellWalker(bytes, column).next(cell);
    return extent.offset + cell.offset + cell.size;
  }
  case Motion::WordLeft: {
    if (at == 0) return m_line == 0 ? 0 : lineEnd(lineAbove);
    uint64_t to = at;
    while (to > 0 && isBlank(bytes[to - 1])) --to;
    for (const int kind = to > 0 ? wordClass(bytes[to - 1]) : 0; to > 0 && wordClass(bytes[to - 1]) == kind;) --to;
    return extent.offset + to;
  }
  case Motion::WordRight: {
    if (at >= extent.size) return isLast ? m_cursor : index().lineStart(lineBelow);
    uint64_t to = at;
    for (const int kind = wordClass(bytes[to]); to < bytes.size() && wordClass(bytes[to]) == kind;) ++to;
    while (to < bytes.size() && isBlank(bytes[to])) ++to;
    return extent.offset + to;
  }
  case Motion::Up:
  case Motion::Down:
  case Motion::PageUp:
  case Motion::PageDown: return verticalMotion(motion, column);
  case Motion::LineStart: return extent.offset;
  case Motion::LineEnd: return extent.end();
  case Motion::Start: return 0;
  case Motion::End: return lineEnd(lastLine);
  }
  return m_cursor;
}

uint64_t TextView::verticalMotion(Motion motion, uint64_t column) {
  const uint64_t row = cursorRow(), last = m_rows.rowCount() - 1, page = m_scroll.visible();
  if (motion == Motion::Up && row == 0) return 0;
  if (motion == Motion::Down && row == last) return index().line(m_rows.placeOf(last).line).end();
  if (!m_preferredColumn) m_preferredColumn = column - partStart(row - m_rows.rowOf(m_line));
  uint64_t to = row;
  switch (motion) {
  case Motion::Up: --to; break;
  case Motion::Down: ++to; break;
  case Motion::PageUp:
    m_scroll.moveBy(-static_cast<int64_t>(page));
    to = row > page ? row - page : 0;
    break;
  default: m_scroll.moveBy(static_cast<int64_t>(page)); to = std::min(row + page, last);
  }
  const auto [line, part] = m_rows.placeOf(to);
  uint64_t wanted = partStart(part) + *m_preferredColumn;
  if (m_rows.wraps() && part + 1 < m_rows.rowsOf(line)) wanted = std::min(wanted, partStart(part + 1) - 1);
  return index().lineStart(line) + offsetOf(lineBytes(line), static_cast<double>(wanted));
}

Extent TextView::wordAt(uint64_t offset) const {
  const uint64_t line = index().lineAt(offset);
  const Extent extent = index().line(line);
  const std::string_view bytes = lineBytes(line);
  if (bytes.empty()) return {extent.offset, 0};
  uint64_t from = std::min<uint64_t>(offset - extent.offset, bytes.size() - 1);
  const int kind = wordClass(bytes[from]);
  uint64_t to = from + 1;
  if (kind == 1) return {extent.offset + from, 1};
  while (from > 0 && wordClass(bytes[from - 1]) == kind) --from;
  while (to < bytes.size() && wordClass(bytes[to]) == kind) ++to;
  return {extent.offset + from, to - from};
}

// ---------------------------------------------------------------------------------------------- finds

void TextView::showHits(std::shared_ptr<const FindHits> hits, std::optional<std::size_t> current) {
  m_hits = std::move(hits);
  m_currentHit = current;
  updateMarks();
  viewport()->update();
}

void TextView::updateMarks() {
  std::vector<MarkScrollBar::Mark> marks;
  if (m_hits && isIndexed()) {
    const auto lines = static_cast<double>(lineCount());
    marks.reserve(m_hits->size());
    // Hits of a search elsewhere have no line numbers.
    for (const FindHit& hit : *m_hits)
      marks.push_back(
          {static_cast<double>(hit.line != 0 ? hit.line : index().lineAt(hit.offset)) / lines, Role::Warning});
    if (m_currentHit && *m_currentHit < m_hits->size())
      marks.push_back({static_cast<double>((*m_hits)[*m_currentHit].line) / lines, Role::Accent});
  }
  m_bar->setMarks(std::move(marks));
}

void TextView::goToHit(const FindHit& hit) { select(hit.offset, hit.size); }

// ---------------------------------------------------------------------------------------------- events

void TextView::contextMenuEvent(QContextMenuEvent* event) {
  QMenu* const menu = makeMenu();
  fillMenu(*menu);
  popUp(menu, *event, lineRect(m_line).bottomLeft() + QPoint(m_gutter, 0));
}

void TextView::fillMenu(QMenu& menu) {
  QAction* const copyAction = menu.addAction(tr("Copy"), QKeySequence::Copy, this, [this] { copy(); });
  copyAction->setEnabled(selection().size > 0);
  menu.addAction(tr("Select all"), QKeySequence::SelectAll, this, &TextView::selectAll);
  fillCodeMenu(menu);
}

void TextView::keyPressEvent(QKeyEvent* event) {
  if (handleEditKey(*event) || handleCodeKey(*event)) return;
  const std::optional<CaretKey> key = caretKey(*event);
  if (!key) {
    RowView::keyPressEvent(event);
    return;
  }
  if (key->motion == Motion::End && !isIndexed() && !key->extend) {
    goToLine(UINT64_MAX); // when its number is known
    return;
  }
  const bool vertical = key->motion >= Motion::Up && key->motion <= Motion::PageDown;
  setCursor(moved(key->motion), key->extend, vertical);
  revealCursor();
}

void TextView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || handleCodeClick(*event)) return;
  const uint64_t offset = offsetAt(event->position());
  const uint64_t line = index().lineAt(offset);
  const bool third = m_doubleClicked.isValid() && m_doubleClicked.elapsed() < QApplication::doubleClickInterval();
  m_doubleClicked.invalidate();
  if (event->position().x() < m_gutter || (third && line == m_line)) {
    m_anchor = index().lineStart(line);
    setCursor(line + 1 < index().lineCount() ? index().lineStart(line + 1) : m_text.size(), true);
    return;
  }
  m_pressedLink = event->modifiers() == Qt::NoModifier ? linkAt(event->position()) : std::string_view();
  setCursor(offset, event->modifiers() & Qt::ShiftModifier);
}

void TextView::mouseMoveEvent(QMouseEvent* event) {
  if ((m_isLink || m_structure) && event->buttons() == Qt::NoButton)
    viewport()->setCursor(pointerAt(event->position(), event->modifiers()));
  if (!(event->buttons() & Qt::LeftButton)) return;
  setCursor(offsetAt(event->position()), true);
  followDrag(event->position());
}

void TextView::mouseReleaseEvent(QMouseEvent* event) {
  endDrag();
  const std::string pressed = std::exchange(m_pressedLink, {});
  // Dragging over a name selects it.
  if (!pressed.empty() && selection().size == 0 && linkAt(event->position()) == pressed) activateLink(pressed);
}

void TextView::activateLink(std::string_view name) { Q_EMIT linkActivated(wholeToQt(name)); }

void TextView::setLinks(std::function<bool(std::string_view name)> isLink) {
  m_isLink = std::move(isLink);
  viewport()->setMouseTracking(m_structure || m_isLink);
  viewport()->update();
}

std::vector<Extent> TextView::linksOf(std::string_view line, const std::vector<syntax::Token>& tokens) const {
  // Longer names do not occur, and a line may be as long as the file.
  constexpr std::size_t kNameBytes = 4'096, kLineBytes = 65'536;
  std::vector<Extent> links;
  if (!m_isLink) return links;
  const auto isName = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '$' || static_cast<unsigned char>(c) >= 0x80;
  };
  const std::size_t end = std::min(line.size(), kLineBytes);
  auto token = tokens.begin();
  for (std::size_t from = 0; from < end;) {
    if (!isName(line[from])) {
      ++from;
      continue;
    }
    std::size_t to = from;
    while (to < end && isName(line[to])) ++to;
    while (token != tokens.end() && token->begin + token->size <= from) ++token;
    const bool plain = token == tokens.end() || token->begin > from ||
                       (token->kind != syntax::TokenKind::Comment && token->kind != syntax::TokenKind::String);
    if (plain && to - from <= kNameBytes && m_isLink(line.substr(from, to - from))) links.push_back({from, to - from});
    from = to;
  }
  return links;
}

std::string_view TextView::linkAt(QPointF point) {
  if (!m_isLink || point.x() < m_gutter || point.y() < kTop) return {};
  const auto rows = static_cast<uint64_t>((point.y() - kTop) / m_metrics.lineHeight);
  if (m_scroll.top() + rows >= m_rows.rowCount()) return {};
  const auto [line, column] = placeAt(point);
  if (column < 0) return {};
  const std::string_view bytes = lineBytes(line);
  const uint64_t offset = offsetOf(bytes, std::floor(column));
  const auto known = m_tokens.find(line);
  for (const Extent& link :
       linksOf(bytes, known == m_tokens.end() ? std::vector<syntax::Token>() : known->second.tokens))
    if (link.contains(offset)) return bytes.substr(link.offset, link.size);
  return {};
}

void TextView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const auto [line, column] = placeAt(event->position());
  const Extent word = wordAt(index().lineStart(line) + offsetOf(lineBytes(line), column));
  m_anchor = word.offset;
  setCursor(word.end(), true);
  m_doubleClicked.start();
}

void TextView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.setLayoutDirection(layoutDirection());
  TextPainter(*this, painter).paint();
  if (m_guessed) startWork();
}

void TextView::resizeEvent(QResizeEvent*) { updateRange(); }

void TextView::dragged(QPoint point) {
  const QRect rect = viewport()->rect();
  scrollTowards(point.y(), rect.top(), rect.bottom(), m_metrics.lineHeight);
  QScrollBar* const bar = horizontalScrollBar();
  if (point.x() < rect.left()) bar->setValue(bar->value() - 2);
  if (point.x() > rect.right()) bar->setValue(bar->value() + 2);
  setCursor(offsetAt(point), true);
}

void TextView::timerEvent(QTimerEvent* event) {
  event->timerId() == m_work.timerId() ? continueWork() : RowView::timerEvent(event);
}

} // namespace blobscope::ui
