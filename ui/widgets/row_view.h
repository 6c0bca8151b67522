#pragma once

#include "core/base/extent.h"
#include "ui/widgets/row_scroll.h"

#include <QAbstractScrollArea>
#include <QBasicTimer>

#include <functional>
#include <optional>

class QAccessibleInterface;
class QMenu;

namespace blobscope::ui {

/// What views share that draw rows of any number themselves: scrolling, the caret and its keys, copying, the context
/// menu, and assistive technology. Only the visible rows are looked at.
class RowView : public QAbstractScrollArea {
  Q_OBJECT
public:
  ~RowView() override;
  /// The bytes between the caret and where the selection began.
  virtual Extent selection() const;
  virtual void selectAll() = 0;
  /// Puts the selection on the clipboard. False when there is nothing or it is refused.
  virtual bool copy() = 0;
  /// Makes the interface for assistive technology.
  virtual QAccessibleInterface* makeAccessible() = 0;

Q_SIGNALS:
  /// Something that was asked for is not done; the sentence says why and what to do.
  void refused(const QString& sentence);

protected:
  /// `bar` scrolls over the rows, null for the one that a scroll area has; `scrolled` is called when it moved.
  RowView(QScrollBar* bar, std::function<void()> scrolled, QWidget* parent);

  /// Where a key moves the caret.
  enum class Motion { Left, Right, WordLeft, WordRight, Up, Down, PageUp, PageDown, LineStart, LineEnd, Start, End };
  struct CaretKey {
    Motion motion;
    bool extend; ///< the selection grows
  };
  /// The meaning of a key for the caret; nothing for other keys.
  static std::optional<CaretKey> caretKey(const QKeyEvent& event);
  /// Handles the keys for copying and for selecting all. Returns whether it was one of them.
  bool handleEditKey(const QKeyEvent& event);

  /// Puts text of that size on the clipboard; false when that is too much.
  bool copyText(uint64_t bytes, const std::function<QString()>& text);
  /// A context menu that deletes itself.
  QMenu* makeMenu();
  /// Opens it at the mouse, or at `place` of the viewport when a key asked for it.
  void popUp(QMenu* menu, const QContextMenuEvent& event, QPoint place);

  /// Calls dragged() again and again while a drag is outside of the viewport.
  void followDrag(QPointF point);
  void endDrag() { m_dragging.stop(); }
  /// The mouse is at this point of the viewport, outside of it.
  virtual void dragged(QPoint point) { Q_UNUSED(point) }
  /// Scrolls faster the further `y` is above `top` or below `bottom`.
  void scrollTowards(int y, int top, int bottom, int rowHeight);

  /// The fonts have changed.
  virtual void remeasure() {}
  /// The caret or the selection has moved.
  void notifyAccessibility();

  bool event(QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void timerEvent(QTimerEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

  RowScroll m_scroll;
  uint64_t m_cursor = 0, m_anchor = 0; ///< offsets of the caret and of where the selection began

private:
  QBasicTimer m_dragging;
};

} // namespace blobscope::ui
