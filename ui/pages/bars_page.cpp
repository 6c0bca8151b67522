#include "ui/pages/bars_page.h"

#include "core/base/text.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/charts/bar_chart.h"
#include "ui/widgets/charts/legend_entry.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/scroll_area.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QSettings>
#include <QVBoxLayout>

namespace blobscope::ui {
namespace {

QString settingOf(const QString& budget) { return QStringLiteral("budget/") + budget; }

/// Returns the names of a group's parts; null for a single part, which needs no legend.
QHBoxLayout* makeLegend(const view::BarsPage::Group& group, const BarChart::Colors& colors, QWidget* content) {
  QStringList names;
  for (const view::BarsPage::Bar& bar : group.bars)
    for (const view::BarsPage::Part& part : bar.parts)
      if (!names.contains(toQt(part.name))) names << toQt(part.name);
  if (names.size() <= 1) return nullptr;
  auto* const legend = new QHBoxLayout;
  legend->setSpacing(0);
  for (const QString& name : names)
    legend->addWidget(new LegendEntry(coreText(fromQt(name)), colors.value(name), content));
  legend->addStretch();
  return legend;
}

} // namespace

BarsPage::BarsPage(const view::BarsPage& page, const PageContext& context, QWidget* parent) : PageWidget(parent) {
  Q_UNUSED(context)
  setProperty("helpTopic", QStringLiteral("model-library-format"));
  auto* const outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* const scroll = new ScrollArea(this);
  scroll->setAccessibleName(tr("Memory"));
  outer->addWidget(scroll);
  setFocusProxy(scroll);
  scroll->setWidget(makeContent(page));
}

QWidget* BarsPage::makeContent(const view::BarsPage& page) {
  auto* const content = new QWidget;
  content->setBackgroundRole(QPalette::Base);
  content->setAutoFillBackground(true);
  auto* const layout = new QVBoxLayout(content);
  layout->setContentsMargins(24, 20, 24, 24);
  layout->setSpacing(8);

  const BarChart::Colors colors = BarChart::colorsOf(page);
  for (const view::BarsPage::Group& group : page.groups) {
    auto* const head = new QHBoxLayout;
    head->setSpacing(8);
    head->addWidget(new ThemeLabel(coreText(group.title), TextRole::Heading, Role::Text, content));
    head->addStretch();
    auto* const chart = new BarChart(group, colors, content);
    if (!group.budget.empty()) addBudget(toQt(group.budget), chart, head, content);
    layout->addLayout(head);
    if (QHBoxLayout* const legend = makeLegend(group, colors, content)) layout->addLayout(legend);
    layout->addWidget(chart);
    if (!group.note.empty()) {
      auto* const note = new ThemeLabel(coreText(group.note), TextRole::Secondary, Role::Secondary, content);
      note->setWordWrap(true);
      layout->addWidget(note);
    }
    layout->addSpacing(16);
  }
  layout->addStretch();
  return content;
}

/// Adds a field for the available memory, and a text about whether it is sufficient.
void BarsPage::addBudget(const QString& name, BarChart* chart, QHBoxLayout* head, QWidget* content) {
  auto* const verdict = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, content);
  auto* const field = new QLineEdit(QSettings().value(settingOf(name)).toString(), content);
  field->setPlaceholderText(tr("for example 256 KiB"));
  field->setAccessibleName(plainLine(tr("Budget of %1").arg(name)));
  field->setToolTip(tr("Available memory of the device in bytes, or with a unit: KiB, MiB, kB, MB"));
  field->setMaximumWidth(150);
  field->setProperty("budget", name);
  auto* const label = new ThemeLabel(tr("Budget"), TextRole::Secondary, Role::Secondary, content);
  head->addWidget(verdict);
  head->addSpacing(8);
  head->addWidget(label);
  head->addWidget(field);
  connect(field, &QLineEdit::textChanged, this, [this, field, chart, verdict] { setBudget(field, chart, verdict); });
  connect(field, &QLineEdit::editingFinished, this,
          [field] { QSettings().setValue(settingOf(field->property("budget").toString()), field->text()); });
  setBudget(field, chart, verdict);
}

void BarsPage::setBudget(QLineEdit* field, BarChart* chart, ThemeLabel* verdict) {
  const auto budget = parseSize(fromQt(field->text()));
  chart->setBudget(budget);
  if (!budget) {
    verdict->setText(field->text().trimmed().isEmpty() ? QString() : tr("Enter a size such as 256 KiB."));
    verdict->setRole(Role::Secondary);
    return;
  }
  const bool fits = chart->most() <= *budget;
  verdict->setText(fits ? tr("Within the budget: %1 free.").arg(toQt(sizeText(*budget - chart->most())))
                        : tr("Over the budget by %1.").arg(toQt(sizeText(chart->most() - *budget))));
  verdict->setRole(fits ? Role::Ok : Role::Error);
}

} // namespace blobscope::ui
