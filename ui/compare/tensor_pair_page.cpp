#include "ui/compare/tensor_pair_page.h"

#include "core/base/text.h"
#include "core/diff/details.h"
#include "ui/compare/difference_map.h"
#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/scroll_area.h"

#include <QGridLayout>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kChartHeight = 180, kAxis = 20;
constexpr double kWidestBar = 48;

QString grouped(uint64_t number) { return toQt(groupedText(number)); }
QString number(double value) { return toQt(diff::differenceText(value)); }

QString placeText(const diff::TensorPlace& place) {
  QStringList at;
  for (const uint64_t index : place.at) at << QString::number(index);
  return TensorPairPage::tr("[%1]: %2 → %3").arg(at.join(QStringLiteral(", ")), toQt(place.a), toQt(place.b));
}

} // namespace

QVector<std::pair<QString, QString>> TensorPairPage::factsOf(const diff::TensorDiff& numbers) {
  QVector<std::pair<QString, QString>> out;
  if (!numbers.note.empty()) out << std::pair(numbers.compared ? tr("Note") : tr("Not compared"), toQt(numbers.note));
  if (!numbers.compared) return out;
  out << std::pair(tr("Values"), grouped(numbers.count));
  const double share =
      numbers.count > 0 ? 100.0 * static_cast<double>(numbers.differing) / static_cast<double>(numbers.count) : 0.0;
  out << std::pair(tr("Values that differ"),
                   numbers.differing == 0 ? tr("none")
                                          : tr("%1 (%2 %)").arg(grouped(numbers.differing)).arg(share, 0, 'f', 1));
  out << std::pair(tr("Bytes that differ"), numbers.bytesDiffering == 0 ? tr("none") : grouped(numbers.bytesDiffering));
  if (numbers.differing > 0) {
    if (numbers.maxAbsolute > 0) {
      out << std::pair(tr("Largest difference"),
                       tr("%1 at %2").arg(number(numbers.maxAbsolute), placeText(numbers.maxAbsoluteAt)));
      out << std::pair(tr("Largest relative difference"),
                       tr("%1 at %2").arg(number(numbers.maxRelative), placeText(numbers.maxRelativeAt)));
      out << std::pair(tr("Mean difference"), number(numbers.meanAbsolute));
      out << std::pair(tr("Root mean square"), number(numbers.rootMeanSquare));
    }
    out << std::pair(tr("First difference"), placeText(numbers.first));
  }
  if (numbers.withoutDifference > 0)
    out << std::pair(tr("Values without a numeric difference"), grouped(numbers.withoutDifference));
  if (numbers.nansA > 0 || numbers.nansB > 0)
    out << std::pair(tr("NaN"), tr("%1 in A, %2 in B").arg(grouped(numbers.nansA), grouped(numbers.nansB)));
  if (numbers.infinitiesA > 0 || numbers.infinitiesB > 0)
    out << std::pair(tr("Infinities"),
                     tr("%1 in A, %2 in B").arg(grouped(numbers.infinitiesA), grouped(numbers.infinitiesB)));
  return out;
}

