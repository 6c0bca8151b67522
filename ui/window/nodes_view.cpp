#include "ui/window/nodes_view.h"

#include "core/base/text.h"
#include "core/describe/run_report.h"
#include "ui/compare/cut_row.h"
#include "ui/compare/diff_look.h"
#include "ui/compare/elided_label.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/icons.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/charts/difference_plot.h"
#include "ui/widgets/charts/sample_plot.h"
#include "ui/widgets/filter_keys.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/list_table.h"
#include "ui/widgets/tool_button.h"
#include "ui/window/node_side.h"
#include "ui/window/nodes_delegate.h"
#include "ui/window/panels/details_panel.h"

#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>

#include <algorithm>
#include <array>

namespace blobscope::ui {
namespace {

/// Widths of the view from which the side and the words of buttons are shown, and that of the tools of a comparison.
constexpr int kSideFrom = 900, kTraceWordFrom = 900, kSaveWordFrom = 1'000, kCompareTools = 500;
constexpr int kNodesSide = 320, kNarrowestName = 150;

int widthOfColumn(int column) {
  switch (column) {
  case NodesModel::Number: return 56;
  case NodesModel::Function: return 180;
  case NodesModel::OutputType: return 176;
  case NodesModel::Status: return 166;
  case NodesModel::Largest: return 146;
  case NodesModel::Elements: return 92;
  case NodesModel::Share: return 122;
  case NodesModel::Rate: return 92;
  case NodesModel::Written: return 92;
  default: return 84;
  }
}

QString numberOf(int number) { return toQt(groupedText(static_cast<uint64_t>(std::max(number, 0)))); }

} // namespace

NodesView::NodesView(Jobs& jobs, RunEntryPtr entry, std::size_t function, QString opened, QWidget* parent)
    : QWidget(parent), m_jobs(jobs), m_entry(std::move(entry)), m_opened(std::move(opened)),
      m_tag(QStringLiteral("nodes/") + QString::number(reinterpret_cast<quintptr>(this))), m_report(m_entry->report),
      m_function(function), m_banner(new Banner(this)) {
  setProperty("helpTopic", QStringLiteral("test-run"));
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  m_model.setResult(m_report, m_function);
  m_banner->hide();
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeHead());
  layout->addWidget(new Rule(Qt::Horizontal, this));
  layout->addWidget(m_banner);
  auto* const across = new QSplitter(Qt::Horizontal, this);
  across->setHandleWidth(1);
  across->setChildrenCollapsible(false);
  auto* const down = new QSplitter(Qt::Vertical, across);
  down->setHandleWidth(1);
  down->setChildrenCollapsible(false);
  m_plot = new DifferencePlot(down);
  m_plot->setVisible(m_model.isComparison());
  down->addWidget(m_plot);
  down->addWidget(makeTable());
  down->setStretchFactor(1, 1);
  down->setSizes({230, 400});
  across->addWidget(down);
  makeSide();
  across->addWidget(m_side);
  across->setStretchFactor(0, 1);
  across->setSizes({1'000, kNodesSide});
  layout->addWidget(across, 1);
  setFocusProxy(m_table);
  setAccessibleName(plainLine(title()));

  connect(m_plot, &DifferencePlot::chosen, this, &NodesView::select);
  connect(m_plot, &DifferencePlot::activated, this, &NodesView::openCode);
  fillPlot();
  updateFooter();
  const auto& first = m_model.result()->firstDifference;
  select(first ? static_cast<int>(*first) : m_model.rowCount() > 0 ? 0 : -1);
  updateTools();
}

NodesView::~NodesView() {
  m_jobs.disconnect(this);
  m_jobs.cancel(m_tag);
}

// --- 1. Widgets

QString NodesView::title() const {
  if (m_entry->request.against == RunRequest::Against::Other)
    return tr("%1 ↔ %2: nodes").arg(plainLine(QFileInfo(m_entry->request.other).fileName()), plainLine(m_entry->file));
  return tr("%1: nodes").arg(nameToQt(m_model.result()->function));
}

QString NodesView::sentence() const {
  const int count = m_model.rowCount();
  if (count == 0) return tr("No node was run.");
  const run::FunctionResult& result = *m_model.result();
  const auto nameOf = [&](int node) { return nameToQt(m_model.node(node).name); };
  if (!m_model.isComparison()) {
    if (m_model.totalTime() <= 0) return tr("%n node(s) (was|were) run.", nullptr, count);
    return tr("%n node(s) took %1.", nullptr, count).arg(SamplePlot::timeText(m_model.totalTime()));
  }
  const int compared = count - m_model.count(NodeStatus::NotCompared) - m_model.count(NodeStatus::OnlyHere);
  if (compared == 0) return tr("No outputs of nodes were compared.");
  if (!result.firstDifference)
    return compared == count
               ? tr("All %n node(s) agree within the tolerance.", nullptr, count)
               : tr("All %1 compared nodes of %2 agree within the tolerance.").arg(numberOf(compared), numberOf(count));
  const int first = static_cast<int>(*result.firstDifference);
  int worst = first;
  for (int i = first; i < count; ++i)
    if (m_model.largest(i) > m_model.largest(worst)) worst = i;
  const QString largest = differenceText(m_model.largest(worst));
  if (m_model.count(NodeStatus::Differs) == 0)
    return tr("The builds differ only at node %1 %2; the largest difference is %3.")
        .arg(numberOf(first), nameOf(first), largest);
  if (first == 0)
    return tr("The builds differ from node 0 %1 on; the largest difference is %2 at node %3.")
        .arg(nameOf(0), largest, numberOf(worst));
  return tr("Both builds agree up to node %1. From node %2 %3 on they differ; the largest difference is %4 at node %5.")
      .arg(numberOf(first - 1), numberOf(first), nameOf(first), largest, numberOf(worst));
}

QWidget* NodesView::makeHead() {
  auto* const head = new QWidget(this);
  m_headLayout = new QVBoxLayout(head);
  QVBoxLayout* const layout = m_headLayout;
  layout->setContentsMargins(16, 8, 16, 10);
  layout->setSpacing(6);
  if (m_model.isComparison()) {
    const bool opened = m_entry->request.against == RunRequest::Against::Opened;
    const QString name = plainLine(m_entry->file);
    auto* const sides = new QHBoxLayout;
    sides->setSpacing(10);
    for (const Side side : {Side::A, Side::B}) {
      auto* const label = new ElidedLabel(TextRole::Body, Role::Text, true, head);
      label->setText(!opened ? (side == Side::A ? plainLine(QFileInfo(m_entry->request.other).fileName()) : name)
                     : side == Side::A ? tr("%1 (as opened)").arg(name)
                                       : tr("%1 (changed)").arg(name));
      auto* const box = new QHBoxLayout;
      box->setSpacing(10);
      box->addWidget(new SideMark(side, head));
      box->addWidget(label);
      box->addStretch(1);
      sides->addLayout(box, 1);
    }
    layout->addLayout(sides);
  }
  m_sentence = new ThemeLabel(sentence(), TextRole::Body, Role::Text, head);
  QFont bold = m_sentence->font();
  bold.setWeight(QFont::DemiBold);
  m_sentence->setFont(bold);
  m_sentence->setWordWrap(true);
  layout->addWidget(m_sentence);
  addChips();
  return head;
}

void NodesView::addChips() {
  delete m_chips; // of an earlier comparison
  m_chips = new CutRow(m_sentence->parentWidget());
  m_headLayout->addWidget(m_chips);
  const auto chip = [&](const QString& text, diff::Status look, int count) {
    auto* const made = new StatusChip(m_chips);
    made->showStatus(text, look, count == 0);
    m_chips->add(made, 6);
  };
  if (m_model.isComparison()) {
    const int same = m_model.count(NodeStatus::Same), within = m_model.count(NodeStatus::Within),
              differ = m_model.count(NodeStatus::Differs) + m_model.count(NodeStatus::First),
              onlyHere = m_model.count(NodeStatus::OnlyHere), others = m_model.count(NodeStatus::NotCompared);
    chip(tr("%1 same bits").arg(numberOf(same)), diff::Status::Same, same);
    chip(tr("%1 within tolerance").arg(numberOf(within)), diff::Status::Added, within);
    chip(tr("%n (differs|differ)", nullptr, differ), diff::Status::Removed, differ);
    const int compared = m_model.rowCount() - onlyHere - others;
    const int onlyThere = static_cast<int>(m_model.result()->referenceNodes.size()) - compared - others;
    if (onlyThere > 0) chip(tr("%1 only in A").arg(numberOf(onlyThere)), diff::Status::Changed, onlyThere);
    if (onlyHere > 0) chip(tr("%1 only in B").arg(numberOf(onlyHere)), diff::Status::Changed, onlyHere);
    if (others > 0) chip(tr("%1 not compared").arg(numberOf(others)), diff::Status::Same, 0);
  }
  if (m_model.isComparison()) m_chips->add(new QWidget(m_chips), 10);
  const auto fact = [&](const QString& label, const QString& value) {
    m_chips->add(new ThemeLabel(label, TextRole::Secondary, Role::Secondary, m_chips), 6, true);
    auto* const text = new ThemeLabel(value, TextRole::Secondary, Role::Text, m_chips);
    QFont font = text->font();
    font.setWeight(QFont::Medium);
    text->setFont(font);
    m_chips->add(text, 20);
  };
  const run::RunReport& report = *m_entry->report;
  fact(tr("Function"), nameToQt(m_model.result()->function));
  fact(tr("Device"), toQt(report.device));
  fact(tr("Seed"), QString::number(m_entry->request.options.seed));
  if (m_entry->request.options.repeat)
    fact(tr("Measured runs"), numberOf(static_cast<int>(*m_entry->request.options.repeat)));
  fact(tr("Took"), SamplePlot::timeText(static_cast<double>(report.milliseconds) * 1'000));
}

QWidget* NodesView::makeTools() {
  auto* const tools = new QWidget(this);
  auto* const row = new QHBoxLayout(tools);
  row->setContentsMargins(12, 6, 12, 6);
  row->setSpacing(8);
  m_filter = new QLineEdit(tools);
  m_filter->setAccessibleName(tr("Filter nodes"));
  m_filter->setPlaceholderText(tr("Filter %n node(s)", nullptr, m_model.rowCount()));
  m_filter->setClearButtonEnabled(true);
  addFindIcon(*m_filter);
  m_filter->setMinimumWidth(90);
  m_filter->setMaximumWidth(240);
  row->addWidget(m_filter, 1);
  m_which = new QComboBox(tools);
  m_which->setAccessibleName(tr("Shown nodes"));
  m_which->addItem(tr("All nodes"));
  m_which->addItem(tr("Nodes that differ"));
  m_which->setVisible(m_model.isComparison());
  row->addWidget(m_which);
  m_order = new QComboBox(tools);
  m_order->setAccessibleName(tr("Order of the nodes"));
  m_order->setPlaceholderText(tr("Order: by a column"));
  addOrders();
  row->addWidget(m_order);
  m_toleranceLabel = new ThemeLabel(tr("Tolerance"), TextRole::Secondary, Role::Secondary, tools);
  m_tolerance = new QLineEdit(tools);
  m_tolerance->setAccessibleName(tr("Tolerance"));
  m_tolerance->setPlaceholderText(tr("by type"));
  m_tolerance->setMinimumWidth(64);
  m_tolerance->setMaximumWidth(96);
  for (QWidget* const widget : std::initializer_list<QWidget*>{m_toleranceLabel, m_tolerance}) {
    row->addWidget(widget);
    widget->setVisible(m_model.isComparison());
  }
  showTolerance();
  row->addStretch(1);
  m_previous = toolButton(QStringLiteral("back"), tr("Previous difference (Shift+F7)"), tools,
                          [this] { goToNextDifference(true); });
  m_position = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, tools);
  m_next =
      toolButton(QStringLiteral("forward"), tr("Next difference (F7)"), tools, [this] { goToNextDifference(false); });
  for (QWidget* const widget : std::initializer_list<QWidget*>{m_previous, m_position, m_next}) {
    row->addWidget(widget);
    widget->setVisible(m_model.isComparison());
  }
  m_save = wordButton(QStringLiteral("save"), tr("Save as .npy…"), tools);
  m_trace = wordButton(QStringLiteral("export"), tr("Trace…"), tools);
  m_trace->setToolTip(plainTip(tr("Saves the times of all nodes for chrome://tracing and Perfetto")));
  row->addWidget(m_save);
  row->addWidget(m_trace);
  connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
    m_rows.setWords(text);
    updateFooter();
  });
  connect(m_which, &QComboBox::currentIndexChanged, this, [this](int index) {
    m_rows.setOnlyDifferences(index == 1);
    updateFooter();
  });
  connect(m_order, &QComboBox::activated, this, &NodesView::orderBy);
  connect(m_tolerance, &QLineEdit::editingFinished, this, [this] { setTolerance(m_tolerance->text()); });
  connect(m_save, &QToolButton::clicked, this, &NodesView::askForOutputs);
  connect(m_trace, &QToolButton::clicked, this, &NodesView::askForTrace);
  return tools;
}

QWidget* NodesView::makeTable() {
  auto* const box = new QWidget(this);
  auto* const layout = new QVBoxLayout(box);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeTools());
  layout->addWidget(new Rule(Qt::Horizontal, box));
  m_table = new QTableView(box);
  m_table->setModel(&m_rows);
  setUpList(*m_table);
  m_table->setFrameShape(QFrame::NoFrame);
  m_table->setWordWrap(false);
  m_table->setItemDelegate(new NodesDelegate(m_table));
  m_table->setAccessibleName(tr("Nodes"));
  QHeaderView& header = *m_table->horizontalHeader();
  header.setMinimumSectionSize(40);
  header.setSortIndicator(NodesModel::Number, Qt::AscendingOrder);
  m_table->setSortingEnabled(true);
  connect(&header, &QHeaderView::sortIndicatorChanged, this, [this](int column, Qt::SortOrder order) {
    const int index = m_order->findData(column);
    const bool first = (column == NodesModel::Number) == (order == Qt::AscendingOrder);
    m_order->setCurrentIndex(first ? index : -1);
  });
  for (int column = 0; column < NodesModel::ColumnCount; ++column) header.resizeSection(column, widthOfColumn(column));
  const QString last = numberOf(m_model.rowCount());
  header.resizeSection(NodesModel::Number, std::max(widthOfColumn(NodesModel::Number),
                                                    m_table->fontMetrics().horizontalAdvance(last) + 28));
  header.setSectionResizeMode(NodesModel::Node, QHeaderView::Stretch);
  layout->addWidget(m_table, 1);
  layout->addWidget(new Rule(Qt::Horizontal, box));
  m_footer = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, box);
  m_footer->setContentsMargins(12, 4, 8, 4);
  m_footer->setElided();
  layout->addWidget(m_footer);
  addFilterKeys(*m_filter, *m_table);
  m_table->viewport()->installEventFilter(this);
  connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
    if (const QModelIndex row = m_rows.mapToSource(index); row.isValid()) showNode(row.row());
  });
  connect(m_table, &QTableView::activated, this,
          [this](const QModelIndex& index) { openCode(m_rows.mapToSource(index).row()); });
  return box;
}

