#pragma once

#include "ui/theme/theme.h"
#include "ui/widgets/charts/bars_accessible.h"

#include <QWidget>

#include <cstdint>
#include <optional>
#include <vector>

namespace blobscope::ui {

class CallsModel;

/// A call tree as rows of boxes, callers above; the width of a box is its share of the model's measure. Boxes narrower
/// than a pixel are merged. A double click or Enter zooms in, Esc or Backspace out; arrow keys select.
class FlameView : public QWidget, public AccessibleBars {
  Q_OBJECT
public:
  explicit FlameView(CallsModel& model, QWidget* parent = nullptr);
  /// The measure has changed.
  void rebuild();
  std::optional<uint32_t> current() const { return m_current; }
  /// Selects without a signal; makes the row visible.
  void setCurrent(std::optional<uint32_t> row);
  /// Shows only this row and what is below it; nullopt shows everything.
  void zoomTo(std::optional<uint32_t> row);
  std::optional<uint32_t> zoomed() const { return m_zoomed; }
  /// The row of the box at that place.
  std::optional<uint32_t> rowAt(QPointF place) const;
  /// The boxes as bars.
  int barCount() const override { return static_cast<int>(m_cells.size()); }
  QString barText(int bar) const override { return textOf(m_cells[static_cast<std::size_t>(bar)]); }
  QString currentText() const override;
  QRect barRect(int bar) const override { return m_cells[static_cast<std::size_t>(bar)].place.toRect(); }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

Q_SIGNALS:
  void chosen(quint32 row);

protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

private:
  struct Cell {
    QRectF place;
    uint32_t row = 0;
    uint32_t merged = 0; ///< boxes that this one stands for, besides `row`
  };
  void place(const std::vector<uint32_t>& rows, double left, double perUnit, int level);
  QString textOf(const Cell& cell) const;
  void choose(uint32_t row);
  void step(int key);

  CallsModel& m_model;
  std::vector<Cell> m_cells;
  std::optional<uint32_t> m_current, m_zoomed;
  int m_levels = 1;
};

} // namespace blobscope::ui
