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

/// Two texts side by side, of any size: only the visible lines are looked at. One scroll position for both; what is
/// equal stands in one row. Lines that differ are tinted, with the words that differ marked; equal ones far from
/// changes are folded. Long lines are wrapped, or cut off at the edge when wrapping is off. Too narrow for two sides,
/// changed lines stand below one another.
///
/// A row and a side are current: arrows, pages, Home and End move the row, left and right change the side, Enter
/// unfolds. A drag selects text of one side.
class TextPairView : public RowView {
  Q_OBJECT
public:
  /// Narrower views show one column.
  static constexpr int kTwoSides = 620;
  /// Rows of one line before the rest is told as a number.
  static constexpr std::size_t kLineRows = 11;

  explicit TextPairView(QWidget* parent = nullptr);
  ~TextPairView() override;

  /// Null for nothing. Goes to the first change.
  void setText(TextPairPtr text);
  const PairLines& lines() const { return m_lines; }
  bool isWrapping() const { return m_wrap; }
  void setWrapping(bool wrap);
  bool isFolding() const { return m_lines.isFolding(); }
  void setFolding(bool folding);
  bool isInline() const { return m_inline; }

  uint64_t currentRow() const { return m_row; }
  Side currentSide() const { return m_side; }
  /// First visible row.
  uint64_t topRow() const { return m_scroll.top(); }
  /// Rows of text that are hidden of it.
  std::size_t topLine() const { return m_sub; }
  void goToRow(uint64_t row);
  /// Unfolds the row's lines, or shows all of a long line; or the other way round.
  void toggleRow(uint64_t row);

  int changeCount() const { return static_cast<int>(m_lines.changeCount()); }
  /// The change at or before the current row, -1 before the first one.
  int currentChange() const;
  void goToChange(int change);
  /// False when there is none further on.
  bool goToNextChange(bool backwards);

  void select(Side side, uint64_t offset, uint64_t size);
  /// All of the current side.
  void selectAll() override;
  QString selectedText() const;
  /// The selection, or the current line when there is none.
  bool copy() override;
  QAccessibleInterface* makeAccessible() override;

  /// "line 8, changed: old text; new text".
  QString describeRow(uint64_t row) const;
  /// The row in the viewport; empty when it is not visible.
  QRect rowRect(uint64_t row) const;
  /// The row under a point of the viewport.
  uint64_t rowAt(int y) const;

Q_SIGNALS:
  /// Another change is current, or there are others.
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

  /// Both sides of a row, cut into rows of text.
  struct Layout {
    WrappedLine a, b;
    std::size_t lines = 1; ///< text lines that it takes
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
  /// The place from which the row is the last one that fits into `height`.
  Place placeEndingAt(uint64_t row, int height) const;
  void moveLines(int lines);
  void reveal(uint64_t row);
  void setRow(uint64_t row, bool extend = false);
  void emitChanges();
  /// Handle keys that move the current row, and those that do something with it. Return whether it was one of them.
  bool moveRow(const QKeyEvent& event);
  bool useRow(QKeyEvent& event);
  void extendTo(Side side, uint64_t offset);

  struct Column {
    int left = 0, width = 0;
  };
  Column column(Side side) const;
  int rulerLeft() const { return m_half; }
  Side sideAt(int x) const;
  /// The offset in the side's text under a point of the viewport.
  std::optional<uint64_t> offsetAt(Side side, QPointF point) const;
  std::pair<double, double> thumb() const;
  void dragRuler(int y);

  PairLines m_lines;
  std::size_t m_sub = 0; ///< text lines of the first row above the view
  Place m_last;          ///< the largest place
  bool m_moving = false;
  bool m_untouched = true; ///< still where the text was shown first
  bool m_wrap = true, m_inline = false;
  PairWords* m_words;
  mutable std::map<uint64_t, Layout> m_layouts;       ///< of rows seen last
  std::set<std::pair<uint64_t, uint64_t>> m_expanded; ///< long lines that are shown as a whole

  uint64_t m_row = 0;
  Side m_side = Side::B;
  std::optional<int> m_reportedChange;
  bool m_selecting = false, m_dragging = false;
  int m_wheel = 0; ///< what is left of less than a line, in eighths of a degree

  TextMetrics m_metrics;
  QFont m_foldFont;
  int m_foldHeight = 24, m_gutter = 42, m_half = 300;
  uint64_t m_columns = 40; ///< cells of a side
};

} // namespace blobscope::ui
