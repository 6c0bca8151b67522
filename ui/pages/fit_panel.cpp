#include "ui/pages/fit_panel.h"

#include "core/base/text.h"
#include "ui/pages/answer_banner.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/charts/legend_entry.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/labels.h"

#include <QBoxLayout>
#include <QResizeEvent>

#include <vector>

namespace blobscope::ui {
namespace {

/// The width from which the memories are side by side.
constexpr int kFitBesideFrom = 640;

/// The group as the chart draws it: one bar.
view::BarsPage::Group barsOfGroup(const view::MemoryFit::Group& group, const QString& name) {
  view::BarsPage::Bar bar{fromQt(name), {}, {}, {}};
  for (const view::MemoryFit::Part& part : group.parts) bar.parts.push_back({part.name, part.bytes});
  return {group.title, {}, {}, {std::move(bar)}};
}

} // namespace

FitPanel::FitPanel(QWidget* parent) : ScrollArea(parent) {
  setAccessibleName(tr("Memory and limits"));
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

void FitPanel::showFit(const view::MemoryFit& fit) {
  auto* const content = new QWidget;
  content->setBackgroundRole(QPalette::Base);
  content->setAutoFillBackground(true);
  auto* const layout = new QVBoxLayout(content);
  layout->setContentsMargins(12, 4, 12, 10);
  layout->setSpacing(10);
  auto* const banner = new AnswerBanner(content);
  banner->copyButton().hide();
  banner->showAnswer(fit.state, toQt(fit.sentence), toQt(fit.detail));
  layout->addWidget(banner);
  m_groups = new QBoxLayout(QBoxLayout::LeftToRight);
  m_groups->setSpacing(24);
  view::BarsPage bars;
  for (const view::MemoryFit::Group& group : fit.groups) bars.groups.push_back(barsOfGroup(group, tr("needed")));
  const BarChart::Colors colors = BarChart::colorsOf(bars);
  for (std::size_t i = 0; i < fit.groups.size(); ++i)
    m_groups->addWidget(makeGroup(fit.groups[i], bars.groups[i], colors, content), 1);
  layout->addLayout(m_groups);
  layout->addStretch();
  setWidget(content); // deletes the one before
  arrange();
}

QWidget* FitPanel::makeGroup(const view::MemoryFit::Group& group, const view::BarsPage::Group& bars,
                             const BarChart::Colors& colors, QWidget* parent) const {
  auto* const box = new QWidget(parent);
  auto* const layout = new QVBoxLayout(box);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  auto* const head = new QHBoxLayout;
  head->addWidget(new ThemeLabel(coreText(group.title), TextRole::Heading, Role::Text, box));
  head->addStretch();
  if (group.limit) {
    const bool fits = group.bytes() <= *group.limit;
    const QString limit = toQt(shortSizeText(*group.limit));
    head->addWidget(
        new ThemeLabel(fits ? tr("%1 of %2 left").arg(toQt(shortSizeText(*group.limit - group.bytes())), limit)
                            : tr("%1 more than %2").arg(toQt(shortSizeText(group.bytes() - *group.limit)), limit),
                       TextRole::Secondary, fits ? Role::Ok : Role::Error, box));
  }
  layout->addLayout(head);
  if (!group.parts.empty()) {
    auto* const legend = new FlowLayout(0, 2);
    for (const view::MemoryFit::Part& part : group.parts) {
      auto* const entry = new LegendEntry(tr("%1 %2").arg(coreText(part.name), toQt(groupedText(part.bytes))),
                                          colors.value(toQt(part.name)), box);
      entry->setToolTip(plainTip(toQt(part.source)));
      legend->addWidget(entry);
    }
    layout->addLayout(legend);
  }
  auto* const chart = new BarChart(bars, colors, box);
  chart->setBudget(group.limit);
  layout->addWidget(chart);
  if (!group.note.empty()) {
    auto* const note = new ThemeLabel(toQt(group.note), TextRole::Secondary, Role::Secondary, box);
    note->setWordWrap(true);
    layout->addWidget(note);
  }
  layout->addStretch();
  return box;
}

QSize FitPanel::sizeHint() const {
  const int wide = viewport()->width();
  const QWidget* const content = widget();
  if (!content) return ScrollArea::sizeHint();
  const int high = content->hasHeightForWidth() ? content->heightForWidth(wide) : content->sizeHint().height();
  return {600, high};
}

void FitPanel::resizeEvent(QResizeEvent* event) {
  ScrollArea::resizeEvent(event);
  arrange();
}

void FitPanel::arrange() {
  if (m_groups)
    m_groups->setDirection(viewport()->width() >= kFitBesideFrom ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

} // namespace blobscope::ui
