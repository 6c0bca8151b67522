#pragma once

#include "core/view/grid.h"
#include "ui/widgets/charts/bars_accessible.h"
#include "ui/widgets/grid/grid_colors.h"
#include "ui/widgets/row_scroll.h"

#include <QAbstractScrollArea>
#include <QHash>
#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QLineEdit;

namespace blobscope::ui {

/// Two dimensions of an array as numbers. Only the visible cells are read. Values can be typed, copied and pasted as
/// tab-separated text.
class ValueGrid : public QAbstractScrollArea, public AccessibleBars {
  Q_OBJECT
public:
  /// A value that the user entered for an element.
  struct Entered {
    uint64_t index = 0;
    QString text;
  };
  /// Returns the text of the value that would be stored, or why none can be.
  using Nearest = std::function<Result<std::string>(std::string_view text)>;

  explicit ValueGrid(QWidget* parent = nullptr);
  ~ValueGrid() override;
  void setSlice(std::shared_ptr<const view::GridSource> source, std::shared_ptr<const view::GridMap> map);
  /// The colours of the bars in front of the values; nullopt: no bars.
  void setColors(const std::optional<GridColors>& colors);
  /// Values that are changed and not saved, with what they were, by the number of the element.
  void setChanged(QHash<quint64, QString> before);
  /// Null when values cannot be changed.
  void setNearest(Nearest nearest) { m_nearest = std::move(nearest); }
  bool isEditable() const { return m_nearest != nullptr; }

  std::pair<uint64_t, uint64_t> current() const { return {m_row, m_column}; }
  void setCurrent(uint64_t row, uint64_t column);
  /// The values that are visible.
  view::GridRegion visible() const;
  /// Makes this the first visible row and column.
  void scrollTo(uint64_t row, uint64_t column);
  /// Starts to edit the current value; returns false when it cannot be changed. `text`: what replaces it.
  bool startEditing(const QString& text = {});
  bool isEditing() const;
  void copy();
  void paste();

  int barCount() const override;
  QString barText(int cell) const override;
  QString currentText() const override;
  QRect barRect(int cell) const override;
  QSize sizeHint() const override { return {480, 200}; }
  QSize minimumSizeHint() const override { return {200, 84}; }

Q_SIGNALS:
  void chosen(quint64 row, quint64 column);
  void scrolled();
  /// The user entered values; never empty.
  void entered(const QVector<ValueGrid::Entered>& values);
  /// A sentence for the user, such as why a value was refused; empty when the last one no longer applies.
  void message(const QString& text);

protected:
  bool event(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void scrollContentsBy(int, int) override {}

private:
  void measure();
  void choose(uint64_t row, uint64_t column, bool extend);
  std::optional<std::pair<uint64_t, uint64_t>> cellAt(QPoint point) const;
  QRect cellRect(uint64_t row, uint64_t column) const;
  view::GridRegion selection() const;
  QString textOf(uint64_t row, uint64_t column) const;
  QString describe(uint64_t row, uint64_t column) const;
  void finishEditing(bool accept);
  void checkTyped();
  void paintHeaders(QPainter& painter, const view::GridRegion& shown) const;
  void paintCell(QPainter& painter, uint64_t row, uint64_t column) const;

  std::shared_ptr<const view::GridSource> m_source;
  std::shared_ptr<const view::GridMap> m_map;
  std::optional<GridColors> m_colors;
  QHash<quint64, QString> m_changed;
  Nearest m_nearest;
  RowScroll m_down, m_over;
  uint64_t m_row = 0, m_column = 0;             ///< current cell
  uint64_t m_anchorRow = 0, m_anchorColumn = 0; ///< other end of the selection
  int m_rowHeight = 24, m_columnWidth = 100, m_labelWidth = 64;
  bool m_sized = false; ///< was laid out, so that it is known what fits
  QLineEdit* m_editor = nullptr;
  QWidget* m_hint = nullptr; ///< what would be stored
};

} // namespace blobscope::ui
