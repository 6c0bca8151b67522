#pragma once

#include <QScrollBar>

#include <cstdint>
#include <functional>

namespace blobscope::ui {

/// Lets a scroll bar cover more rows than an int can count. The first visible row is stored here; if there are more
/// rows than the bar has steps, the bar is scaled. Single steps and pages stay exact at every scale.
class RowScroll {
public:
  /// `moved` is called whenever the first row has changed.
  RowScroll(QScrollBar* bar, std::function<void()> moved);
  RowScroll(const RowScroll&) = delete; // the bar's signals are connected to this object
  RowScroll& operator=(const RowScroll&) = delete;

  /// Sets the total number of `rows`, of which `visible` fit completely.
  void setRange(uint64_t rows, uint64_t visible);
  uint64_t top() const { return m_top; }
  /// Returns the largest possible first row.
  uint64_t maximum() const { return m_maximum; }
  /// Number of rows that fit completely, at least 1.
  uint64_t visible() const { return m_visible; }
  /// Clamps the row to the valid range.
  void setTop(uint64_t row);
  void moveBy(int64_t rows);
  /// Scrolls as little as needed to show `row`; a distant row is centred.
  void reveal(uint64_t row);
  /// Handles vertical wheel events. Returns whether it did.
  bool wheel(QWheelEvent* event);

private:
  int barValue() const;
  void syncBar();

  QScrollBar* m_bar;
  std::function<void()> m_moved;
  uint64_t m_top = 0, m_maximum = 0, m_visible = 1;
  uint64_t m_scale = 1; ///< rows per step of the bar
  int m_wheel = 0;      ///< remainder of less than a row, in eighths of a degree
  bool m_syncing = false;
};

} // namespace blobscope::ui
