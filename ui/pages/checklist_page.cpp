#include "ui/pages/checklist_page.h"

#include "core/base/text.h"
#include "core/view/render.h"
#include "ui/pages/answer_banner.h"
#include "ui/pages/checklist_steps.h"
#include "ui/pages/checklist_tables.h"
#include "ui/pages/runtime_dialog.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/charts/state_cell.h"
#include "ui/widgets/charts/target_line.h"
#include "ui/widgets/charts/target_strip.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/scroll_area.h"
#include "ui/widgets/tool_button.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPointer>

namespace blobscope::ui {
namespace {

using State = view::ChecklistPage::State;
using Choice = view::ChecklistPage::Choice;

/// Widths of the page from which the tables are beside the steps, and the strip shows every release.
constexpr int kBeside = 1180, kUnfolded = 900;
constexpr int kPageMargin = 24, kTablesWidth = 308;

bool operator==(const Choice& a, const Choice& b) {
  return a.target == b.target && a.device == b.device && a.driver == b.driver && a.system == b.system;
}

/// The content of the scroll area, whose height follows from its width: the least height at the least width, which
/// texts of many short lines would need, is no limit.
class Content : public QWidget {
public:
  QSize minimumSizeHint() const override { return {QWidget::minimumSizeHint().width(), 0}; }
};

/// A number with its icon in a coloured box.
QWidget* makeChip(const QString& text, State state, QWidget* parent) {
  auto* const chip =
      new Panel(state == State::Unknown ? Role::Header : StateCell::background(state), std::nullopt, parent);
  auto* const row = new QHBoxLayout(chip);
  row->setContentsMargins(7, 2, 7, 2);
  row->setSpacing(5);
  row->addWidget(new IconLabel(StateCell::iconName(state), StateCell::role(state), 14, chip));
  row->addWidget(
      new ThemeLabel(text, TextRole::Chip, state == State::Unknown ? Role::Secondary : StateCell::role(state), chip));
  return chip;
}

/// A label and a list with one name, which stay together.
QWidget* makeField(const QString& name, QComboBox* box, QWidget* parent) {
  auto* const field = new QWidget(parent);
  auto* const row = new QHBoxLayout(field);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  row->addWidget(new ThemeLabel(name, TextRole::Secondary, Role::Secondary, field));
  box->setAccessibleName(plainLine(name));
  if (box->lineEdit()) box->lineEdit()->setAccessibleName(plainLine(name));
  row->addWidget(box);
  return field;
}

/// Shows `value`, also when it is not among the options.
void setOptions(QComboBox& box, const std::vector<view::ChecklistPage::Option>& options, const std::string& value) {
  box.clear();
  for (const view::ChecklistPage::Option& option : options) box.addItem(coreText(option.text), wholeToQt(option.value));
  int at = box.findData(wholeToQt(value));
  if (at < 0 && !value.empty()) {
    box.addItem(toQt(value), wholeToQt(value));
    at = box.count() - 1;
  }
  box.setCurrentIndex(at);
  if (box.isEditable() && at < 0) box.setEditText(toQt(value));
}

} // namespace

ChecklistPage::ChecklistPage(const view::Page& page, const PageContext& context, QWidget* parent)
    : PageWidget(parent), m_jobs(context.jobs), m_tag(tagPrefix() + QString::number(reinterpret_cast<quintptr>(this))),
      m_name(page.name) {
  setProperty("helpTopic", QStringLiteral("preflight"));
  auto* const outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* const scroll = new ScrollArea(this);
  scroll->setAccessibleName(plainLine(coreText(m_name)));
  scroll->setFocusPolicy(Qt::NoFocus); // its parts have the focus
  scroll->setWidget(makeContent());
  outer->addWidget(scroll);
  setFocusProxy(m_strip);
  connect(&m_jobs, &Jobs::finished, this, [this](const QString& tag) {
    if (tag != m_tag) return;
    m_pending.reset();
    showChoice(); // until the answer, which comes now unless the user cancelled
  });
  setPage(std::get<view::ChecklistPage>(page.content));
}

ChecklistPage::~ChecklistPage() {
  m_jobs.disconnect(this);
  // Parts send signals while they are destroyed, when this is no page any more.
  for (QObject* const part : findChildren<QObject*>()) part->disconnect(this);
  m_jobs.cancel(m_tag);
}

QWidget* ChecklistPage::makeContent() {
  auto* const content = new Content;
  content->setBackgroundRole(QPalette::Base);
  content->setAutoFillBackground(true);
  m_columns = new QBoxLayout(QBoxLayout::TopToBottom, content);
  m_columns->setContentsMargins(kPageMargin, 16, kPageMargin, kPageMargin);
  m_columns->setSpacing(kPageMargin);
  m_main = new QWidget(content);
  auto* const layout = new QVBoxLayout(m_main);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  m_banner = new AnswerBanner(m_main);
  connect(&m_banner->copyButton(), &QAbstractButton::clicked, this, &ChecklistPage::copyReport);
  layout->addWidget(m_banner);
  layout->addSpacing(4);
  layout->addWidget(makePickers(m_main));
  m_error = new ThemeLabel({}, TextRole::Body, Role::Error, m_main);
  m_error->setWordWrap(true);
  m_error->hide();
  layout->addWidget(m_error);
  layout->addSpacing(4);
  layout->addWidget(makeStripHead(m_main));
  m_strip = new TargetStrip(m_main);
  layout->addWidget(m_strip);
  m_line = new TargetLine(m_main);
  layout->addWidget(m_line);
  m_legend =
      new StateLegend({State::Good, State::Empty, State::Later, State::Fails, State::Crashes, State::Unknown}, m_main);
  layout->addWidget(m_legend);
  layout->addSpacing(8);
  layout->addWidget(makeStepsHead(m_main));
  m_steps = new ChecklistSteps(m_main);
  layout->addWidget(m_steps);
  layout->addStretch();
  m_columns->addWidget(m_main, 1);
  m_tables = new ChecklistTables(content);
  m_columns->addWidget(m_tables);
  connect(m_strip, &TargetStrip::currentChanged, this, &ChecklistPage::showCurrent);
  connect(m_strip, &TargetStrip::chosen, this,
          [this](int cell) { chooseTarget(m_strip->cells()[static_cast<std::size_t>(cell)].choice); });
  connect(m_steps, &ChecklistSteps::followed, this, &ChecklistPage::follow);
  connect(m_tables, &ChecklistTables::chosen, this, [this](const QString& device) { chooseDevice(fromQt(device)); });
  return content;
}

QWidget* ChecklistPage::makePickers(QWidget* parent) {
  auto* const box = new QWidget(parent);
  auto* const flow = new FlowLayout(12, 8, box);
  const auto list = [box](int characters) {
    auto* const combo = new QComboBox(box);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    combo->setMinimumContentsLength(characters);
    combo->setMaximumWidth(320);
    return combo;
  };
  m_target = list(14);
  m_target->setEditable(true);
  m_target->setInsertPolicy(QComboBox::NoInsert);
  m_target->lineEdit()->setPlaceholderText(tr("Release or path"));
  m_target->setToolTip(tr("A release such as v0.27 or v0.27+cuda, or the path of a runtime"));
  m_device = list(12);
  m_driver = list(6);
  m_system = list(12);
  m_system->setEditable(true);
  m_system->setInsertPolicy(QComboBox::NoInsert);
  m_system->setToolTip(tr("Where the library is loaded: a system of the list, or one such as x86_64-linux-gnu2.28"));
  flow->addWidget(makeField(tr("Runtime"), m_target, box));
  QToolButton* const file = wordButton(QStringLiteral("open"), tr("File…"), box);
  QToolButton* const folder = wordButton(QStringLiteral("open"), tr("Folder…"), box);
  file->setToolTip(tr("Compare with a runtime on disk: a library, an app"));
  folder->setToolTip(tr("Compare with a runtime on disk: a folder, a Python environment"));
  flow->addWidget(file);
  flow->addWidget(folder);
  flow->addWidget(makeField(tr("Device"), m_device, box));
  flow->addWidget(makeField(tr("Driver"), m_driver, box));
  flow->addWidget(makeField(tr("System"), m_system, box));
  connect(file, &QToolButton::clicked, this, &ChecklistPage::askForRuntime);
  connect(folder, &QToolButton::clicked, this,
          [this] { askForRuntimeFolder(this, [this](const QString& path) { chooseTarget(fromQt(path)); }); });
  const auto chooseText = [this] {
    const QString text = m_target->currentText().trimmed();
    const int at = m_target->findText(text, Qt::MatchFixedString);
    if (!text.isEmpty()) chooseTarget(fromQt(at >= 0 ? m_target->itemData(at).toString() : text));
  };
  connect(m_target, &QComboBox::activated, this,
          [this](int at) { chooseTarget(fromQt(m_target->itemData(at).toString())); });
  connect(m_target->lineEdit(), &QLineEdit::returnPressed, this, chooseText);
  connect(m_device, &QComboBox::activated, this,
          [this](int at) { chooseDevice(fromQt(m_device->itemData(at).toString())); });
  connect(m_driver, &QComboBox::activated, this, [this](int at) {
    Choice choice = m_page.choice;
    choice.driver = fromQt(m_driver->itemData(at).toString());
    choose(choice);
  });
  const auto chooseSystem = [this](const QString& value) {
    Choice choice = m_pending.value_or(m_page.choice);
    choice.system = fromQt(value);
    choose(choice);
  };
  connect(m_system, &QComboBox::activated, this,
          [this, chooseSystem](int at) { chooseSystem(m_system->itemData(at).toString()); });
  connect(m_system->lineEdit(), &QLineEdit::returnPressed, this, [this, chooseSystem] {
    const QString text = m_system->currentText().trimmed();
    const int at = m_system->findText(text, Qt::MatchFixedString);
    chooseSystem(at >= 0 ? m_system->itemData(at).toString() : text);
  });
  return box;
}

QWidget* ChecklistPage::makeStripHead(QWidget* parent) {
  m_stripHead = new QWidget(parent);
  auto* const row = new QHBoxLayout(m_stripHead);
  row->setContentsMargins(0, 0, 0, 0);
  m_stripTitle = new ThemeLabel({}, TextRole::Heading, Role::Text, m_stripHead);
  m_stripNote = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, m_stripHead);
  row->addWidget(m_stripTitle);
  row->addStretch();
  row->addWidget(m_stripNote);
  return m_stripHead;
}

