#include "ui/pages/memory_plan_page.h"

#include "core/base/text.h"
#include "ui/pages/plan_sliders.h"
#include "ui/pages/plan_summary.h"
#include "ui/pages/table_page.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/widgets/charts/memory_chart.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/scroll_area.h"
#include "ui/widgets/segments.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QPointer>
#include <QShortcut>
#include <QStackedWidget>

#include <algorithm>

namespace blobscope::ui {
namespace {

using view::PlanPage;

constexpr int kBeside = 700; ///< width from which the peak, its parts and the sliders are side by side
constexpr int kSlidersHigh = 150;
constexpr std::size_t kSegments = 6;
enum View { ToScale, Changes, Table };

class PlanState final : public PageState {
public:
  PlanPage::Choice choice;
  int view = Changes;
};

} // namespace

MemoryPlanPage::MemoryPlanPage(view::PlanPagePtr plan, const PageContext& context, QWidget* parent)
    : PageWidget(parent), m_context(context), m_tag(QStringLiteral("plan/%1").arg(reinterpret_cast<quintptr>(this))) {
  setProperty("helpTopic", QStringLiteral("relax-executable"));
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeBar());
  layout->addWidget(new Rule(Qt::Horizontal, this));
  m_stack = new QStackedWidget(this);
  auto* const scroll = new ScrollArea(this);
  scroll->setAccessibleName(tr("Memory plan"));
  scroll->setFocusPolicy(Qt::NoFocus); // its parts have the focus
  scroll->setWidgetResizable(true);
  scroll->setWidget(makeContent());
  m_stack->addWidget(scroll);
  layout->addWidget(m_stack, 1);
  layout->addWidget(new Rule(Qt::Horizontal, this));
  m_summary = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this);
  m_summary->setContentsMargins(12, 0, 12, 0);
  m_summary->setFixedHeight(28);
  m_summary->setElided();
  layout->addWidget(m_summary);
  setFocusProxy(m_chart);
  auto* const toTable = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_T), this);
  toTable->setContext(Qt::WidgetWithChildrenShortcut);
  connect(toTable, &QShortcut::activated, this, [this] { showView(m_views->current() == Table ? Changes : Table); });
  setPlan(std::move(plan));
  m_choice.function = m_plan->function;
  showView(Changes);
}

MemoryPlanPage::~MemoryPlanPage() {
  // Parts send signals while they are destroyed, when this is no page any more.
  for (QObject* const part : findChildren<QObject*>()) part->disconnect(this);
  m_context.jobs.cancel(m_tag);
}

QWidget* MemoryPlanPage::makeBar() {
  auto* const bar = new QWidget(this);
  auto* const row = new QHBoxLayout(bar);
  row->setContentsMargins(12, 5, 12, 5);
  row->setSpacing(8);
  row->addWidget(new ThemeLabel(tr("Function"), TextRole::Secondary, Role::Secondary, bar));
  m_functions = new Segments(tr("Function"), bar);
  row->addWidget(m_functions);
  m_functionList = new QComboBox(bar);
  m_functionList->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_functionList->setMaximumWidth(320);
  m_functionList->setAccessibleName(tr("Function"));
  row->addWidget(m_functionList);
  row->addStretch();
  row->addWidget(new ThemeLabel(tr("Show"), TextRole::Secondary, Role::Secondary, bar));
  m_views = new Segments(tr("Show"), bar);
  m_views->setChoices({tr("all to scale"), tr("what changes"), tr("table")},
                      {tr("Weights, KV cache and storages on one scale"),
                       tr("The storages have the whole height; what stays is a strip below"), tr("Rows (Ctrl+T)")});
  row->addWidget(m_views);
  connect(m_views, &Segments::chosen, this, &MemoryPlanPage::showView);
  connect(m_functions, &Segments::chosen, this,
          [this](int index) { chooseFunction(m_plan->functions[static_cast<std::size_t>(index)]); });
  connect(m_functionList, &QComboBox::activated, this,
          [this](int index) { chooseFunction(m_plan->functions[static_cast<std::size_t>(index)]); });
  return bar;
}

