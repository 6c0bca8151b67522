#pragma once

#include "core/view/page.h"
#include "ui/widgets/charts/bars_accessible.h"

#include <QWidget>

#include <vector>

namespace blobscope::ui {

/// Targets, such as the releases of a runtime, as a strip of boxes that show how each of them ends. The box under the
/// mouse, or the one that the arrow keys select, is the current one; a click or Enter chooses it. Folded, equal
/// neighbours share a box. Boxes that do not fit go to the next line.
class TargetStrip : public QWidget, public AccessibleBars {
  Q_OBJECT
public:
  using Cell = view::ChecklistPage::Cell;

  explicit TargetStrip(QWidget* parent = nullptr);
  /// `chosen`: the value of the chosen cell's `choice`. The keyboard stays on the same target.
  void setCells(const QString& title, std::vector<Cell> cells, const std::string& chosen);
  const std::vector<Cell>& cells() const { return m_cells; }
  void setFolded(bool folded);
  /// Returns the number of the current cell: under the mouse, or by keyboard, or the chosen one; -1 for none.
  int current() const;
  /// Returns the label of the box that contains the cell: "0.6 – 0.21".
  QString labelOf(int cell) const;

  int barCount() const override { return static_cast<int>(m_boxes.size()); }
  QString barText(int box) const override;
  QRect barRect(int box) const override { return m_boxes[static_cast<std::size_t>(box)].place; }
  QString currentText() const override;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override { return {600, heightForWidth(600)}; }
  QSize minimumSizeHint() const override { return {100, heightForWidth(10'000)}; }

Q_SIGNALS:
  void currentChanged(int cell);
  void chosen(int cell);

protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  /// Cells that share a box.
  struct Box {
    int first = 0, last = 0;
    QRect place = {};
  };
  static bool isAlike(const Cell& a, const Cell& b);
  QString labelOf(const Box& box) const;
  /// The cell that represents the box: the chosen one, or the newest.
  int shownCell(const Box& box) const;
  int boxOf(int cell) const;
  int boxAt(const QPoint& place) const;
  std::vector<Box> boxesAt(int width) const;
  void arrange();
  void setHovered(int box);
  void moveTo(int box);

  std::vector<Cell> m_cells;
  std::vector<Box> m_boxes;
  int m_chosen = -1, m_key = -1; ///< cells
  int m_hovered = -1;            ///< box
  bool m_folded = false;
};

} // namespace blobscope::ui
