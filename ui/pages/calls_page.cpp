#include "ui/pages/calls_page.h"

#include "core/base/text.h"
#include "ui/models/calls_model.h"
#include "ui/pages/cell_delegate.h"
#include "ui/pages/flame_view.h"
#include "ui/pages/kind_look.h"
#include "ui/pages/table_page.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/content_text.h"
#include "ui/theme/icons.h"
#include "ui/widgets/filter_keys.h"
#include "ui/widgets/item_menu.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/scroll_area.h"
#include "ui/widgets/segments.h"
#include "ui/widgets/tool_button.h"

#include <QBoxLayout>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeView>

#include <algorithm>
#include <array>

namespace blobscope::ui {
namespace {

using CallKind = view::CallsPage::Kind;
using Measure = CallsModel::Measure;

constexpr std::array kMeasures = {Measure::Flop, Measure::Calls, Measure::Launches, Measure::Code};

/// Sorts numbers as numbers, and shows rows with the text, those above them and those below them.
class CallsFilter : public QSortFilterProxyModel {
public:
  explicit CallsFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    setRecursiveFilteringEnabled(true);
    setAutoAcceptChildRows(true);
    setFilterCaseSensitivity(Qt::CaseInsensitive);
  }

protected:
  bool lessThan(const QModelIndex& a, const QModelIndex& b) const override {
    if (a.column() == CallsModel::Name) return QSortFilterProxyModel::lessThan(a, b);
    return a.data(CallsModel::NumberRole).toDouble() < b.data(CallsModel::NumberRole).toDouble();
  }
};

KindLook callLook(CallKind kind) {
  switch (kind) {
  case CallKind::Function: return {QStringLiteral("kind-vm"), Role::KindVm};
  case CallKind::Kernel: return {QStringLiteral("kind-kernel"), Role::KindDevice};
  case CallKind::Packed: return {QStringLiteral("kind-function"), Role::KindHost};
  case CallKind::Builtins: break;
  }
  return {QStringLiteral("kind-host-code"), Role::KindHost};
}

/// The icon before the name; functions of the model are bold.
class CallsDelegate : public CellDelegate {
public:
  CallsDelegate(QTreeView& view, const CallsModel& model, QSortFilterProxyModel& sorted)
      : CellDelegate(&view), m_model(model), m_sorted(sorted) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const CallKind kind = m_model.page().rows[CallsModel::row(m_sorted.mapToSource(index))].kind;
    QStyleOptionViewItem changed = option;
    if (kind == CallKind::Function && index.column() == CallsModel::Name) changed.font.setWeight(QFont::DemiBold);
    const KindLook look = callLook(kind);
    auto* const self = const_cast<CallsDelegate*>(this);
    self->setRowIcon(index.column() == CallsModel::Name ? icon(look.icon, look.role) : QIcon());
    CellDelegate::paint(painter, changed, index);
  }

private:
  const CallsModel& m_model;
  QSortFilterProxyModel& m_sorted;
};

} // namespace

CallsPage::CallsPage(view::CallsPagePtr page, const PageContext& context, QWidget* parent)
    : PageWidget(parent), m_context(context), m_page(std::move(page)), m_model(new CallsModel(m_page, this)),
      m_tools(new QWidget(this)) {
  setProperty("helpTopic", QStringLiteral("relax-executable"));
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  fillTools();
  m_stack = new QStackedWidget(this);
  auto* const parts = new QSplitter(Qt::Vertical, m_stack);
  parts->setChildrenCollapsible(false);
  parts->addWidget(makeTree());
  parts->addWidget(makeFlame());
  parts->setStretchFactor(0, 3);
  parts->setStretchFactor(1, 1);
  m_stack->addWidget(parts);
  layout->addWidget(m_stack, 1);
  layout->addWidget(new Rule(Qt::Horizontal, this));
  QString text = toQt(m_page->summary);
  if (!m_page->sizes.empty()) text += QStringLiteral("  ·  ") + tr("FLOP estimated for %1").arg(toQt(m_page->sizes));
  if (m_page->omitted > 0)
    text += QStringLiteral("  ·  ") + tr("%n more row(s) not listed", nullptr, pluralCount(m_page->omitted));
  auto* const summary = new ThemeLabel(text, TextRole::Secondary, Role::Secondary, this);
  summary->setContentsMargins(12, 0, 12, 0);
  summary->setFixedHeight(28);
  summary->setElided();
  summary->setToolTip(plainTip(text));
  layout->addWidget(summary);
  connectViews();
  setFocusProxy(m_tree);
  parts->setSizes({420, 140});
  const bool hasWork = std::ranges::any_of(m_page->rows, [](const auto& row) { return row.flop.value_or(0) > 0; });
  m_measures->setCurrent(hasWork ? 0 : 1);
  chooseMeasure(hasWork ? 0 : 1);
  // The function with the most work is open.
  const auto most =
      std::ranges::max_element(m_model->roots(), {}, [this](uint32_t row) { return m_model->value(row); });
  if (most != m_model->roots().end()) m_tree->expand(m_sorted->mapFromSource(m_model->indexOf(*most)));
}