void NodesView::makeSide() {
  m_side = new NodeSide(m_model.isComparison(), m_entry->request.against == RunRequest::Against::Other, this);
  connect(m_side, &NodeSide::linked, this, &NodesView::codeChosen);
  connect(m_side, &NodeSide::compareRequested, this, [this] {
    if (const auto ref = codeOf(m_selected)) Q_EMIT compareRequested(*ref);
  });
  connect(m_side, &NodeSide::tensorsRequested, this, &NodesView::compareTensors);
  connect(m_side, &NodeSide::aloneRequested, this, &NodesView::runAlone);
}

const DetailsPanel& NodesView::details() const { return m_side->details(); }

/// The data of an order is the column that it sorts by.
void NodesView::addOrders() {
  m_order->addItem(tr("Order: as run"), static_cast<int>(NodesModel::Number));
  if (m_model.isComparison()) m_order->addItem(tr("Order: difference"), static_cast<int>(NodesModel::Largest));
  if (m_model.isUsed(NodesModel::Time)) m_order->addItem(tr("Order: time"), static_cast<int>(NodesModel::Time));
  m_order->setCurrentIndex(0);
}

void NodesView::orderBy(int index) {
  const int column = m_order->itemData(index).toInt();
  m_table->sortByColumn(column, column == NodesModel::Number ? Qt::AscendingOrder : Qt::DescendingOrder);
  if (const QModelIndex current = m_table->currentIndex(); current.isValid()) m_table->scrollTo(current);
}

