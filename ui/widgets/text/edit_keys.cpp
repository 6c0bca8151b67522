#include "ui/text/plain_text.h"
#include "ui/widgets/text/edit_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

// What the user does in an EditView: keys, input methods, the clipboard, the mouse.
namespace blobscope::ui {
namespace {

/// Whether the key enters the text of the event: a character without Ctrl or Alt, or with both (AltGr).
bool isCharacter(const QKeyEvent& event) {
  const Qt::KeyboardModifiers modifiers =
      event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
  if (modifiers != Qt::NoModifier && modifiers != (Qt::ControlModifier | Qt::AltModifier)) return false;
  const QString text = event.text();
  return !text.isEmpty() && (text.at(0).isPrint() || text.at(0).isSurrogate());
}

bool isReturn(const QKeyEvent& event) { return event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter; }

} // namespace

EditView::EditKey EditView::editKey(const QKeyEvent& event) const {
  using enum EditKey;
  using Key = QKeySequence;
  if (!m_editable) return None;
  const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
  if (event.matches(Key::Undo)) return canUndo() ? Undo : None;
  if (event.matches(Key::Redo) || (event.key() == Qt::Key_Y && modifiers == Qt::ControlModifier))
    return canRedo() ? Redo : None;
  if (event.matches(Key::Cut)) return Cut;
  if (event.matches(Key::Paste)) return Paste;
  if (isReturn(event) && modifiers == Qt::ControlModifier) return Apply;
  if (event.key() == Qt::Key_F2 && modifiers == Qt::NoModifier) return Begin;
  if (event.key() == Qt::Key_F8 && !m_marks.isEmpty())
    return modifiers == Qt::ShiftModifier ? PreviousMark : modifiers == Qt::NoModifier ? NextMark : None;
  if (event.matches(Key::Delete) || event.matches(Key::DeleteStartOfWord) || event.matches(Key::DeleteEndOfWord) ||
      (event.key() == Qt::Key_Backspace && (modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier)))
    return Delete;
  if (isReturn(event) && (modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier)) return Type;
  if (m_editing && (event.key() == Qt::Key_Tab || event.key() == Qt::Key_Backtab))
    return modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier ? Type : None;
  return isCharacter(event) ? Type : None;
}

bool EditView::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && editKey(*static_cast<QKeyEvent*>(event)) != EditKey::None) {
    event->accept();
    return true;
  }
  return TextView::event(event);
}

bool EditView::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip || m_marks.isEmpty()) return TextView::viewportEvent(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  QStringList messages;
  for (const TextMark& mark : std::as_const(m_marks))
    if (lineRect(mark.line - 1).contains(help->pos())) messages << mark.text;
  QToolTip::showText(help->globalPos(), plainTip(messages.join(QLatin1Char('\n'))), viewport());
  return true;
}

void EditView::keyPressEvent(QKeyEvent* event) {
  switch (editKey(*event)) {
  case EditKey::None:
    if (event->key() == Qt::Key_Escape && m_editing && !m_tabMoves) {
      m_tabMoves = true; // so that the keyboard can leave the text
      return;
    }
    navigateKey(*event);
    return;
  case EditKey::Undo: undo(); return;
  case EditKey::Redo: redo(); return;
  case EditKey::Cut: cut(); return;
  case EditKey::Paste: paste(); return;
  case EditKey::Apply: Q_EMIT applied(); return;
  case EditKey::Begin: beginEditing(); return;
  case EditKey::NextMark: goToNextMark(false); return;
  case EditKey::PreviousMark: goToNextMark(true); return;
  case EditKey::Delete: deleteKey(*event); return;
  case EditKey::Type: typeKey(*event); return;
  }
}

void EditView::navigateKey(QKeyEvent& event) {
  const std::pair before(m_cursor, m_anchor);
  TextView::keyPressEvent(&event);
  if (before == std::pair(m_cursor, m_anchor)) return;
  m_history.endStep();
  m_currentMark = -1;
}

void EditView::typeKey(const QKeyEvent& event) {
  m_tabMoves = false;
  if (isReturn(event))
    insertLine();
  else if (event.key() == Qt::Key_Tab || event.key() == Qt::Key_Backtab)
    indent(event.key() == Qt::Key_Backtab || (event.modifiers() & Qt::ShiftModifier));
  else
    change(Kind::Typed, selection(), fromQt(event.text()));
}

void EditView::deleteKey(const QKeyEvent& event) {
  if (selection().size > 0) {
    change(Kind::Other, selection(), {});
    return;
  }
  Motion motion = Motion::Left;
  if (event.matches(QKeySequence::Delete)) motion = Motion::Right;
  if (event.matches(QKeySequence::DeleteStartOfWord)) motion = Motion::WordLeft;
  if (event.matches(QKeySequence::DeleteEndOfWord)) motion = Motion::WordRight;
  beginEditing();
  const uint64_t to = moved(motion), from = m_cursor;
  change(Kind::Deleted, {std::min(from, to), std::max(from, to) - std::min(from, to)}, {});
}

void EditView::insertLine() {
  const Extent replaced = selection();
  const uint64_t start = index().lineStart(index().lineAt(replaced.offset));
  std::string_view blanks = text().view().substr(start, replaced.offset - start);
  blanks = blanks.substr(0, std::min(blanks.find_first_not_of(" \t"), blanks.size()));
  change(Kind::Typed, replaced, std::string(lineEnd()) + std::string(blanks));
}