CallsPage::~CallsPage() {
  // Parts send signals while they are destroyed, when this is no page any more.
  for (QObject* const part : findChildren<QObject*>()) part->disconnect(this);
}

void CallsPage::fillTools() {
  auto* const row = new QHBoxLayout(m_tools);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(6);
  m_filter = new QLineEdit(m_tools);
  m_filter->setPlaceholderText(tr("Filter functions"));
  m_filter->setAccessibleName(tr("Filter functions"));
  m_filter->setClearButtonEnabled(true);
  addFindIcon(*m_filter);
  m_filter->setMinimumWidth(110);
  m_filter->setMaximumWidth(200);
  row->addWidget(m_filter);
  row->addWidget(toolButton(QStringLiteral("copy"), tr("Copy all rows"), m_tools, [this] { copyRows(); }));
  m_tools->hide();
}

QWidget* CallsPage::makeTree() {
  auto* const box = new QWidget(this);
  auto* const column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* const bar = new QHBoxLayout;
  bar->setContentsMargins(12, 5, 12, 5);
  bar->setSpacing(8);
  auto* const expand = new LinkButton(tr("Expand all"), box);
  auto* const collapse = new LinkButton(tr("Collapse all"), box);
  bar->addWidget(expand);
  bar->addWidget(collapse);
  bar->addStretch();
  bar->addWidget(new ThemeLabel(tr("Share of"), TextRole::Secondary, Role::Secondary, box));
  m_measures = new Segments(tr("Share of"), box);
  m_measures->setChoices({tr("estimated work"), tr("calls"), tr("launches"), tr("code")},
                         {tr("Floating-point operations of matrix products and convolutions, from the shapes of their "
                             "tensors; other functions count as one for each element of their output"),
                          tr("Calls of packed functions"), tr("Launches of kernels"), tr("Bytes of kernel code")});
  bar->addWidget(m_measures);
  column->addLayout(bar);
  column->addWidget(new Rule(Qt::Horizontal, box));
  m_tree = new QTreeView(box);
  m_sorted = new CallsFilter(m_tree);
  m_sorted->setSourceModel(m_model);
  m_tree->setModel(m_sorted);
  m_tree->setItemDelegate(new CallsDelegate(*m_tree, *m_model, *m_sorted));
  m_tree->setUniformRowHeights(true);
  m_tree->setMouseTracking(true);
  m_tree->setAccessibleName(tr("Calls"));
  m_tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_tree->setSortingEnabled(true);
  m_tree->header()->setSortIndicator(-1, Qt::DescendingOrder);
  m_tree->header()->setStretchLastSection(false);
  m_tree->header()->setSectionResizeMode(CallsModel::Name, QHeaderView::Stretch);
  followContentText(*m_tree);
  const auto none = [this](auto has) { return std::ranges::none_of(m_page->rows, has); };
  m_tree->setColumnHidden(CallsModel::Flop, none([](const auto& row) { return row.flop.has_value(); }));
  m_tree->setColumnHidden(CallsModel::Code, none([](const auto& row) { return row.bytes.has_value(); }));
  constexpr std::array<int, CallsModel::Columns> kWidths = {0, 70, 78, 142, 88, 122};
  for (int i = CallsModel::Calls; i < CallsModel::Columns; ++i) m_tree->setColumnWidth(i, kWidths[std::size_t(i)]);
  column->addWidget(m_tree, 1);
  setTabOrder(m_tree, expand);
  setTabOrder(expand, collapse);
  connect(expand, &LinkButton::clicked, m_tree, &QTreeView::expandAll);
  connect(collapse, &LinkButton::clicked, m_tree, &QTreeView::collapseAll);
  return box;
}

QWidget* CallsPage::makeFlame() {
  auto* const box = new QWidget(this);
  auto* const column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* const head = new QHBoxLayout;
  head->setContentsMargins(12, 6, 12, 2);
  head->setSpacing(8);
  head->addWidget(new ThemeLabel(tr("Flame view"), TextRole::Heading, Role::Text, box));
  m_flameNote = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, box);
  m_flameNote->setElided();
  head->addWidget(m_flameNote, 1);
  column->addLayout(head);
  m_flame = new FlameView(*m_model, box);
  column->addWidget(m_flame, 1);
  return box;
}