/// After another comparison.
void NodesView::showReport() {
  const int selected = std::exchange(m_selected, -1);
  m_model.setResult(m_report, m_function);
  m_sentence->setText(sentence());
  addChips();
  fillPlot();
  showTolerance();
  updateFooter();
  select(selected);
  updateTools();
}

void NodesView::fillPlot() {
  if (!m_model.isComparison()) return;
  std::vector<DifferencePlot::Point> points;
  const std::optional<double> tolerance = m_model.tolerance();
  for (int i = 0; i < m_model.rowCount(); ++i) {
    DifferencePlot::Point point;
    const NodeStatus status = m_model.status(i);
    point.kind = isDifference(status)           ? DifferencePlot::Kind::Differs
                 : status == NodeStatus::Within ? DifferencePlot::Kind::Within
                 : status == NodeStatus::Same   ? DifferencePlot::Kind::Same
                                                : DifferencePlot::Kind::None;
    point.difference = m_model.largest(i);
    point.text = m_model.rowText(i);
    points.push_back(std::move(point));
  }
  const auto& at = m_model.result()->firstDifference;
  const std::optional<int> first = at ? std::optional(static_cast<int>(*at)) : std::nullopt;
  m_plot->setPoints(
      std::move(points), first,
      first ? tr("First difference: %1 %2, %3")
                  .arg(numberOf(*first), nameToQt(m_model.node(*first).name), differenceText(m_model.largest(*first)))
            : QString(),
      tolerance, tolerance ? tr("tolerance %1").arg(differenceText(*tolerance)) : QString());
}