TensorPairPage::TensorPairPage(const diff::TensorDiff& numbers, QWidget* parent, const std::optional<Tensors>& tensors)
    : PairPage(parent) {
  auto* const outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* const scroll = new ScrollArea(this);
  scroll->setAccessibleName(tr("Numbers of both tensors"));
  outer->addWidget(scroll);
  setFocusProxy(scroll);
  auto* const content = new QWidget;
  content->setBackgroundRole(QPalette::Base);
  content->setAutoFillBackground(true);
  auto* const layout = new QVBoxLayout(content);
  layout->setContentsMargins(24, 24, 24, 24);
  layout->setSpacing(12);
  auto* const card = new Panel(Role::Alternate, std::nullopt, content);
  auto* const grid = new QGridLayout(card);
  grid->setContentsMargins(14, 12, 14, 12);
  grid->setHorizontalSpacing(16);
  grid->setVerticalSpacing(6);
  grid->setColumnStretch(1, 1);
  int row = 0;
  for (const auto& [label, value] : factsOf(numbers)) {
    auto* const name = new ThemeLabel(label, TextRole::Secondary, Role::Secondary, card);
    name->setMinimumWidth(112);
    grid->addWidget(name, row, 0, Qt::AlignTop);
    auto* const text = new ThemeLabel(value, TextRole::Body, Role::Text, card);
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    text->setAccessibleName(plainLine(label + QStringLiteral(": ") + value));
    grid->addWidget(text, row++, 1);
  }
  layout->addWidget(card);
  // Without order there are no differences to draw.
  if (tensors && numbers.compared && numbers.maxAbsolute > 0)
    layout->addWidget(new DifferenceMap(tensors->jobs, *tensors->a, *tensors->b, numbers, content));
  if (!numbers.histogram.empty()) {
    layout->addSpacing(8);
    layout->addWidget(new ThemeLabel(tr("Differences by size"), TextRole::Heading, Role::Text, content));
    layout->addWidget(new DifferenceChart(numbers.histogram, content));
  }
  layout->addStretch();
  scroll->setWidget(content);
}

DifferenceChart::DifferenceChart(const std::vector<diff::DifferenceBin>& bins, QWidget* parent)
    : QWidget(parent), m_bins(bins) {
  QStringList words;
  for (const diff::DifferenceBin& bin : m_bins) {
    m_largest = std::max(m_largest, bin.count);
    if (bin.count > 0) words << describe(bin);
  }
  setAccessibleName(tr("Differences by size"));
  setAccessibleDescription(plainLines(words.join(QStringLiteral("; "))));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QString DifferenceChart::describe(const diff::DifferenceBin& bin) {
  return tr("%1 from %2 to %3").arg(grouped(bin.count), number(bin.from), number(bin.to));
}

QSize DifferenceChart::sizeHint() const { return {480, kChartHeight}; }
QSize DifferenceChart::minimumSizeHint() const { return {200, kChartHeight}; }

double DifferenceChart::barWidth() const {
  return std::min(static_cast<double>(width()) / static_cast<double>(std::max<std::size_t>(m_bins.size(), 1)),
                  kWidestBar);
}

bool DifferenceChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const auto bin = static_cast<std::size_t>(std::max(help->x() / barWidth(), 0.0));
  if (bin < m_bins.size())
    QToolTip::showText(help->globalPos(), plainTip(describe(m_bins[bin])), this);
  else
    QToolTip::hideText();
  return true;
}

void DifferenceChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& look = theme();
  const QFont font = textFont(TextRole::Chip);
  const QFontMetrics metrics(font);
  painter.setFont(font);
  const double wide = barWidth(), bottom = height() - kAxis;
  painter.fillRect(QRectF(0, bottom, wide * static_cast<double>(m_bins.size()), 1), look.color(Role::Rule));
  double free = 0;
  for (std::size_t i = 0; i < m_bins.size(); ++i) {
    const double left = static_cast<double>(i) * wide,
                 share = static_cast<double>(m_bins[i].count) / static_cast<double>(std::max<uint64_t>(m_largest, 1));
    const double tall = m_bins[i].count > 0 ? std::max(share * (bottom - metrics.height() - 2), 2.0) : 0;
    painter.fillRect(QRectF(left + 1, bottom - tall, std::max(wide - 2, 1.0), tall), look.color(Role::Changed));
    if (m_bins[i].count == m_largest) {
      painter.setPen(look.color(Role::Secondary));
      painter.drawText(QPointF(left + 1, bottom - tall - 4), grouped(m_bins[i].count));
    }
    // The lower bound of each bar, where its text has room.
    const QString from = number(m_bins[i].from);
    if (left < free) continue;
    painter.setPen(look.color(Role::Secondary));
    painter.drawText(QPointF(left + 1, height() - 5), from);
    free = left + metrics.horizontalAdvance(from) + 12;
  }
}

} // namespace blobscope::ui
