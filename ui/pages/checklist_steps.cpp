#include "ui/pages/checklist_steps.h"

#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/charts/state_cell.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/wrapped_text.h"

#include <QGridLayout>
#include <QHBoxLayout>

#include <algorithm>

namespace blobscope::ui {
namespace {

using Checklist = view::ChecklistPage;
using State = Checklist::State;

bool isMet(const Checklist::Step& step) { return step.state == State::Good || step.state == State::NotNeeded; }

/// What the icon of the step says.
QString stepStateText(State state) {
  switch (state) {
  case State::Good: return ChecklistSteps::tr("met");
  case State::NotNeeded: return ChecklistSteps::tr("not needed");
  case State::Unknown: return ChecklistSteps::tr("not certain");
  case State::Empty:
  case State::Later:
  case State::Fails:
  case State::Crashes: break;
  }
  return ChecklistSteps::tr("missing");
}

Role barOf(State state) { return state == State::Unknown ? Role::ControlBorder : StateCell::role(state); }
Role boxOf(State state) { return state == State::Crashes ? Role::ErrorBackground : StateCell::background(state); }

QFont stepTitleFont(bool bold) {
  QFont font = textFont(TextRole::Body);
  if (bold) font.setWeight(QFont::DemiBold);
  return font;
}

} // namespace

ChecklistSteps::ChecklistSteps(QWidget* parent) : QWidget(parent), m_layout(new QVBoxLayout(this)) {
  m_layout->setContentsMargins(0, 0, 0, 0);
  m_layout->setSpacing(0);
}

void ChecklistSteps::setSteps(const std::vector<Checklist::Step>& steps) {
  // A link that is being followed may belong to these widgets, so they are deleted later.
  for (const auto& [widget, met] : m_steps) {
    m_layout->removeWidget(widget);
    widget->hide();
    widget->deleteLater();
  }
  m_steps.clear();
  constexpr int kTitles = 220;
  int titles = 60;
  for (const Checklist::Step& step : steps)
    titles = std::max(titles, QFontMetrics(stepTitleFont(true)).horizontalAdvance(coreText(step.title)) + 4);
  for (const Checklist::Step& step : steps) {
    QWidget* const widget = makeStep(step, std::min(titles, kTitles));
    m_layout->addWidget(widget);
    m_steps.emplace_back(widget, isMet(step));
  }
  setMetHidden(m_hidesMet);
}

void ChecklistSteps::setMetHidden(bool hidden) {
  m_hidesMet = hidden;
  for (const auto& [widget, met] : m_steps) widget->setVisible(!(hidden && met));
}

QWidget* ChecklistSteps::makeStep(const Checklist::Step& step, int titleWidth) {
  auto* const row = new QWidget(this);
  row->setProperty("step", step.number);
  auto* const grid = new QGridLayout(row);
  grid->setContentsMargins(0, 3, 0, 3);
  grid->setHorizontalSpacing(10);
  grid->setVerticalSpacing(4);
  auto* const number = new ThemeLabel(QString::number(step.number), TextRole::Body, Role::Secondary, row);
  number->setFixedWidth(QFontMetrics(number->font()).horizontalAdvance(QStringLiteral("00")) + 2);
  number->setAlignment(Qt::AlignRight | Qt::AlignTop);
  grid->addWidget(number, 0, 0, Qt::AlignTop);
  if (const QString name = StateCell::iconName(step.state); !name.isEmpty()) {
    grid->addWidget(new IconLabel(name, StateCell::role(step.state), metrics::kIcon, row), 0, 1, Qt::AlignTop);
  } else {
    auto* const none = new ThemeLabel(QStringLiteral("–"), TextRole::Body, StateCell::role(step.state), row);
    none->setFixedWidth(metrics::kIcon);
    none->setAlignment(Qt::AlignCenter);
    grid->addWidget(none, 0, 1, Qt::AlignTop);
  }
  const bool open = !step.items.empty();
  auto* const title = new ThemeLabel(coreText(step.title), TextRole::Body, Role::Text, row);
  title->setFont(stepTitleFont(open));
  title->setFixedWidth(titleWidth);
  grid->addWidget(title, 0, 2, Qt::AlignTop);
  auto* const summary = new ThemeLabel(toQt(step.summary), TextRole::Body, open ? Role::Text : Role::Secondary, row);
  summary->setWordWrap(true);
  summary->setMinimumWidth(80);
  grid->addWidget(summary, 0, 3, Qt::AlignTop);
  grid->setColumnStretch(3, 1);
  int line = 1;
  for (const Checklist::Item& item : step.items) grid->addWidget(makeItem(item, row), line++, 2, 1, 2);
  row->setAccessibleName(plainLine(tr("Step %1, %2: %3. %4")
                                       .arg(step.number)
                                       .arg(coreText(step.title), stepStateText(step.state), toQt(step.summary))));
  return row;
}

QWidget* ChecklistSteps::makeItem(const Checklist::Item& item, QWidget* parent) {
  auto* const box = new QWidget(parent);
  auto* const layout = new QVBoxLayout(box);
  layout->setContentsMargins(0, 0, 0, 4);
  layout->setSpacing(4);
  if (item.verbatim) {
    layout->addWidget(
        new CodeBox(linesToQt(item.message), wholeToQt(item.message), boxOf(item.state), barOf(item.state), box));
  } else if (!item.message.empty()) {
    auto* const panel = new Panel(boxOf(item.state), barOf(item.state), box);
    auto* const inner = new QHBoxLayout(panel);
    inner->setContentsMargins(12, 6, 12, 6);
    auto* const words = new ThemeLabel(linesToQt(item.message), TextRole::Body, Role::Text, panel);
    words->setWordWrap(true);
    inner->addWidget(words);
    layout->addWidget(panel);
  }
  if (!item.note.empty()) {
    auto* const note = new ThemeLabel(linesToQt(item.note), TextRole::Secondary, Role::Secondary, box);
    note->setWordWrap(true);
    layout->addWidget(note);
  }
  if (!item.links.empty()) layout->addWidget(makeLinks(item.links, box));
  return box;
}

QWidget* ChecklistSteps::makeLinks(const std::vector<Checklist::Link>& links, QWidget* parent) {
  auto* const box = new QWidget(parent);
  auto* const flow = new FlowLayout(16, 2, box);
  auto* const head = new ThemeLabel(tr("What to do"), TextRole::Secondary, Role::Secondary, box);
  QFont bold = head->font();
  bold.setWeight(QFont::DemiBold);
  head->setFont(bold);
  flow->addWidget(head);
  for (const Checklist::Link& link : links) {
    auto* const entry = new QWidget(box);
    auto* const row = new QHBoxLayout(entry);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    // Advice that nothing in the window carries out is no link.
    if (!link.ref && link.choice.empty() && !link.asksFile) {
      row->addWidget(new ThemeLabel(coreText(link.text), TextRole::Body, Role::Text, entry));
      flow->addWidget(entry);
      continue;
    }
    const QString iconName = link.asksFile          ? QStringLiteral("open")
                             : !link.choice.empty() ? QStringLiteral("check")
                                                    : QStringLiteral("kind-section");
    row->addWidget(new IconLabel(iconName, Role::Accent, metrics::kIcon, entry));
    auto* const button = new LinkButton(coreText(link.text), entry);
    connect(button, &QAbstractButton::clicked, this, [this, link] { Q_EMIT followed(link); });
    row->addWidget(button);
    flow->addWidget(entry);
  }
  return box;
}

} // namespace blobscope::ui