/// Hides the least important columns where there is not enough room for the names.
void NodesView::fitColumns() {
  constexpr std::array kLeaves = {NodesModel::Launches,     NodesModel::Written,    NodesModel::Mean,
                                  NodesModel::Maximum,      NodesModel::Minimum,    NodesModel::Elements,
                                  NodesModel::Function,     NodesModel::OutputType, NodesModel::Status,
                                  NodesModel::ReferenceTime};
  std::array<bool, NodesModel::ColumnCount> shown{};
  int needed = kNarrowestName;
  for (int column = 0; column < NodesModel::ColumnCount; ++column) {
    shown[static_cast<std::size_t>(column)] = m_model.isUsed(column);
    if (shown[static_cast<std::size_t>(column)] && column != NodesModel::Node)
      needed +=
          m_table->horizontalHeader()->isSectionHidden(column) ? widthOfColumn(column) : m_table->columnWidth(column);
  }
  for (const int column : kLeaves) {
    if (needed <= m_table->viewport()->width()) break;
    if (!shown[static_cast<std::size_t>(column)]) continue;
    shown[static_cast<std::size_t>(column)] = false;
    needed -= widthOfColumn(column);
  }
  for (int column = 0; column < NodesModel::ColumnCount; ++column)
    if (m_table->isColumnHidden(column) == shown[static_cast<std::size_t>(column)])
      m_table->setColumnHidden(column, !shown[static_cast<std::size_t>(column)]);
}

