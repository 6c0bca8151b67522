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

/// The base of views that draw any number of rows themselves: scrolling, the cursor and its keys, copying, the context
/// menu, and assistive technology. Only the visible rows are processed.
class RowView : public QAbstractScrollArea {
  Q_OBJECT
public:
  ~RowView() override;
  /// Returns the bytes between the cursor and the start of the selection.
  virtual Extent selection() const;
  virtual void selectAll() = 0;
  /// Copies the selection to the clipboard. Returns false when it is empty or refused.
  virtual bool copy() = 0;
  /// Creates the interface for assistive technology.
  virtual QAccessibleInterface* makeAccessible() = 0;

Q_SIGNALS:
  /// A request was refused; the sentence says why and what to do.
  void refused(const QString& sentence);

protected:
  /// `bar` scrolls the rows, null for the one of the scroll area; `scrolled` is called when it has moved.
  RowView(QScrollBar* bar, std::function<void()> scrolled, QWidget* parent);

  /// Where a key moves the cursor.
  enum class Motion { Left, Right, WordLeft, WordRight, Up, Down, PageUp, PageDown, LineStart, LineEnd, Start, End };
  struct CaretKey {
    Motion motion;
    bool extend; ///< extend the selection
  };
  /// Returns the meaning of a key for the cursor; nullopt for other keys.
  static std::optional<CaretKey> caretKey(const QKeyEvent& event);
  /// Handles the keys for Copy and Select All. Returns whether it was one of them.
  bool handleEditKey(const QKeyEvent& event);

  /// Copies text of `bytes` bytes to the clipboard; returns false when that exceeds the limit.
  bool copyText(uint64_t bytes, const std::function<QString()>& text);
  /// Returns a context menu that deletes itself.
  QMenu* makeMenu();
  /// Opens the menu at the mouse, or at `place` of the viewport when a key requested it.
  void popUp(QMenu* menu, const QContextMenuEvent& event, QPoint place);

  /// Calls dragged() repeatedly while a drag is outside the viewport.
  void followDrag(QPointF point);
  void endDrag() { m_dragging.stop(); }
  /// The mouse is at this point outside the viewport.
  virtual void dragged(QPoint point) { Q_UNUSED(point) }
  /// Scrolls faster the farther `y` is above `top` or below `bottom`.
  void scrollTowards(int y, int top, int bottom, int rowHeight);

  /// Called when the fonts have changed.
  virtual void remeasure() {}
  /// Reports that the cursor or the selection has moved.
  void notifyAccessibility();

  bool event(QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void timerEvent(QTimerEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

  RowScroll m_scroll;
  uint64_t m_cursor = 0, m_anchor = 0; ///< offsets of the cursor and of the start of the selection

private:
  QBasicTimer m_dragging;
};

} // namespace blobscope::ui