void CallsPage::connectViews() {
  addFilterKeys(*m_filter, *m_tree);
  connect(m_filter, &QLineEdit::textChanged, this, &CallsPage::setFilterText);
  connect(m_measures, &Segments::chosen, this, &CallsPage::chooseMeasure);
  connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& index) {
    if (index.isValid() && !m_selecting) select(CallsModel::row(m_sorted->mapToSource(index)), false);
  });
  connect(m_flame, &FlameView::chosen, this, [this](quint32 row) { select(row, true); });
  connect(m_tree, &QTreeView::activated, this, [this](const QModelIndex& index) {
    const view::CallsPage::Row& row = m_page->rows[CallsModel::row(m_sorted->mapToSource(index))];
    if (row.ref) Q_EMIT nodeChosen(*row.ref, true);
  });
  m_tree->setExpandsOnDoubleClick(false);
  onItemMenu(*m_tree, [this](const QModelIndex& index, QPoint place) {
    const view::CallsPage::Row& row = m_page->rows[CallsModel::row(m_sorted->mapToSource(index))];
    Q_EMIT menuRequested(row.ref, toQt(row.name), place);
  });
  auto* const toTable = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_T), this);
  toTable->setContext(Qt::WidgetWithChildrenShortcut);
  connect(toTable, &QShortcut::activated, this, [this] { showTable(m_stack->currentIndex() == 0); });
}

void CallsPage::showTable(bool table) {
  if (table && !m_table) {
    m_table = new TablePage(view::callsTable(m_page), m_context, m_stack);
    m_stack->addWidget(m_table);
    connect(m_table, &PageWidget::nodeChosen, this, &PageWidget::nodeChosen);
    connect(m_table, &PageWidget::selectionText, this, &PageWidget::selectionText);
  }
  m_stack->setCurrentIndex(table ? 1 : 0);
  setFocusProxy(table ? static_cast<QWidget*>(m_table) : m_tree);
  setFocus();
}

void CallsPage::chooseMeasure(int index) {
  m_model->setMeasure(kMeasures[static_cast<std::size_t>(index)]);
  const std::array<QString, 4> notes = {tr("width: estimated work"), tr("width: calls of packed functions"),
                                        tr("width: launches of kernels"), tr("width: bytes of code")};
  m_flameNote->setText(notes[static_cast<std::size_t>(index)] + QStringLiteral(" · ") +
                       tr("a double click goes in, Esc goes out"));
  m_flame->rebuild();
}

void CallsPage::setFilterText(const QString& text) {
  m_sorted->setFilterFixedString(text);
  if (!text.isEmpty()) m_tree->expandAll();
}

void CallsPage::openFind() {
  m_filter->setFocus(Qt::ShortcutFocusReason);
  m_filter->selectAll();
}

/// Selects a row in the other view.
void CallsPage::select(uint32_t row, bool inTree) {
  if (inTree) {
    m_selecting = true;
    const QModelIndex index = m_sorted->mapFromSource(m_model->indexOf(row));
    m_tree->setCurrentIndex(index);
    m_tree->scrollTo(index);
    m_selecting = false;
  } else {
    if (m_flame->zoomed() != m_model->rootOf(row)) m_flame->zoomTo(m_model->rootOf(row));
    m_flame->setCurrent(row);
  }
  showRow(row);
}

void CallsPage::showRow(uint32_t number) {
  using Page = view::CallsPage;
  const Page::Row& row = m_page->rows[number];
  const auto text = [&](int column) { return fromQt(m_model->indexOf(number, column).data().toString()); };
  Q_EMIT selectionText(tr("%1, calls: %2").arg(toQt(row.name), toQt(Page::countText(row, row.calls))));
  view::DetailGroup group;
  constexpr std::array<const char*, 4> kTitles = {"VM function", "Packed function", "Kernel",
                                                  "Functions of the runtime"};
  group.title = kTitles[static_cast<std::size_t>(row.kind)];
  const auto add = [&](const char* label, std::string value, std::optional<Ref> link = {}) {
    view::DetailRow one{label, std::move(value), false, {}, {}};
    one.link = std::move(link);
    group.rows.push_back(std::move(one));
  };
  add("Name", row.name, row.ref);
  const QModelIndex above = m_model->parent(m_model->indexOf(number));
  if (above.isValid())
    add("Called by", m_page->rows[CallsModel::row(above)].name, m_page->rows[CallsModel::row(above)].ref);
  add("Call count", text(CallsModel::Calls));
  add("Launch count", text(CallsModel::Launches));
  add("FLOP", text(CallsModel::Flop));
  add("Code bytes", text(CallsModel::Code));
  add("Share", text(CallsModel::Share));
  if (row.first) add("First instruction", groupedText(*row.first));
  if (row.recursive) group.note = "It is above itself in the tree; what it calls is not repeated.";
  Q_EMIT detailsChanged({group});
}

void CallsPage::copyRows() const {
  constexpr uint64_t kMost = 20'000;
  QStringList lines;
  const auto table = view::callsTable(m_page).source;
  const auto columns = table->columns().size();
  for (uint64_t row = 0; row < std::min(table->rowCount(), kMost); ++row) {
    QStringList cells;
    for (std::size_t column = 0; column < columns; ++column) cells << toQt(table->cell(row, column));
    lines << cells.join(QLatin1Char('\t'));
  }
  QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

} // namespace blobscope::ui