QWidget* MemoryPlanPage::makePeak(QWidget* parent) {
  auto* const box = new QWidget(parent);
  auto* const column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  m_peakTitle = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, box);
  m_peak = new ThemeLabel({}, TextRole::FileName, Role::Text, box);
  QFont large = m_peak->font();
  large.setPixelSize(QFontInfo(large).pixelSize() * 3 / 2);
  m_peak->setFont(large);
  m_peakNote = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, box);
  m_peakNote->setWordWrap(true);
  for (ThemeLabel* const label : {m_peakTitle, m_peak, m_peakNote}) column->addWidget(label);
  column->addStretch();
  box->setFixedWidth(150);
  box->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
  return box;
}

QWidget* MemoryPlanPage::makeContent() {
  auto* const content = new QWidget;
  content->setBackgroundRole(QPalette::Base);
  content->setAutoFillBackground(true);
  auto* const layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 12);
  layout->setSpacing(0);
  auto* const head = new QWidget(content);
  m_head = new QBoxLayout(QBoxLayout::LeftToRight, head);
  m_head->setContentsMargins(16, 10, 16, 10);
  m_head->setSpacing(24);
  m_head->addWidget(makePeak(head));
  m_parts = new PlanSummary(head);
  m_head->addWidget(m_parts, 3);
  m_sliderArea = new ScrollArea(head);
  m_sliderArea->setAccessibleName(tr("Sizes"));
  m_sliderArea->setFocusPolicy(Qt::NoFocus);
  m_sliderArea->setWidgetResizable(true);
  m_sliderArea->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_sliders = new PlanSliders(m_sliderArea);
  m_sliders->setBackgroundRole(QPalette::Base);
  m_sliders->setAutoFillBackground(true);
  m_sliderArea->setWidget(m_sliders);
  m_head->addWidget(m_sliderArea, 3);
  layout->addWidget(head);
  layout->addWidget(new Rule(Qt::Horizontal, content));
  m_error = new ThemeLabel({}, TextRole::Body, Role::Error, content);
  m_error->setContentsMargins(16, 6, 16, 0);
  m_error->setWordWrap(true);
  m_error->hide();
  layout->addWidget(m_error);
  layout->addSpacing(6);
  m_chart = new MemoryChart(content);
  layout->addWidget(m_chart);
  m_notes = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, content);
  m_notes->setWordWrap(true);
  m_notes->setContentsMargins(16, 8, 16, 0);
  layout->addWidget(m_notes);
  layout->addStretch();
  connect(m_sliders, &PlanSliders::changed, this,
          [this](const QString& name, qint64 value) { chooseSize(fromQt(name), value); });
  connect(m_chart, &MemoryChart::described, this, &PageWidget::selectionText);
  connect(m_chart, &MemoryChart::storageSelected, this, &MemoryPlanPage::showStorage);
  return content;
}

void MemoryPlanPage::chooseFunction(const std::string& function) {
  m_choice.function = function;
  startPlan();
}

void MemoryPlanPage::chooseSize(const std::string& name, qint64 value) {
  m_choice.sizes[name] = value;
  startPlan();
}

void MemoryPlanPage::startPlan() {
  m_context.jobs.start<view::PlanPagePtr>(
      m_tag, [plan = m_plan, choice = m_choice](Monitor& monitor) { return plan->choose(choice, monitor); },
      [guard = QPointer<MemoryPlanPage>(this)](Result<view::PlanPagePtr> made) {
        if (!guard) return;
        if (made) {
          guard->m_error->hide();
          guard->setPlan(std::move(*made));
        } else {
          guard->m_error->setText(toQt(made.error().message()));
          guard->m_error->show();
        }
        Q_EMIT guard->planned();
      });
}

void MemoryPlanPage::setPlan(view::PlanPagePtr plan) {
  const bool sameFunctions = m_plan && m_plan->functions == plan->functions;
  m_plan = std::move(plan);
  if (!sameFunctions) fillFunctions();
  const auto at = std::ranges::find(m_plan->functions, m_plan->function) - m_plan->functions.begin();
  m_functions->setCurrent(static_cast<int>(at));
  m_functionList->setCurrentIndex(static_cast<int>(at));
  m_peakTitle->setText(m_plan->complete ? tr("Peak of %1").arg(toQt(m_plan->function))
                                        : tr("Peak of %1, at least").arg(toQt(m_plan->function)));
  m_peak->setText(toQt(shortSizeText(m_plan->peak)));
  m_peakNote->setText(
      bytesText(m_plan->peak) + QLatin1Char('\n') +
      tr("at instruction %1 of %2").arg(toQt(groupedText(m_plan->peakAt)), toQt(groupedText(m_plan->instructions))));
  m_parts->setPlan(m_plan);
  m_sliders->setSymbols(m_plan->symbols);
  // Many sizes are scrolled, so that the picture stays in sight.
  m_sliderArea->setFixedHeight(std::clamp(m_sliders->sizeHint().height() + 12, 60, kSlidersHigh));
  m_chart->setPlan(m_plan);
  QStringList notes;
  for (const std::string& note : m_plan->notes) notes << toQt(note);
  m_notes->setText(notes.join(QLatin1Char('\n')));
  showSummary();
  if (m_table) {
    delete m_table;
    m_table = nullptr;
    if (m_views->current() == Table) showView(Table);
  }
}

