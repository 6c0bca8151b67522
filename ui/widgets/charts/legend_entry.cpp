#include "ui/widgets/charts/legend_entry.h"

#include "ui/widgets/labels.h"

#include <QHBoxLayout>
#include <QPainter>

namespace blobscope::ui {
namespace {

constexpr int kLegendSquare = 10;

} // namespace

LegendEntry::LegendEntry(const QString& name, Role role, QWidget* parent) : QWidget(parent), m_role(role) {
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(kLegendSquare + 6, 0, 14, 0);
  layout->addWidget(new ThemeLabel(name, TextRole::Secondary, Role::Secondary, this));
}

void LegendEntry::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const int left = layoutDirection() == Qt::RightToLeft ? width() - kLegendSquare : 0;
  painter.fillRect(QRect(left, (height() - kLegendSquare) / 2, kLegendSquare, kLegendSquare), theme().color(m_role));
}

} // namespace blobscope::ui
