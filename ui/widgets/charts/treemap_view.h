#pragma once

#include "core/graph/treemap.h"
#include "core/view/treemap_page.h"
#include "ui/text/name_parts.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/bars_accessible.h"

#include <QWidget>

#include <cstdint>
#include <optional>
#include <vector>

namespace blobscope::ui {

/// Sizes as nested rectangles. Three levels are drawn; Enter or a double click goes in, Backspace goes out, Home shows
/// everything, arrow keys select the neighbour.
class TreemapView : public QWidget, public AccessibleBars {
  Q_OBJECT
public:
  using Page = view::TreemapPage;

  explicit TreemapView(view::TreemapPagePtr page, QWidget* parent = nullptr);
  const Page& page() const { return *m_page; }
  /// The item whose parts fill the picture.
  uint32_t level() const { return m_level; }
  void setLevel(uint32_t item);
  std::optional<uint32_t> current() const { return m_current; }
  /// Selects without a signal.
  void setCurrent(std::optional<uint32_t> item);
  /// Draws cells of items without a flag paler; nullopt: all are drawn alike. One flag per item.
  void setMatches(std::optional<std::vector<bool>> matches);
  /// The colour that cells of a kind have over the background.
  static QColor fillOf(Page::Kind kind, bool isFrame);
  static Role roleOf(Page::Kind kind);

  /// What the names of kernels have in common; it is left out where there is no room for the whole name.
  const Affixes& affixes() const { return m_affixes; }
  const std::vector<graph::TreemapCell>& cells() const { return m_cells; }
  /// The innermost cell at a place; nullopt outside of all.
  std::optional<std::size_t> cellAt(QPointF place) const;
  /// The name, size and share of what a cell shows.
  QString cellText(std::size_t cell) const;
  int barCount() const override { return static_cast<int>(m_cells.size()); }
  QString barText(int bar) const override { return cellText(static_cast<std::size_t>(bar)); }
  QString currentText() const override;
  QRect barRect(int bar) const override;
  QSize sizeHint() const override { return {640, 480}; }
  QSize minimumSizeHint() const override { return {200, 160}; }

Q_SIGNALS:
  /// The user selected an item.
  void chosen(quint32 item);
  /// The user wants to see a leaf itself.
  void opened(quint32 item);
  void levelChanged(quint32 item);
  /// The pointer is over this item; the level itself: over none.
  void pointed(quint32 item);
  void menuRequested(quint32 item, const QPoint& place);

protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

private:
  void arrange();
  void goIn(uint32_t item);
  void choose(uint32_t item);
  void step(int dx, int dy);
  std::optional<std::size_t> currentCell() const;
  bool isPale(const graph::TreemapCell& cell) const;
  void paintCell(QPainter& painter, const graph::TreemapCell& cell) const;
  void paintWords(QPainter& painter, const graph::TreemapCell& cell, const QRectF& box) const;
  QString fittedName(const Page::Item& item, const QFontMetricsF& metrics, double wide) const;

  view::TreemapPagePtr m_page;
  std::vector<graph::TreemapCell> m_cells;
  Affixes m_affixes;
  uint32_t m_level = 0;
  std::optional<uint32_t> m_current;
  std::optional<std::vector<bool>> m_matches;
};

} // namespace blobscope::ui
