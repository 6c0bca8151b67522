#include "ui/widgets/charts/bar_chart.h"

#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"

#include <QHelpEvent>
#include <QLocale>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <array>

namespace blobscope::ui {
namespace {

constexpr int kBarHeight = 14, kGap = 12, kNames = 300;
constexpr double kSmallest = 2; ///< pixels, so that every part is visible

QString groupedNumber(quint64 bytes) { return QLocale(QLocale::English).toString(bytes); }
int rowHeight() { return std::max(metrics::rowHeight(), kBarHeight + 8); }

} // namespace

BarChart::BarChart(const view::BarsPage::Group& group, Colors colors, QWidget* parent)
    : QWidget(parent), m_group(group), m_colors(std::move(colors)) {
  QStringList words;
  for (const view::BarsPage::Bar& bar : m_group.bars) {
    m_largest = std::max<quint64>(m_largest, bar.bytes());
    words << describe(bar);
  }
  setAccessibleName(plainLine(coreText(m_group.title)));
  setAccessibleDescription(plainLines(words.join(QStringLiteral("; "))));
  installAccessibleBars();
  setLayoutDirection(Qt::LeftToRight); // an axis of bytes
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

BarChart::Colors BarChart::colorsOf(const view::BarsPage& page) {
  constexpr std::array kRoles = {Role::KindDevice, Role::KindHost,      Role::KindData,
                                 Role::KindVm,     Role::KindContainer, Role::KindUnknown};
  Colors colors;
  for (const view::BarsPage::Group& group : page.groups)
    for (const view::BarsPage::Bar& bar : group.bars)
      for (const view::BarsPage::Part& part : bar.parts)
        if (const QString name = toQt(part.name); !colors.contains(name))
          colors.insert(name, kRoles[static_cast<std::size_t>(colors.size()) % kRoles.size()]);
  return colors;
}

void BarChart::setBudget(std::optional<quint64> budget) {
  m_budget = budget;
  update();
}

QString BarChart::describe(const view::BarsPage::Bar& bar) {
  QStringList parts;
  for (const view::BarsPage::Part& part : bar.parts)
    parts << tr("%1 %2").arg(coreText(part.name), bytesText(part.bytes));
  QString text = tr("%1: %2").arg(toQt(bar.name), bytesText(bar.bytes()));
  if (parts.size() > 1) text += QStringLiteral(" (%1)").arg(parts.join(QStringLiteral(", ")));
  if (!bar.note.empty()) text += QStringLiteral(", ") + toQt(bar.note);
  return text;
}

QSize BarChart::sizeHint() const { return {600, rowHeight() * static_cast<int>(m_group.bars.size()) + 2}; }
QSize BarChart::minimumSizeHint() const { return {260, sizeHint().height()}; }

QRect BarChart::barRect(int bar) const { return {0, bar * rowHeight(), width(), rowHeight()}; }

int BarChart::rowAt(int y) const {
  const int row = y / rowHeight();
  return row >= 0 && row < static_cast<int>(m_group.bars.size()) ? row : -1;
}

bool BarChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  if (const int row = rowAt(help->y()); row >= 0)
    QToolTip::showText(help->globalPos(), plainTip(describe(m_group.bars[static_cast<std::size_t>(row)])), this);
  else
    QToolTip::hideText();
  return true;
}

void BarChart::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  painter.setLayoutDirection(layoutDirection());
  const QFont body = textFont(TextRole::Body);
  const QFontMetrics metrics(body);
  int widest = 0;
  for (const view::BarsPage::Bar& bar : m_group.bars)
    widest = std::max(widest, metrics.horizontalAdvance(toQt(bar.name)) + 2);
  const int names = std::min({widest, kNames, width() / 3});
  const int numbers = metrics.horizontalAdvance(groupedNumber(std::max<quint64>(m_largest, 1'000)));
  const double left = names + kGap, right = width() - numbers - kGap;
  if (right - left < 20) return;
  const double most = static_cast<double>(std::max<quint64>({m_largest, m_budget.value_or(0), 1}));
  const auto place = [&](quint64 bytes) { return left + (right - left) * (static_cast<double>(bytes) / most); };

  const int first = std::max(rowAt(event->rect().top()), 0);
  for (int row = first; row < static_cast<int>(m_group.bars.size()) && row * rowHeight() <= event->rect().bottom();
       ++row) {
    const view::BarsPage::Bar& bar = m_group.bars[static_cast<std::size_t>(row)];
    const QRect line(0, row * rowHeight(), width(), rowHeight());
    const quint64 bytes = bar.bytes();
    const bool over = m_budget && bytes > *m_budget;
    painter.setFont(body);
    painter.setPen(theme().color(Role::Text));
    painter.drawText(QRect(0, line.top(), names, line.height()), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(toQt(bar.name), Qt::ElideMiddle, names));
    const double top = line.top() + (line.height() - kBarHeight) / 2.0;
    painter.fillRect(QRectF(left, top, right - left, kBarHeight), theme().color(Role::Header));
    quint64 sum = 0;
    for (const view::BarsPage::Part& part : bar.parts) {
      if (part.bytes == 0) continue;
      const double from = place(sum);
      sum += std::min<quint64>(part.bytes, bytes - sum);
      painter.fillRect(QRectF(from, top, std::max(place(sum) - from - 1, kSmallest), kBarHeight),
                       theme().color(m_colors.value(toQt(part.name), Role::KindUnknown)));
    }
    if (over)
      painter.fillRect(QRectF(place(*m_budget), top + kBarHeight, place(bytes) - place(*m_budget), 2),
                       theme().color(Role::Error));
    painter.setPen(theme().color(over ? Role::Error : Role::Text));
    painter.drawText(QRectF(right + kGap, line.top(), numbers, line.height()), Qt::AlignRight | Qt::AlignVCenter,
                     groupedNumber(bytes));
  }
  if (m_budget) {
    painter.setPen(QPen(theme().color(m_largest > *m_budget ? Role::Error : Role::Ok), 1.5));
    const double at = place(*m_budget);
    painter.drawLine(QPointF(at, 0), QPointF(at, height()));
  }
}

} // namespace blobscope::ui
