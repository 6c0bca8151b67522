#include "ui/widgets/row_view.h"

#include "ui/theme/content_text.h"
#include "ui/widgets/copy_limit.h"
#include "ui/widgets/mark_scroll_bar.h"

#include <QAccessible>
#include <QAccessibleInterface>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QWheelEvent>

#include <algorithm>
#include <array>

namespace blobscope::ui {
namespace {

constexpr int kDragMs = 40;

QAccessibleInterface* makeInterface(const QString&, QObject* object) {
  auto* const view = qobject_cast<RowView*>(object);
  return view ? view->makeAccessible() : nullptr;
}

} // namespace

RowView::RowView(QScrollBar* bar, std::function<void()> scrolled, QWidget* parent)
    : QAbstractScrollArea(parent), m_scroll(bar ? bar : verticalScrollBar(), std::move(scrolled)) {
  QAccessible::installFactory(makeInterface);
  if (bar) setVerticalScrollBar(bar);
  setFrameShape(QFrame::NoFrame);
  setLayoutDirection(Qt::LeftToRight); // code and bytes, in every language
  setCornerWidget(makeCorner(this));
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
}

RowView::~RowView() = default;

Extent RowView::selection() const {
  const uint64_t from = std::min(m_cursor, m_anchor);
  return {from, std::max(m_cursor, m_anchor) - from};
}

std::optional<RowView::CaretKey> RowView::caretKey(const QKeyEvent& event) {
  using Key = QKeySequence;
  struct Binding {
    Key::StandardKey move, select;
    Motion motion;
  };
  constexpr std::array kBindings = {
      Binding{Key::MoveToPreviousChar, Key::SelectPreviousChar, Motion::Left},
      Binding{Key::MoveToNextChar, Key::SelectNextChar, Motion::Right},
      Binding{Key::MoveToPreviousWord, Key::SelectPreviousWord, Motion::WordLeft},
      Binding{Key::MoveToNextWord, Key::SelectNextWord, Motion::WordRight},
      Binding{Key::MoveToPreviousLine, Key::SelectPreviousLine, Motion::Up},
      Binding{Key::MoveToNextLine, Key::SelectNextLine, Motion::Down},
      Binding{Key::MoveToPreviousPage, Key::SelectPreviousPage, Motion::PageUp},
      Binding{Key::MoveToNextPage, Key::SelectNextPage, Motion::PageDown},
      Binding{Key::MoveToStartOfLine, Key::SelectStartOfLine, Motion::LineStart},
      Binding{Key::MoveToEndOfLine, Key::SelectEndOfLine, Motion::LineEnd},
      Binding{Key::MoveToStartOfDocument, Key::SelectStartOfDocument, Motion::Start},
      Binding{Key::MoveToEndOfDocument, Key::SelectEndOfDocument, Motion::End},
  };
  for (const Binding& binding : kBindings) {
    const bool extend = event.matches(binding.select);
    if (extend || event.matches(binding.move)) return CaretKey{binding.motion, extend};
  }
  return std::nullopt;
}

bool RowView::handleEditKey(const QKeyEvent& event) {
  if (event.matches(QKeySequence::Copy))
    copy();
  else if (event.matches(QKeySequence::SelectAll))
    selectAll();
  else
    return false;
  return true;
}

bool RowView::copyText(uint64_t bytes, const std::function<QString()>& text) {
  if (bytes > kCopyBytes) {
    Q_EMIT refused(copyRefusal(bytes));
    return false;
  }
  QApplication::clipboard()->setText(text());
  return true;
}

QMenu* RowView::makeMenu() {
  auto* const menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  return menu;
}

void RowView::popUp(QMenu* menu, const QContextMenuEvent& event, QPoint place) {
  const bool keyboard = event.reason() == QContextMenuEvent::Keyboard;
  menu->popup(keyboard ? viewport()->mapToGlobal(place) : event.globalPos());
}

void RowView::followDrag(QPointF point) {
  if (viewport()->rect().contains(point.toPoint()))
    m_dragging.stop();
  else if (!m_dragging.isActive())
    m_dragging.start(kDragMs, this);
}

void RowView::scrollTowards(int y, int top, int bottom, int rowHeight) {
  if (y < top) m_scroll.moveBy(-1 - (top - y) / rowHeight);
  if (y > bottom) m_scroll.moveBy(1 + (y - bottom) / rowHeight);
}

void RowView::notifyAccessibility() {
  QAccessibleInterface* const self = QAccessible::isActive() ? QAccessible::queryAccessibleInterface(this) : nullptr;
  if (!self) return;
  if (QAccessibleTextInterface* const text = self->textInterface()) {
    if (text->selectionCount() > 0) {
      int start = 0, end = 0;
      text->selection(0, &start, &end);
      QAccessibleTextSelectionEvent event(this, start, end);
      QAccessible::updateAccessibility(&event);
    } else {
      QAccessibleTextCursorEvent event(this, text->cursorPosition());
      QAccessible::updateAccessibility(&event);
    }
  } else if (const QAccessibleInterface* const child = hasFocus() ? self->focusChild() : nullptr) {
    QAccessibleEvent event(this, QAccessible::Focus);
    event.setChild(self->indexOfChild(child));
    QAccessible::updateAccessibility(&event);
  }
}

bool RowView::event(QEvent* event) {
  if (event->type() == contentTextEvent()) remeasure();
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Copy) || key->matches(QKeySequence::SelectAll)) event->accept();
  }
  return QAbstractScrollArea::event(event);
}

void RowView::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) remeasure();
}

void RowView::focusInEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusInEvent(event);
  viewport()->update();
}

void RowView::focusOutEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusOutEvent(event);
  viewport()->update();
}

void RowView::scrollContentsBy(int, int) { viewport()->update(); }

void RowView::timerEvent(QTimerEvent* event) {
  if (event->timerId() == m_dragging.timerId())
    dragged(viewport()->mapFromGlobal(QCursor::pos()));
  else
    QAbstractScrollArea::timerEvent(event);
}

void RowView::wheelEvent(QWheelEvent* event) {
  if (event->modifiers().testFlag(Qt::ControlModifier)) {
    event->ignore(); // the window changes the zoom
    return;
  }
  if (!m_scroll.wheel(event)) QAbstractScrollArea::wheelEvent(event);
}

} // namespace blobscope::ui
