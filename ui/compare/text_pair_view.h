#pragma once

#include "core/base/extent.h"
#include "ui/compare/pair_lines.h"
#include "ui/compare/pair_words.h"
#include "ui/session/comparison.h"
#include "ui/widgets/row_view.h"
#include "ui/widgets/text/text_metrics.h"

#include <map>
#include <optional>
#include <set>

namespace blobscope::ui {

/// Two texts side by side, of any size: only the visible lines are processed. Both have one scroll position; equal
/// lines are in the same row. Lines that differ are tinted, and the words that differ are marked; equal lines far from
/// changes are folded. Long lines are wrapped, or cut off at the edge when wrapping is off. If the view is too narrow
/// for two sides, changed lines are shown below one another.
///
/// One row and one side are current: arrow keys, Page Up, Page Down, Home and End move the row, Left and Right change
/// the side, Enter expands a fold. Dragging selects text of one side.
class TextPairView : public RowView {
  Q_OBJECT
public:
  /// Narrower views show one column.
  static constexpr int kTwoSides = 620;
  /// Rows of one line before the rest is shown as a number of characters.
  static constexpr std::size_t kLineRows = 11;

  explicit TextPairView(QWidget* parent = nullptr);
  ~TextPairView() override;

  /// Goes to the first change. Null shows nothing.
  void setText(TextPairPtr text);
  const PairLines& lines() const { return m_lines; }
  bool isWrapping() const { return m_wrap; }
  void setWrapping(bool wrap);
  bool isFolding() const { return m_lines.isFolding(); }
  void setFolding(bool folding);
  bool isInline() const { return m_inline; }

  uint64_t currentRow() const { return m_row; }
  Side currentSide() const { return m_side; }
  /// The first visible row.
  uint64_t topRow() const { return m_scroll.top(); }
  /// Number of its text lines that are hidden above the view.
  std::size_t topLine() const { return m_sub; }
  void goToRow(uint64_t row);
  /// Expands or collapses the row's folded lines, or all of a long line.
  void toggleRow(uint64_t row);

  int changeCount() const { return static_cast<int>(m_lines.changeCount()); }
  /// Returns the change at or before the current row, -1 before the first one.
  int currentChange() const;
  void goToChange(int change);
  /// Returns false when there is no further change.
  bool goToNextChange(bool backwards);

  void select(Side side, uint64_t offset, uint64_t size);
  /// Selects all text of the current side.
  void selectAll() override;
  QString selectedText() const;
  /// Copies the selection, or the current line when there is none.
  bool copy() override;
  QAccessibleInterface* makeAccessible() override;

  /// Returns a description of the row: "line 2 changed, A: old; line 2 of B: new".
  QString describeRow(uint64_t row) const;
  /// Returns the rectangle of the row in the viewport; empty when it is not visible.
  QRect rowRect(uint64_t row) const;
  /// Returns the row at this y of the viewport.
  uint64_t rowAt(int y) const;

Q_SIGNALS:
  /// The current change or the number of changes has changed.
  void changeMoved(int current, int count);
  void rowMoved(quint64 row);

protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void remeasure() override;

private:
  friend class PairPainter;
  friend class TextPairAccessible;

  /// Both sides of a row, broken into text lines.
  struct Layout {
    WrappedLine a, b;
    std::size_t lines = 1; ///< number of text lines
    std::size_t linesA = 0, linesB = 0;
  };
  struct Place {
    uint64_t row = 0;
    std::size_t sub = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  const syntax::LineIndex& index(Side side) const;
  std::string_view lineBytes(Side side, uint64_t line) const;
  const Layout& layoutOf(uint64_t row) const;
  int heightOf(uint64_t row) const;
  std::size_t linesOf(uint64_t row) const;
  bool isExpanded(const PairLines::Row& row) const;

  void updateGeometry();
  void updateRange();
  void relayout();
  Place place() const { return {m_scroll.top(), m_sub}; }
  void setPlace(Place place);
  /// Returns the position at which the row is the last one that fits into `height`.
  Place placeEndingAt(uint64_t row, int height) const;
  void moveLines(int lines);
  void reveal(uint64_t row);
  void setRow(uint64_t row, bool extend = false);
  void emitChanges();
  /// Handle keys that move the current row, and keys that act on it. Return whether the key was handled.
  bool moveRow(const QKeyEvent& event);
  bool useRow(QKeyEvent& event);
  void extendTo(Side side, uint64_t offset);

  struct Column {
    int left = 0, width = 0;
  };
  Column column(Side side) const;
  int rulerLeft() const { return m_half; }
  Side sideAt(int x) const;
  /// Returns the offset in the side's text at a point of the viewport.
  std::optional<uint64_t> offsetAt(Side side, QPointF point) const;
  std::pair<double, double> thumb() const;
  void dragRuler(int y);

  PairLines m_lines;
  std::size_t m_sub = 0; ///< text lines of the first row above the view
  Place m_last;          ///< the largest position
  bool m_moving = false;
  bool m_untouched = true; ///< still at the position that was shown first
  bool m_wrap = true, m_inline = false;
  PairWords* m_words;
  mutable std::map<uint64_t, Layout> m_layouts;       ///< of recently shown rows
  std::set<std::pair<uint64_t, uint64_t>> m_expanded; ///< long lines that are shown completely

  uint64_t m_row = 0;
  Side m_side = Side::B;
  std::optional<int> m_reportedChange;
  bool m_selecting = false, m_dragging = false;
  int m_wheel = 0; ///< remainder of less than a line, in eighths of a degree

  TextMetrics m_metrics;
  QFont m_foldFont;
  int m_foldHeight = 24, m_gutter = 42, m_half = 300;
  uint64_t m_columns = 40; ///< width of a side in cells
};

} // namespace blobscope::ui
