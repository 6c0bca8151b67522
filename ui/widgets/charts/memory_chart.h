#pragma once

#include "core/view/plan_page.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/bars_accessible.h"

#include <QVector>
#include <QWidget>

#include <cstdint>

namespace blobscope::ui {

/// A memory plan over its instructions: what the storages reserve and what is in use, the parts that exist all the
/// time, and below, on the same axis, the storages with their tensors. A line marks the peak.
///
/// Left and right move a marked instruction, up and down select a storage.
class MemoryChart : public QWidget, public AccessibleBars {
  Q_OBJECT
public:
  explicit MemoryChart(QWidget* parent = nullptr);
  void setPlan(view::PlanPagePtr plan);
  /// Whether all parts are stacked on one scale, or the parts that do not change are strips.
  void setToScale(bool toScale);
  const view::PlanPagePtr& plan() const { return m_plan; }
  /// The selected storage, in PlanPage::storages; -1 for none.
  int currentStorage() const { return m_storage; }
  uint64_t markedInstruction() const { return m_marked; }
  /// The storages as bars.
  int barCount() const override { return rows(); }
  QString barText(int bar) const override { return storageText(bar); }
  QString currentText() const override;
  QRect barRect(int bar) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

  static Role roleOf(view::PlanPage::Kind kind);
  /// The part in one line: "KV cache, 2 GiB".
  static QString textOf(const view::PlanPage::Part& part);
  /// Fills with the colour of a part, as in the chart.
  static void fill(QPainter& painter, const QRectF& place, view::PlanPage::Kind kind);

Q_SIGNALS:
  /// What the marked instruction or the selected storage has.
  void described(const QString& text);
  void storageSelected(int storage);

protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

private:
  /// The parts that exist all the time.
  std::vector<view::PlanPage::Part> constantParts() const;
  int rows() const; ///< of storages
  QRectF plot() const;
  int stripsTop() const;
  int storagesTop() const;
  double xOf(uint64_t instruction) const;
  uint64_t instructionAt(double x) const;
  int storageAt(QPoint place) const;
  uint64_t base() const; ///< bytes below the storages
  double yOf(uint64_t bytes) const;
  QString stepText(uint64_t instruction) const;
  QString storageText(int storage) const;
  void select(int storage);
  void mark(uint64_t instruction);
  void describe();
  void paintAxes(QPainter& painter) const;
  void paintAmounts(QPainter& painter) const;
  void paintStrips(QPainter& painter) const;
  void paintPeak(QPainter& painter) const;
  void paintStorages(QPainter& painter) const;
  void paintStorage(QPainter& painter, const view::PlanPage::Storage& storage, int top, bool selected) const;
  void paintUses(QPainter& painter, const view::PlanPage::Storage& storage, const QRectF& box,
                 const QColor& color) const;

  view::PlanPagePtr m_plan;
  bool m_toScale = false;
  int m_storage = -1;
  uint64_t m_marked = 0;
};

} // namespace blobscope::ui
