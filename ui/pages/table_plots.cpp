#include "ui/pages/table_plots.h"

#include "ui/text/core_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/plot_view.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/segments.h"

#include <QBoxLayout>
#include <QPainter>

#include <algorithm>

namespace blobscope::ui {
namespace {

/// The width from which two plots are beside each other, and the height from which they are below each other.
constexpr int kTwoBeside = 660, kTwoBelow = 420;

} // namespace

TablePlots::TablePlots(QWidget* parent)
    : QWidget(parent), m_layout(new QBoxLayout(QBoxLayout::LeftToRight, this)), m_all(new PlotView(this)) {
  m_layout->setContentsMargins(0, 0, 0, 0);
  m_layout->setSpacing(0);
  m_layout->addWidget(m_all, 5);
  m_rule = new Rule(Qt::Vertical, this);
  m_layout->addWidget(m_rule);
  m_right = new QWidget(this);
  auto* const column = new QVBoxLayout(m_right);
  column->setContentsMargins(0, 0, 0, 6);
  column->setSpacing(2);
  m_one = new PlotView(m_right);
  column->addWidget(m_one, 1);
  m_empty = new ThemeLabel(tr("Select a kernel to see its occupancy."), TextRole::Body, Role::Secondary, m_right);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  column->addWidget(m_empty, 1);
  auto* const foot = new QHBoxLayout;
  foot->setContentsMargins(12, 0, 12, 0);
  m_choices = new Segments(tr("Occupancy by"), m_right);
  foot->addStretch();
  foot->addWidget(m_choices);
  foot->addStretch();
  column->addLayout(foot);
  m_layout->addWidget(m_right, 4);
  connect(m_all, &PlotView::chosen, this, &TablePlots::chosen);
  connect(m_choices, &Segments::chosen, this, &TablePlots::showRowPlot);
  setRow({}, std::nullopt);
}

void TablePlots::setAll(const view::PlotPage& page) {
  m_hasAll = !page.plots.empty();
  if (m_hasAll) m_all->setPlot(page.plots.front());
}

void TablePlots::setRow(const view::PlotPage& page, std::optional<view::PlotPage::Point> point) {
  m_all->setMarked(std::move(point));
  const int before = std::max(m_choices->current(), 0);
  const bool sameChoices = page.plots.size() == m_row.plots.size() && !page.plots.empty();
  m_row = page;
  if (!sameChoices) {
    QStringList names;
    for (const view::PlotPage::Plot& plot : page.plots) names << coreText(plot.x.title);
    m_choices->setChoices(names);
    m_choices->setCurrent(before < static_cast<int>(page.plots.size()) ? before : 0);
  }
  m_choices->setVisible(page.plots.size() > 1);
  m_one->setVisible(!page.plots.empty());
  m_empty->setVisible(page.plots.empty());
  showRowPlot();
}

void TablePlots::showRowPlot() {
  if (m_row.plots.empty()) return;
  const auto current = static_cast<std::size_t>(std::max(m_choices->current(), 0));
  m_one->setPlot(m_row.plots[std::min(current, m_row.plots.size() - 1)]);
}

void TablePlots::arrange() {
  const bool beside = width() >= kTwoBeside;
  m_layout->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  const bool two = beside || height() >= kTwoBelow;
  m_right->setVisible(two);
  m_rule->setVisible(beside);
}

void TablePlots::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme().color(Role::Base));
}

void TablePlots::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

} // namespace blobscope::ui
