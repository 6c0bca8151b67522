#pragma once

#include "core/base/extent.h"
#include "core/diff/bytes.h"
#include "ui/widgets/charts/bars_accessible.h"

#include <QWidget>

namespace blobscope::ui {

/// Shows to scale where two byte strings differ: differing ranges in the colour of changes, bytes that only one side
/// has hatched, and a frame around the visible bytes. A click goes to a place; the arrow keys go to the previous or
/// next range.
class ByteMap : public QWidget, public AccessibleBars {
  Q_OBJECT
public:
  explicit ByteMap(const diff::ByteDiff& bytes, QWidget* parent = nullptr);
  /// The bytes that the views below show.
  void setVisibleBytes(Extent bytes);
  QSize sizeHint() const override;
  /// The differing ranges, as far as they are listed.
  int barCount() const override { return static_cast<int>(m_bytes.ranges.size()); }
  QString barText(int bar) const override;
  QRect barRect(int bar) const override;
  QSize minimumSizeHint() const override;

Q_SIGNALS:
  void wanted(quint64 offset);

protected:
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

private:
  uint64_t size() const { return m_bytes.sizeA > m_bytes.sizeB ? m_bytes.sizeA : m_bytes.sizeB; }
  QRect bar() const;
  double xOf(uint64_t offset) const;
  void goTo(int x);

  diff::ByteDiff m_bytes;
  Extent m_visible;
};

} // namespace blobscope::ui
