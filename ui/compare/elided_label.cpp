#include "ui/compare/elided_label.h"

#include "ui/text/plain_text.h"

#include <QPainter>

#include <algorithm>

namespace blobscope::ui {

ElidedLabel::ElidedLabel(TextRole size, Role color, bool bold, QWidget* parent)
    : QWidget(parent), m_size(size), m_color(color), m_bold(bold) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

QFont ElidedLabel::labelFont() const {
  QFont font = textFont(m_size);
  if (m_bold) font.setWeight(QFont::DemiBold);
  return font;
}

void ElidedLabel::setText(const QString& text) {
  m_text = plainLine(text);
  setAccessibleName(plainLine(text));
  setToolTip(plainTip(text));
  updateGeometry();
  update();
}

QSize ElidedLabel::sizeHint() const {
  const QFontMetrics metrics(labelFont());
  return {metrics.horizontalAdvance(m_text) + 2, metrics.height() + 2};
}

QSize ElidedLabel::minimumSizeHint() const { return {std::min(sizeHint().width(), 60), sizeHint().height()}; }

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QFont font = labelFont();
  painter.setFont(font);
  painter.setPen(theme().color(m_color));
  painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetrics(font).elidedText(m_text, Qt::ElideMiddle, width()));
}

} // namespace blobscope::ui