QWidget* ChecklistPage::makeStepsHead(QWidget* parent) {
  m_stepsHead = new QWidget(parent);
  auto* const flow = new FlowLayout(12, 4, m_stepsHead);
  m_stepsTitle = new ThemeLabel({}, TextRole::Heading, Role::Text, m_stepsHead);
  flow->addWidget(m_stepsTitle);
  m_counts = new QWidget(m_stepsHead);
  auto* const counts = new QHBoxLayout(m_counts);
  counts->setContentsMargins(0, 0, 0, 0);
  counts->setSpacing(8);
  flow->addWidget(m_counts);
  auto* const hide = new QCheckBox(tr("Hide what is met"), m_stepsHead);
  hide->setToolTip(tr("Show only the steps where something is missing or not certain"));
  flow->addWidget(hide);
  connect(hide, &QCheckBox::toggled, this, [this](bool hidden) { m_steps->setMetHidden(hidden); });
  return m_stepsHead;
}

void ChecklistPage::setPage(view::ChecklistPage page) {
  m_page = std::move(page);
  m_error->hide();
  m_banner->showAnswer(m_page.state, toQt(m_page.sentence), toQt(m_page.detail));
  showChoice();
  m_stripTitle->setText(coreText(m_page.stripTitle));
  m_stripNote->setText(coreText(m_page.stripNote));
  m_line->setCells(m_page.cells);
  m_strip->setCells(coreText(m_page.stripTitle), m_page.cells, m_page.choice.target);
  for (QWidget* const part :
       {m_stripHead, static_cast<QWidget*>(m_strip), static_cast<QWidget*>(m_line), static_cast<QWidget*>(m_legend)})
    part->setVisible(!m_page.cells.empty());
  m_stepsTitle->setText(coreText(m_page.stepsTitle));
  m_stepsHead->setVisible(!m_page.steps.empty());
  showCounts();
  m_steps->setSteps(m_page.steps);
  m_tables->setTables(m_page.tables, m_page.choice.device);
  arrange();
}

