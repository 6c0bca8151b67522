#pragma once

#include "core/base/entropy.h"
#include "core/base/extent.h"
#include "core/view/page.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/bars_accessible.h"

#include <QWidget>

#include <vector>

namespace blobscope::ui {

/// The parts of a range of bytes to scale, with a legend below: their names and sizes. Unknown bytes are hatched. A
/// frame shows what is visible in the hex view. A click, or an arrow key, jumps to a part. A strip may show the entropy
/// of the bytes, from 0 to 8 bits per byte; blocks from 7 bits on, which are probably compressed or encrypted, stand
/// out.
class CoverageBar : public QWidget, public AccessibleBars {
  Q_OBJECT
public:
  explicit CoverageBar(QWidget* parent = nullptr);
  /// `size` is the total number of bytes; the spans tile it. `roles`: the colour of each span; if empty, the largest
  /// parts get the most distinct colours.
  void setSpans(std::vector<view::Span> spans, quint64 size, const std::vector<Role>& roles = {});
  void setVisibleBytes(Extent bytes);
  /// Makes room for a strip below the parts.
  void expectEntropy();
  /// Shows the entropy of the bytes there.
  void setEntropy(EntropyBlocks blocks);
  bool hasEntropy() const { return !m_entropy.bits.empty(); }
  const std::vector<view::Span>& spans() const { return m_spans; }
  QSize sizeHint() const override;
  int barCount() const override { return static_cast<int>(m_spans.size()); }
  QString barText(int bar) const override;
  QRect barRect(int bar) const override;
  QSize minimumSizeHint() const override { return {200, sizeHint().height()}; }

Q_SIGNALS:
  /// `offset` counts from the first byte.
  void jumped(quint64 offset);

protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  QRectF bar() const;
  double xOf(quint64 offset) const;
  quint64 offsetAt(double x) const;
  QColor colorOf(std::size_t span) const;

  /// The strip below the parts.
  QRectF strip() const;
  /// The lower edge of what a click jumps to.
  double axisBottom() const;
  double legendTop() const;
  void paintEntropy(QPainter& painter) const;
  /// "5.2 bits per byte, 1.0 KiB at 0x5000".
  QString entropyText(quint64 offset) const;

  EntropyBlocks m_entropy;
  bool m_hasStrip = false;
  std::vector<view::Span> m_spans;
  std::vector<Role> m_colors; ///< of each span; spans with the same name share a colour
  quint64 m_size = 0;
  Extent m_visible;
};

} // namespace blobscope::ui
