#include "ui/widgets/charts/plan_bar.h"

#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kBarTop = 2, kGap = 8, kPadding = 10;
constexpr double kSmallest = 2; ///< pixels, so that every part is visible

quint64 sumOf(const std::vector<PlanBar::Part>& parts) {
  quint64 sum = 0;
  for (const PlanBar::Part& part : parts) sum += part.size;
  return sum;
}

int rowHeight() { return std::max(22, QFontMetrics(textFont(TextRole::Secondary)).height() + 4); }
int rowStep() { return rowHeight() + 6; }

} // namespace

PlanBar::PlanBar(QWidget* parent) : QWidget(parent) {
  setLayoutDirection(Qt::LeftToRight); // an axis of bytes
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("The file before and after"));
}

QString PlanBar::word(Kind kind) {
  switch (kind) {
  case Kind::Blob: return tr("blob");
  case Kind::DeadBlob: return tr("old blob (kept, no longer used)");
  case Kind::NewBlob: return tr("new blob");
  case Kind::Other: break;
  }
  return tr("other parts of the file");
}

QString PlanBar::describe(const std::vector<Part>& parts) {
  QStringList words;
  quint64 at = 0;
  for (const Part& part : parts) {
    if (part.kind != Kind::Other)
      words << tr("%1, %2 from 0x%3").arg(word(part.kind), bytesText(part.size)).arg(at, 0, 16);
    at += part.size;
  }
  words.prepend(bytesText(at));
  return words.join(QStringLiteral("; "));
}

void PlanBar::setParts(std::vector<Part> before, std::vector<Part> after) {
  m_before = std::move(before);
  m_after = std::move(after);
  m_scale = std::max(sumOf(m_before), sumOf(m_after));
  setAccessibleDescription(plainLines(tr("Before: %1. After: %2.").arg(describe(m_before), describe(m_after))));
  update();
}

QSize PlanBar::sizeHint() const { return {600, rowStep() + rowHeight() + 2}; }
QSize PlanBar::minimumSizeHint() const { return {300, sizeHint().height()}; }

QRectF PlanBar::bar(int row) const {
  const QFontMetrics metrics(textFont(TextRole::Secondary));
  const int left =
      std::max(48, std::max(metrics.horizontalAdvance(tr("Before")), metrics.horizontalAdvance(tr("After")))) + kGap;
  const int right = std::max(116, metrics.horizontalAdvance(bytesText(m_scale))) + kGap;
  return QRectF(left, row * rowStep() + kBarTop, std::max(1, width() - left - right), rowHeight() - 2 * kBarTop);
}

std::pair<double, double> PlanBar::ends(const std::vector<Part>& parts, int row, std::size_t part) const {
  const QRectF box = bar(row);
  quint64 at = 0;
  for (std::size_t i = 0; i < part; ++i) at += parts[i].size;
  const auto x = [&](quint64 offset) {
    return m_scale == 0 ? box.left()
                        : box.left() + box.width() * static_cast<double>(offset) / static_cast<double>(m_scale);
  };
  const double from = std::min(x(at), box.right() - kSmallest);
  return {from, std::max(x(at + parts[part].size), from + kSmallest)};
}

void PlanBar::paintParts(QPainter& painter, const std::vector<Part>& parts, int row) const {
  const Theme& look = theme();
  const QRectF box = bar(row);
  const QFont font = textFont(TextRole::Chip);
  const QFontMetricsF metrics(font);
  painter.setFont(font);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [from, to] = ends(parts, row, i);
    QColor color = look.color(Role::KindDevice);
    if (parts[i].kind == Kind::Other) (color = look.color(Role::KindContainer)).setAlphaF(0.45F);
    if (parts[i].kind == Kind::DeadBlob) (color = look.color(Role::Faint)).setAlphaF(0.22F);
    const QRectF place(from, box.top(), std::max(kSmallest, to - from - 1.5), box.height());
    painter.fillRect(place, color);
    if (parts[i].kind == Kind::Other) continue;
    const double room = place.width() - 2 * kPadding;
    const QString text = metrics.elidedText(word(parts[i].kind), Qt::ElideRight, room);
    if (room < metrics.horizontalAdvance(QStringLiteral("blob"))) continue;
    painter.setPen(look.color(parts[i].kind == Kind::DeadBlob ? Role::Secondary : Role::OnAccent));
    painter.drawText(place.adjusted(kPadding, 0, -kPadding, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
  }
}

void PlanBar::paintEvent(QPaintEvent*) {
  if (m_scale == 0) return;
  QPainter painter(this);
  painter.setLayoutDirection(layoutDirection());
  const Theme& look = theme();
  for (int row = 0; row < 2; ++row) {
    const std::vector<Part>& parts = row == 0 ? m_before : m_after;
    painter.setFont(textFont(TextRole::Secondary));
    const QRectF line(0, row * rowStep(), width(), rowHeight());
    painter.setPen(look.color(Role::Secondary));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, row == 0 ? tr("Before") : tr("After"));
    painter.setPen(look.color(Role::Text));
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, bytesText(sumOf(parts)));
    paintParts(painter, parts, row);
  }
}

bool PlanBar::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  for (int row = 0; row < 2; ++row) {
    const std::vector<Part>& parts = row == 0 ? m_before : m_after;
    quint64 at = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto [from, to] = ends(parts, row, i);
      if (QRectF(from, bar(row).top(), to - from, bar(row).height()).contains(help->pos())) {
        QToolTip::showText(
            help->globalPos(),
            plainTip(tr("%1: %2 from 0x%3").arg(word(parts[i].kind), bytesText(parts[i].size)).arg(at, 0, 16)), this);
        return true;
      }
      at += parts[i].size;
    }
  }
  QToolTip::hideText();
  event->ignore();
  return true;
}

} // namespace blobscope::ui