void EditView::indent(bool backwards) {
  const Extent selected = selection();
  const std::string unit(indentation());
  const uint64_t first = index().lineAt(selected.offset);
  uint64_t last = index().lineAt(selected.end());
  if (!backwards && first == last) {
    change(Kind::Typed, selected, unit);
    return;
  }
  if (last > first && selected.end() == index().lineStart(last)) --last;
  const uint64_t from = index().lineStart(first), end = index().line(last).end();
  std::string out;
  for (uint64_t line = first; line <= last; ++line) {
    std::string_view bytes = lineBytes(line);
    if (!backwards && !bytes.empty()) out += unit;
    if (backwards && bytes.starts_with('\t'))
      bytes.remove_prefix(1);
    else if (backwards)
      bytes.remove_prefix(std::min<std::size_t>(std::min(bytes.find_first_not_of(' '), bytes.size()), 2));
    out += bytes;
    if (line < last)
      out += text().view().substr(index().line(line).end(), index().lineStart(line + 1) - index().line(line).end());
  }
  if (out == text().view().substr(from, end - from)) return;
  const bool lines = selected.size > 0;
  const uint64_t cursor = m_cursor, size = end - from;
  change(Kind::Other, {from, size}, out);
  const uint64_t to = from + out.size(), shifted = cursor + out.size() - std::min<uint64_t>(size, cursor + out.size());
  const uint64_t at = std::clamp(shifted, from, to);
  lines ? place(to, from) : place(at, at);
}

void EditView::cut() {
  if (m_editable && copy()) change(Kind::Other, selection(), {});
}

void EditView::paste() {
  std::string pasted = fromQt(QApplication::clipboard()->text());
  if (pasted.empty()) return;
  // The clipboard may have other line ends than the text.
  std::erase(pasted, '\r');
  if (lineEnd().size() == 2)
    for (std::size_t at = pasted.find('\n'); at != std::string::npos; at = pasted.find('\n', at + 2))
      pasted.insert(at, 1, '\r');
  insert(pasted);
}

void EditView::mousePressEvent(QMouseEvent* event) {
  m_history.endStep();
  m_currentMark = -1;
  TextView::mousePressEvent(event);
}

bool EditView::focusNextPrevChild(bool next) {
  return (m_editing && !m_tabMoves) ? false : TextView::focusNextPrevChild(next);
}

void EditView::fillMenu(QMenu& menu) {
  if (!m_editable) {
    TextView::fillMenu(menu);
    return;
  }
  const auto add = [&](const QString& text, QKeySequence::StandardKey key, bool enabled, auto run) {
    menu.addAction(text, QKeySequence(key), this, run)->setEnabled(enabled);
  };
  add(tr("Undo"), QKeySequence::Undo, canUndo(), &EditView::undo);
  add(tr("Redo"), QKeySequence::Redo, canRedo(), &EditView::redo);
  menu.addSeparator();
  add(tr("Cut"), QKeySequence::Cut, selection().size > 0, &EditView::cut);
  add(tr("Copy"), QKeySequence::Copy, selection().size > 0, [this] { copy(); });
  add(tr("Paste"), QKeySequence::Paste, !QApplication::clipboard()->text().isEmpty(), &EditView::paste);
  add(tr("Select all"), QKeySequence::SelectAll, true, &EditView::selectAll);
}

// --- input methods

void EditView::inputMethodEvent(QInputMethodEvent* event) {
  if (!m_editable) {
    TextView::inputMethodEvent(event);
    return;
  }
  m_composed = event->preeditString();
  if (!event->commitString().isEmpty()) change(Kind::Typed, selection(), fromQt(event->commitString()));
  viewport()->update();
  event->accept();
}

QVariant EditView::inputMethodQuery(Qt::InputMethodQuery query) const {
  const Extent line = index().line(cursorLine());
  const auto inLine = [&](uint64_t offset) {
    const uint64_t at = std::clamp(offset, line.offset, line.end());
    return static_cast<int>(wholeToQt(text().view().substr(line.offset, at - line.offset)).size());
  };
  // Longer lines would be converted for each key.
  const bool shortLine = line.size <= 4'096;
  switch (query) {
  case Qt::ImEnabled: return m_editable;
  case Qt::ImCursorRectangle: return caretRect();
  case Qt::ImFont: return textMetrics().font;
  case Qt::ImCursorPosition: return shortLine ? inLine(m_cursor) : 0;
  case Qt::ImAnchorPosition: return shortLine ? inLine(m_anchor) : 0;
  case Qt::ImSurroundingText: return shortLine ? wholeToQt(lineBytes(cursorLine())) : QString();
  case Qt::ImCurrentSelection: return selection().size <= 4'096 ? selectedText() : QString();
  case Qt::ImHints: return static_cast<int>(Qt::ImhMultiLine | Qt::ImhNoPredictiveText);
  default: return TextView::inputMethodQuery(query);
  }
}

void EditView::paintEvent(QPaintEvent* event) {
  TextView::paintEvent(event);
  if (m_composed.isEmpty()) return;
  QPainter painter(viewport());
  painter.setLayoutDirection(Qt::LeftToRight);
  QFont font = textMetrics().font;
  font.setUnderline(true);
  painter.setFont(font);
  QRect place = caretRect();
  place.setWidth(painter.fontMetrics().horizontalAdvance(m_composed) + 2);
  painter.fillRect(place, theme().color(Role::Selection));
  painter.setPen(theme().color(Role::Text));
  painter.drawText(place.left(), place.top() + textMetrics().baseline, m_composed);
}

} // namespace blobscope::ui