// --- 2. The selected node

void NodesView::select(int node) {
  if (node < 0 || node >= m_model.rowCount()) return;
  QModelIndex index = m_rows.mapFromSource(m_model.index(node, NodesModel::Node));
  if (!index.isValid()) {
    m_filter->clear();
    m_which->setCurrentIndex(0);
    index = m_rows.mapFromSource(m_model.index(node, NodesModel::Node));
  }
  m_table->setCurrentIndex(index);
  m_table->scrollTo(index);
  showNode(node);
}

void NodesView::showNode(int node) {
  if (node == m_selected) return;
  m_selected = node;
  m_plot->setCurrent(node);
  m_side->show(describe::nodeDetails(*m_model.result(), static_cast<std::size_t>(node), codeOf(node)),
               m_model.node(node), m_model.reference(node));
  updateTools();
  Q_EMIT selectionText(m_model.rowText(node));
}

bool NodesView::goToNextDifference(bool backwards) {
  const int step = backwards ? -1 : 1;
  for (int at = m_selected + step; at >= 0 && at < m_model.rowCount(); at += step)
    if (isDifference(m_model.status(at))) {
      select(at);
      return true;
    }
  return false;
}

void NodesView::updateTools() {
  const int different = m_model.count(NodeStatus::Differs) + m_model.count(NodeStatus::First);
  int before = 0, after = 0;
  for (int i = 0; i < m_model.rowCount(); ++i)
    if (isDifference(m_model.status(i))) ++(i < m_selected ? before : after);
  const bool on = m_selected >= 0 && isDifference(m_model.status(m_selected));
  m_previous->setEnabled(before > 0);
  m_next->setEnabled(after > (on ? 1 : 0));
  m_position->setText(different == 0 ? tr("no difference")
                      : on           ? tr("difference %1 of %2").arg(numberOf(before + 1), numberOf(different))
                                     : tr("%n difference(s)", nullptr, different));
  const bool kept = m_selected >= 0 && std::ranges::any_of(m_model.node(m_selected).outputs,
                                                           [](const run::Output& one) { return !one.file.empty(); });
  const bool there = !m_entry->files.expired();
  m_save->setEnabled(kept && there);
  m_save->setToolTip(plainTip(!kept    ? tr("The outputs of this node were not kept.")
                              : !there ? tr("The outputs of this run are no longer on disk. Run the model again.")
                                       : tr("Saves the outputs of the selected node for NumPy")));
  m_trace->setEnabled(m_model.totalTime() > 0);
  m_side->setLinks(m_selected >= 0 && codeOf(m_selected).has_value(), there && comparableOutput().has_value());
  m_tolerance->setEnabled(there);
  m_tolerance->setToolTip(
      plainTip(there ? tr("Absolute difference up to which floats count as equal, such as 1e-3; with a second number "
                          "after a comma, also relative to the value of A. Empty: that of the types.")
                     : tr("The outputs of this run are no longer on disk. Run the model again.")));
}

