#include "ui/pages/plan_summary.h"

#include "core/base/text.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/memory_chart.h"

#include <QLocale>
#include <QPainter>

#include <algorithm>

namespace blobscope::ui {
namespace {
constexpr int kBarHigh = 16, kPlanLine = 19, kTop = 6;
} // namespace

PlanSummary::PlanSummary(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  setAccessibleName(tr("Parts of the memory at the peak"));
}

void PlanSummary::setPlan(view::PlanPagePtr plan) {
  m_plan = std::move(plan);
  QStringList words;
  for (const view::PlanPage::Part& part : m_plan->parts) words << MemoryChart::textOf(part);
  setAccessibleDescription(plainLines(words.join(QStringLiteral("; "))));
  updateGeometry();
  update();
}

QSize PlanSummary::sizeHint() const {
  const auto lines = m_plan ? static_cast<int>(m_plan->parts.size()) : 4;
  return {380, kTop + kBarHigh + 8 + lines * kPlanLine + 4};
}
QSize PlanSummary::minimumSizeHint() const { return {260, sizeHint().height()}; }

void PlanSummary::paintEvent(QPaintEvent*) {
  if (!m_plan) return;
  QPainter painter(this);
  painter.setLayoutDirection(Qt::LeftToRight);
  const double all = std::max<double>(1, static_cast<double>(m_plan->peak));
  double left = 0;
  for (const view::PlanPage::Part& part : m_plan->parts) {
    const double wide = static_cast<double>(part.bytes.value_or(0)) / all * width();
    MemoryChart::fill(painter, QRectF(left, kTop, std::max(0.0, wide - 1), kBarHigh), part.kind);
    left += wide;
  }
  painter.setFont(textFont(TextRole::Secondary));
  const int shares = painter.fontMetrics().horizontalAdvance(QStringLiteral("100.0 %")) + 10;
  int top = kTop + kBarHigh + 8;
  for (const view::PlanPage::Part& part : m_plan->parts) {
    MemoryChart::fill(painter, QRectF(0, top + 5, 9, 9), part.kind);
    const QString bytes = part.bytes ? toQt(groupedText(*part.bytes)) : tr("not known");
    const int wide = painter.fontMetrics().horizontalAdvance(bytes);
    painter.setPen(theme().color(Role::Text));
    const int room = std::max(20, width() - shares - wide - 26);
    painter.drawText(QRect(16, top, room, kPlanLine), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(coreText(part.name), Qt::ElideRight, room));
    painter.drawText(QRect(0, top, width() - shares, kPlanLine), Qt::AlignRight | Qt::AlignVCenter, bytes);
    painter.setPen(theme().color(Role::Secondary));
    const QString share =
        part.bytes ? QLocale(QLocale::English).toString(100 * static_cast<double>(*part.bytes) / all, 'f', 1) +
                         QStringLiteral(" %")
                   : QStringLiteral("–");
    painter.drawText(QRect(0, top, width(), kPlanLine), Qt::AlignRight | Qt::AlignVCenter, share);
    top += kPlanLine;
  }
}

} // namespace blobscope::ui
