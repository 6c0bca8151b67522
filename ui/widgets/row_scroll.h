#pragma once

#include <QScrollBar>

#include <cstdint>
#include <functional>

namespace blobscope::ui {

/// Lets a scroll bar move over more rows than an int can count. The first visible row is kept here; the bar shows it,
/// to scale when there are more rows than its steps. Single steps and pages stay exact at every scale.
class RowScroll {
public:
  /// `moved` is called whenever the first row has changed.
  RowScroll(QScrollBar* bar, std::function<void()> moved);
  RowScroll(const RowScroll&) = delete; // the bar's signals lead here
  RowScroll& operator=(const RowScroll&) = delete;

  /// `rows` altogether, of which `visible` fit as a whole.
  void setRange(uint64_t rows, uint64_t visible);
  uint64_t top() const { return m_top; }
  /// The largest first row.
  uint64_t maximum() const { return m_maximum; }
  /// Rows that fit as a whole, at least 1.
  uint64_t visible() const { return m_visible; }
  /// Cut to what is possible.
  void setTop(uint64_t row);
  void moveBy(int64_t rows);
  /// Scrolls no further than needed to show `row`; a row far away comes to the middle.
  void reveal(uint64_t row);
  /// Handles the wheel when it turns up or down. Returns whether it did.
  bool wheel(QWheelEvent* event);

private:
  int barValue() const;
  void syncBar();

  QScrollBar* m_bar;
  std::function<void()> m_moved;
  uint64_t m_top = 0, m_maximum = 0, m_visible = 1;
  uint64_t m_scale = 1; ///< rows per step of the bar
  int m_wheel = 0;      ///< what is left of less than a row, in eighths of a degree
  bool m_syncing = false;
};

} // namespace blobscope::ui