void NodesView::updateFooter() {
  QStringList words;
  const int all = m_model.rowCount(), shown = m_rows.rowCount();
  words << (shown == all ? tr("%n node(s)", nullptr, all) : tr("%1 of %n node(s)", nullptr, all).arg(numberOf(shown)));
  if (m_model.totalTime() > 0) words << tr("%1 in all nodes").arg(SamplePlot::timeText(m_model.totalTime()));
  uint64_t kept = 0, bytes = 0;
  for (const run::NodeResult& node : m_model.result()->nodes)
    for (const run::Output& output : node.outputs)
      if (output.statistics) {
        ++kept;
        bytes += protocol::dataBytes(output.type, output.shape).value_or(0);
      }
  if (kept > 0)
    words << tr("%n output(s) kept, %1", nullptr, pluralCount(kept)).arg(toQt(shortSizeText(bytes)));
  else
    words << tr("no outputs kept");
  if (m_entry->report->info && m_entry->report->info->isCpu)
    words << tr("the device runs on the CPU: its times do not represent a GPU");
  m_footer->setText(words.join(QStringLiteral(" · ")));
}

const xref::HostFunction* NodesView::functionOf(int node) const {
  if (!m_entry->functions || node < 0) return nullptr;
  const std::string& name = m_model.node(node).function;
  const auto& hosts = m_entry->functions->hosts;
  const auto found = std::ranges::find_if(
      hosts, [&](const xref::HostFunction& one) { return one.signature.function == name || one.symbol == name; });
  return found == hosts.end() || found->symbol.empty() ? nullptr : &*found;
}

std::optional<Ref> NodesView::codeOf(int node) const {
  const xref::HostFunction* const function = functionOf(node);
  return function ? std::optional(function->ref) : std::nullopt;
}

void NodesView::openCode(int node) {
  if (node < 0) return;
  const auto ref = codeOf(node);
  if (ref)
    Q_EMIT codeChosen(*ref);
  else
    Q_EMIT message(tr("%1 has no code in this library.").arg(nameToQt(m_model.node(node).function)));
}

// --- 3. Events

void NodesView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_F7) {
    const bool found = goToNextDifference(event->modifiers() & Qt::ShiftModifier);
    Q_EMIT message(found ? QString() : tr("There are no more differences in this direction."));
    return;
  }
  QWidget::keyPressEvent(event);
}

void NodesView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_side->setVisible(width() >= kSideFrom);
  // A comparison has more tools beside them.
  const int more = m_model.isComparison() ? kCompareTools : 0;
  const auto style = [&](int from) {
    return width() < from + more ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon;
  };
  m_trace->setToolButtonStyle(style(kTraceWordFrom));
  m_save->setToolButtonStyle(style(kSaveWordFrom));
  fitColumns();
}

bool NodesView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_table->viewport() && event->type() == QEvent::Resize) fitColumns();
  return QWidget::eventFilter(watched, event);
}

} // namespace blobscope::ui
