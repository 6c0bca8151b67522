#pragma once

#include "core/base/extent.h"
#include "core/diff/bytes.h"

#include <QWidget>

namespace blobscope::ui {

/// Where two byte strings differ, to scale: differing parts in the colour of changes, what only one side has hatched, a
/// frame around what is visible. A click goes there, the arrows go to the part beside it.
class ByteMap : public QWidget {
  Q_OBJECT
public:
  explicit ByteMap(const diff::ByteDiff& bytes, QWidget* parent = nullptr);
  /// What the views below show.
  void setVisibleBytes(Extent bytes);
  QSize sizeHint() const override;
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