void ChecklistPage::showChoice() {
  setOptions(*m_target, m_page.targets, m_page.choice.target);
  setOptions(*m_device, m_page.devices, m_page.choice.device);
  setOptions(*m_driver, m_page.drivers, m_page.choice.driver);
  setOptions(*m_system, m_page.systems, m_page.choice.system);
  m_target->parentWidget()->parentWidget()->setVisible(m_page.choose != nullptr);
  m_device->parentWidget()->setVisible(m_device->count() > 0);
  m_driver->parentWidget()->setVisible(m_driver->count() > 0);
  m_system->parentWidget()->setVisible(m_system->count() > 0);
}

void ChecklistPage::showCounts() {
  while (QLayoutItem* const item = m_counts->layout()->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  const auto add = [this](const QString& text, uint64_t count, State state) {
    if (count > 0 || state == State::Good) m_counts->layout()->addWidget(makeChip(text, state, m_counts));
  };
  add(tr("%1 met").arg(toQt(groupedText(m_page.met))), m_page.met, State::Good);
  add(tr("%1 missing").arg(toQt(groupedText(m_page.missing))), m_page.missing, State::Fails);
  add(tr("%1 not certain").arg(toQt(groupedText(m_page.unknown))), m_page.unknown, State::Unknown);
}

void ChecklistPage::showError(const QString& text) {
  m_error->setText(text);
  m_error->show();
}

void ChecklistPage::showCurrent(int cell) { m_line->setCurrent(cell >= 0 ? m_strip->labelOf(cell) : QString(), cell); }

// --- another choice

void ChecklistPage::choose(const Choice& choice) {
  if (!m_page.choose || choice == m_pending.value_or(m_page.choice)) return;
  m_error->hide();
  m_jobs.start<view::ChecklistPage>(
      m_tag, [make = m_page.choose, choice](Monitor& monitor) { return make(choice, monitor); },
      [guard = QPointer<ChecklistPage>(this)](Result<view::ChecklistPage> made) {
        if (!guard) return;
        if (made)
          guard->setPage(std::move(*made));
        else
          guard->showError(toQt(made.error().message()));
        Q_EMIT guard->answered();
      });
  m_pending = choice;
}

void ChecklistPage::chooseTarget(const std::string& target) {
  Choice choice = m_pending.value_or(m_page.choice);
  choice.target = target;
  choose(choice);
}

void ChecklistPage::chooseDevice(const std::string& device) {
  Choice choice = m_pending.value_or(m_page.choice);
  if (device != choice.device) choice.driver.clear(); // another device may have other drivers
  choice.device = device;
  choose(choice);
}

void ChecklistPage::askForRuntime() {
  askForRuntimeFile(this, [this](const QString& path) { chooseTarget(fromQt(path)); });
}

void ChecklistPage::follow(const view::ChecklistPage::Link& link) {
  if (link.asksFile)
    askForRuntime();
  else if (!link.choice.empty())
    chooseTarget(link.choice);
  else if (link.ref)
    Q_EMIT nodeChosen(*link.ref, true);
}

void ChecklistPage::copyReport() const {
  std::string text;
  NullMonitor monitor;
  if (view::renderText({m_name, m_page}, [&](std::string_view part) { text += part; }, monitor))
    QGuiApplication::clipboard()->setText(wholeToQt(text));
}

// --- layout

void ChecklistPage::arrange() {
  const bool beside = width() >= kBeside;
  m_columns->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  m_tables->setMinimumWidth(beside ? kTablesWidth : 0);
  m_tables->setMaximumWidth(beside ? kTablesWidth : 2 * kTablesWidth);
  m_strip->setFolded(width() < kUnfolded);
}

void ChecklistPage::resizeEvent(QResizeEvent* event) {
  PageWidget::resizeEvent(event);
  arrange();
}

} // namespace blobscope::ui