void MemoryPlanPage::fillFunctions() {
  QStringList names;
  for (const std::string& name : m_plan->functions) names << toQt(name);
  const bool few = m_plan->functions.size() <= kSegments;
  m_functions->setChoices(few ? names : QStringList());
  m_functionList->clear();
  m_functionList->addItems(names);
  arrange();
}

void MemoryPlanPage::showSummary() {
  QStringList words = {tr("%n storage(s)", nullptr, pluralCount(m_plan->storages.size())),
                       tr("%n tensor(s)", nullptr, pluralCount(m_plan->tensors)),
                       tr("%1 in all storages").arg(bytesText(m_plan->total)),
                       tr("most in use %1, first at instruction %2")
                           .arg(toQt(shortSizeText(m_plan->mostInUse)), toQt(groupedText(m_plan->mostInUseAt))),
                       tr("nothing was run")};
  m_summary->setText(words.join(QStringLiteral("  ·  ")));
}

void MemoryPlanPage::showView(int index) {
  m_views->setCurrent(index);
  m_chart->setToScale(index == ToScale);
  if (index != Table) {
    m_stack->setCurrentIndex(0);
    setFocusProxy(m_chart);
    return;
  }
  if (!m_table) {
    m_table = new TablePage(view::planTable(m_plan), m_context, m_stack);
    m_stack->addWidget(m_table);
    connect(m_table, &PageWidget::selectionText, this, &PageWidget::selectionText);
  }
  m_stack->setCurrentWidget(m_table);
  setFocusProxy(m_table);
}

void MemoryPlanPage::showStorage(int storage) {
  if (storage < 0) return;
  const PlanPage::Storage& one = m_plan->storages[static_cast<std::size_t>(storage)];
  const auto row = [](const char* label, std::string value) {
    return view::DetailRow{label, std::move(value), false, {}, {}};
  };
  view::DetailGroup group;
  group.title = one.isCache ? "Cache" : "Storage";
  group.rows.push_back(row("Name", one.name));
  group.rows.push_back(row("Bytes", one.bytes ? groupedText(*one.bytes) : "not known"));
  group.rows.push_back(row("Size", one.size));
  group.rows.push_back(row("Instructions", groupedText(one.first) + " – " + groupedText(one.last)));
  group.rows.push_back(row("Tensors", groupedText(one.uses.size())));
  if (!one.holds.empty()) group.rows.push_back(row("Filled most by", one.holds));
  if (one.isDerived) group.note = "The library computes its size; this is the size of its largest tensor.";
  Q_EMIT detailsChanged({group});
}

std::unique_ptr<PageState> MemoryPlanPage::saveState() const {
  auto state = std::make_unique<PlanState>();
  state->choice = m_choice;
  state->view = m_views->current();
  return state;
}

void MemoryPlanPage::restoreState(const PageState& state) {
  const auto* const own = dynamic_cast<const PlanState*>(&state);
  if (!own) return;
  showView(own->view);
  const bool exists = std::ranges::find(m_plan->functions, own->choice.function) != m_plan->functions.end();
  if (!exists || (own->choice.function == m_plan->function && own->choice.sizes.empty())) return;
  m_choice = own->choice;
  startPlan();
}

void MemoryPlanPage::resizeEvent(QResizeEvent* event) {
  PageWidget::resizeEvent(event);
  arrange();
}

void MemoryPlanPage::arrange() {
  if (!m_head) return;
  m_head->setDirection(width() >= kBeside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  const bool few =
      m_functions->count() > 0 && m_functions->sizeHint().width() + m_views->sizeHint().width() + 180 <= width();
  m_functions->setVisible(few);
  m_functionList->setVisible(!few);
}

} // namespace blobscope::ui
