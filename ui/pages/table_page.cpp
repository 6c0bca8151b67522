#include "ui/pages/table_page.h"

#include "core/base/path_text.h"
#include "core/base/text.h"
#include "ui/pages/cell_delegate.h"
#include "ui/pages/column_widths.h"
#include "ui/pages/kind_look.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/content_text.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/copy_limit.h"
#include "ui/widgets/filter_keys.h"
#include "ui/widgets/item_menu.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/tool_button.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPointer>
#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {
namespace {

/// A larger copy would block the window.
constexpr int kCopyRows = 50'000;
/// Longer tables have rows of one line: computing more row heights would block the window.
constexpr uint64_t kWrappedRows = 2'000;
constexpr int kLines = 6;

QIcon iconOf(const Ref& target) {
  if (!target.parts.empty()) {
    const PartKind part = target.parts.back().kind;
    const library::RowKind kind = part == PartKind::Function                           ? library::RowKind::Function
                                  : part == PartKind::Const || part == PartKind::Param ? library::RowKind::Constant
                                  : part == PartKind::Entry                            ? library::RowKind::Image
                                                                                       : library::RowKind::Kernel;
    const KindLook look = kindLook(kind, {});
    return icon(look.icon, look.role);
  }
  switch (target.kind) {
  case Ref::Kind::Module: return icon(QStringLiteral("kind-module"), Role::KindContainer);
  case Ref::Kind::Host: return icon(QStringLiteral("kind-function"), Role::KindHost);
  case Ref::Kind::Symbol: return icon(QStringLiteral("kind-symbol"), Role::KindHost);
  case Ref::Kind::Section: return icon(QStringLiteral("kind-section"), Role::KindContainer);
  default: return {};
  }
}

} // namespace

TablePage::TablePage(const view::TablePage& page, const PageContext& context, QWidget* parent)
    : PageWidget(parent), m_jobs(context.jobs), m_node(context.node),
      m_tag(QStringLiteral("table/%1").arg(reinterpret_cast<quintptr>(this))),
      m_model(new TableModel(page.source, this)), m_delegate(nullptr), m_view(new QTableView(this)),
      m_tools(new QWidget(this)), m_filter(new QLineEdit(m_tools)),
      m_summary(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)), m_extras(page.extras),
      m_file(context.package ? pathFrom(context.package->path) : std::filesystem::path()) {
  fillTools();
  setUpView(*page.source);
  m_summary->setContentsMargins(12, 0, 12, 0);
  m_summary->setFixedHeight(28);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  if (m_extras) {
    addExtras(*layout);
  } else {
    layout->addWidget(m_view);
    layout->addWidget(new Rule(Qt::Horizontal, this));
    layout->addWidget(m_summary);
  }

  measureColumns();
  m_matched.fill(false, m_neededWidths.size());
  m_hidden.fill(false, m_neededWidths.size());
  updateSummary();
  connectView();
  measureAllRows();
  m_view->installEventFilter(this);
  setFocusProxy(m_view);
  if (m_extras) {
    showExtras();
    restoreChoice();
  }
}

void TablePage::fillTools() {
  m_filter->setPlaceholderText(tr("Filter %n row(s)", nullptr, pluralCount(m_model->source()->rowCount())));
  m_filter->setAccessibleName(tr("Filter rows"));
  addFilterKeys(*m_filter, *m_view);
  m_filter->setClearButtonEnabled(true);
  addFindIcon(*m_filter);
  m_filter->setMinimumWidth(110);
  m_filter->setMaximumWidth(220);
  auto* const tools = new QHBoxLayout(m_tools);
  tools->setContentsMargins(0, 0, 0, 0);
  tools->setSpacing(4);
  tools->addWidget(m_filter);
  tools->addWidget(toolButton(QStringLiteral("copy"), tr("Copy the selected rows, or all of them"), m_tools,
                              [this] { copySelection(); }));
  tools->addWidget(toolButton(QStringLiteral("export"), tr("Save the rows that are shown as CSV"), m_tools,
                              [this] { askForExport(); }));
  m_tools->hide();
}

void TablePage::setUpView(const view::TableSource& source) {
  m_view->setModel(m_model);
  m_delegate = new CellDelegate(m_view);
  m_delegate->setLineLimit(wraps() ? kLines : 1);
  if (source.rowCount() > 0)
    if (const auto target = source.target(0, m_node)) m_delegate->setRowIcon(iconOf(*target));
  m_view->setItemDelegate(m_delegate);
  m_view->setShowGrid(false);
  m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_view->setWordWrap(false);
  m_view->setMouseTracking(true);
  m_view->setAccessibleName(tr("Table"));
  m_view->verticalHeader()->hide();
  followContentText(*m_view);
  m_view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  m_view->horizontalHeader()->setHighlightSections(false);
  m_view->horizontalHeader()->setSectionsClickable(true);
  m_view->horizontalHeader()->setSortIndicatorShown(true);
  m_view->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  m_view->horizontalHeader()->setStretchLastSection(true);
  m_view->horizontalHeader()->setFixedHeight(28);
}

int TablePage::cellWidth(int column, const QString& text) const {
  const QFontMetrics metrics(isCodeText(text) ? codeFontBeside(m_view->font()) : m_view->font());
  const view::Column source = m_model->source()->columns()[static_cast<std::size_t>(column)];
  const int row = m_model->hasGroups() ? 1 : 0; // the first one that is not a heading
  const bool bar = m_model->rowCount() > row && m_model->index(row, column).data(BarRole).isValid();
  if (source.words) return m_delegate->wordsWidth(text) + 16;
  return metrics.horizontalAdvance(text) + 24 + (column == 0 ? 24 + (m_extras ? CellDelegate::kGroupIndent : 0) : 0) +
         (bar || source.lowPercent ? 44 : 0);
}

void TablePage::measureColumns() {
  // Measures the first rows immediately, and all rows in the background.
  QFont bold = textFont(TextRole::Secondary);
  bold.setWeight(QFont::DemiBold);
  const QFontMetrics title(bold);
  m_neededWidths.clear();
  for (int column = 0; column < m_model->columnCount(); ++column) {
    int width = title.horizontalAdvance(m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()) + 34;
    for (int row = 0; row < qMin(m_model->rowCount(), 60); ++row)
      width = qMax(width, cellWidth(column, m_model->index(row, column).data().toString()));
    m_neededWidths << width;
  }
  m_measuredFont = m_view->font();
}

void TablePage::measureAllRows() {
  const CharacterWidths words{QFontMetricsF(m_view->font())}, code{QFontMetricsF(codeFontBeside(m_view->font()))};
  m_jobs.start<TableMeasure>(
      m_tag + QLatin1String("/widths"),
      [source = m_model->source(), words, code](Monitor& monitor) {
        return measureTable(*source, words, code, monitor);
      },
      [guard = QPointer<TablePage>(this)](Result<TableMeasure> found) {
        if (!guard || !found) return;
        const std::vector<view::Column> columns = guard->m_model->source()->columns();
        for (qsizetype at = 0; at < guard->m_neededWidths.size(); ++at) {
          const auto column = static_cast<std::size_t>(at);
          const QString text = cellText(columns[column], found->widest[column]);
          guard->m_neededWidths[at] = qMax(guard->m_neededWidths[at], guard->cellWidth(static_cast<int>(at), text));
        }
        guard->m_delegate->setAffixes(found->affixes);
        guard->fitColumns();
        guard->m_view->viewport()->update();
        Q_EMIT guard->measured();
      });
}

bool TablePage::wraps() const { return !m_extras && m_model->source()->rowCount() <= kWrappedRows; }

void TablePage::connectView() {
  m_filterDelay.setSingleShot(true);
  m_filterDelay.setInterval(120);
  connect(m_filter, &QLineEdit::textChanged, &m_filterDelay, qOverload<>(&QTimer::start));
  connect(&m_filterDelay, &QTimer::timeout, this, &TablePage::requestOrder);
  connect(m_view->horizontalHeader(), &QHeaderView::sectionClicked, this, &TablePage::chooseSort);
  const auto choose = [this](const QModelIndex& index, bool open) {
    if (!index.isValid()) return;
    if (m_model->isGroup(index.row())) return;
    const uint64_t row = m_model->sourceRow(index.row());
    if (const auto target = m_model->source()->target(row, m_node)) Q_EMIT nodeChosen(*target, open);
    if (open) Q_EMIT rowActivated(row);
  };
  onItemMenu(*m_view, [this](const QModelIndex& index, QPoint place) {
    const bool heading = index.isValid() && m_model->isGroup(index.row());
    Q_EMIT menuRequested(heading ? std::nullopt : m_model->source()->target(m_model->sourceRow(index.row()), m_node),
                         index.data().toString(), place);
  });
  connect(m_view, &QTableView::activated, this, [choose](const QModelIndex& index) { choose(index, true); });
  connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [choose](const QModelIndex& index) { choose(index, false); });
}

void TablePage::chooseSort(int column) {
  // The first click sorts numbers by the largest, text from A; the third click restores the stored order.
  const bool number = m_model->source()->columns()[static_cast<std::size_t>(column)].number;
  const Qt::SortOrder first = number ? Qt::DescendingOrder : Qt::AscendingOrder;
  if (m_sortColumn != column) {
    m_sortColumn = column;
    m_sortOrder = first;
  } else if (m_sortOrder == first) {
    m_sortOrder = number ? Qt::AscendingOrder : Qt::DescendingOrder;
  } else {
    m_sortColumn = -1;
  }
  m_view->horizontalHeader()->setSortIndicator(m_sortColumn, m_sortOrder);
  requestOrder();
}

TablePage::~TablePage() {
  m_jobs.cancel(m_tag);
  m_jobs.cancel(m_tag + QLatin1String("/widths"));
  m_jobs.cancel(m_tag + QLatin1String("/choice"));
}

bool TablePage::showPart(const Ref::Part& part) {
  // Parts have names, which only tables of up to a few thousand rows contain.
  const uint64_t rows = qMin<uint64_t>(m_model->source()->rowCount(), 100'000);
  for (uint64_t row = 0; row < rows; ++row) {
    const auto target = m_model->source()->target(row, m_node);
    if (!target) return false;
    if (target->parts.empty() || !(target->parts.back() == part)) continue;
    selectSourceRow(row);
    return true;
  }
  return false;
}

void TablePage::selectSourceRow(uint64_t row) {
  m_model->unfold();
  for (int shown = 0; shown < m_model->rowCount(); ++shown)
    if (!m_model->isGroup(shown) && m_model->sourceRow(shown) == row) {
      m_view->selectRow(shown);
      m_view->scrollTo(m_model->index(shown, 0), QAbstractItemView::PositionAtCenter);
    }
}

std::optional<Ref::Part> TablePage::selectedPart() const {
  const QModelIndex index = m_view->currentIndex();
  if (!index.isValid() || m_model->isGroup(index.row()) || !m_view->selectionModel()->isRowSelected(index.row()))
    return std::nullopt;
  const auto target = m_model->source()->target(m_model->sourceRow(index.row()), m_node);
  if (!target || target->parts.empty() || *target != m_node.part(target->parts.back().kind, target->parts.back().name))
    return std::nullopt;
  return target->parts.back();
}

void TablePage::openFind() {
  m_filter->setFocus(Qt::ShortcutFocusReason);
  m_filter->selectAll();
}

void TablePage::requestOrder() {
  TableOrder order{fromQt(m_filter->text().toLower()), m_sortColumn, m_sortOrder == Qt::DescendingOrder, nullptr,
                   std::nullopt};
  if (m_extras) addGrouping(order);
  if (order.filter.empty() && order.column < 0 && !order.groupOf) {
    m_jobs.cancel(m_tag);
    m_model->setOrder(std::nullopt);
    m_delegate->setFilter({});
    m_matched.fill(false);
    fitColumns();
    Q_EMIT ordered();
    return;
  }
  m_jobs.start<OrderedRows>(
      m_tag, [source = m_model->source(), order](Monitor& monitor) { return orderRows(*source, order, monitor); },
      [guard = QPointer<TablePage>(this), filter = toQt(order.filter)](Result<OrderedRows> found) {
        if (!guard || !found) return;
        const QModelIndex current = guard->m_view->currentIndex();
        std::optional<uint64_t> selected;
        if (guard->m_extras && current.isValid() && !guard->m_model->isGroup(current.row()))
          selected = guard->m_model->sourceRow(current.row());
        guard->m_model->setOrder(std::move(found->rows), std::move(found->groups));
        if (selected) guard->selectQuietly(*selected);
        guard->m_delegate->setFilter(filter);
        for (qsizetype column = 0; column < guard->m_matched.size(); ++column)
          guard->m_matched[column] = found->matched[static_cast<std::size_t>(column)];
        guard->fitColumns();
        Q_EMIT guard->ordered();
      });
}

void TablePage::updateSummary() {
  const uint64_t all = m_model->source()->rowCount();
  const auto& order = m_model->order();
  const uint64_t shown = order ? order->size() : all;
  const auto title = [this](int column) {
    return m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  };
  QString text = shown == all ? tr("%n row(s)", nullptr, pluralCount(all))
                              : tr("%1 of %n row(s)", nullptr, pluralCount(all)).arg(toQt(groupedText(shown)));
  if (m_extras && shown == all) text = toQt(m_extras->summary);
  const bool number = m_sortColumn >= 0 && m_model->source()->columns()[static_cast<std::size_t>(m_sortColumn)].number;
  const bool descending = m_sortOrder == Qt::DescendingOrder;
  if (m_extras)
    ; // the header shows it
  else if (m_sortColumn < 0)
    text += tr("  ·  in stored order");
  else if (number)
    text += (descending ? tr("  ·  sorted by %1, largest first") : tr("  ·  sorted by %1, smallest first"))
                .arg(title(m_sortColumn));
  else
    text += (descending ? tr("  ·  sorted by %1, Z to A") : tr("  ·  sorted by %1, A to Z")).arg(title(m_sortColumn));
  QStringList left;
  for (int column = 0; column < m_hidden.size(); ++column)
    if (m_hidden[column]) left << title(column);
  if (!left.isEmpty()) text += tr("  ·  hidden columns: %1").arg(left.join(QStringLiteral(", ")));
  m_summary->setText(text);
}

void TablePage::resizeEvent(QResizeEvent* event) {
  PageWidget::resizeEvent(event);
  fitColumns();
}

void TablePage::fitColumns() {
  constexpr int kScrollBar = 14;
  const std::vector<view::Column> columns = m_model->source()->columns();
  QVector<ColumnNeed> wishes;
  for (int column = 0; column < m_neededWidths.size(); ++column) {
    const view::Column& source = columns[static_cast<std::size_t>(column)];
    wishes.append({m_neededWidths[column], source.number,
                   source.bar || source.lowPercent || source.words || column == m_sortColumn, m_matched[column]});
  }
  const ColumnWidths fitted = ui::fitColumns(wishes, width() - kScrollBar, wraps() || m_extras);
  m_hidden = fitted.left;
  for (int column = 0; column < wishes.size(); ++column) {
    m_view->setColumnHidden(column, m_hidden[column]);
    m_view->setColumnWidth(column, fitted.widths[column]);
  }
  fitRows();
  updateSummary();
}

void TablePage::fitRows() {
  if (!wraps()) return;
  QHeaderView* const header = m_view->verticalHeader();
  const QSignalBlocker quiet(header);
  bool changed = false;
  const QFont font = m_view->font();
  const std::vector<view::Column> columns = m_model->source()->columns();
  for (int row = 0; row < m_model->rowCount(); ++row) {
    int lines = 1;
    for (int column = 0; column < m_model->columnCount() && !m_model->isGroup(row); ++column)
      if (!m_hidden[column] && !columns[static_cast<std::size_t>(column)].words &&
          !columns[static_cast<std::size_t>(column)].number && m_neededWidths[column] > m_view->columnWidth(column))
        lines = qMax(lines, m_delegate->linesOf(m_model->index(row, column), font, m_view->columnWidth(column)));
    const int height = CellDelegate::heightOf(lines, font);
    if (header->sectionSize(row) == height) continue;
    header->resizeSection(row, height);
    changed = true;
  }
  if (changed) QMetaObject::invokeMethod(m_view, "updateGeometries");
  m_view->viewport()->update();
}

bool TablePage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_view && event->type() == QEvent::FontChange && m_view->font() != m_measuredFont) {
    measureColumns();
    measureAllRows();
    fitColumns();
  }
  if (watched == m_view && event->type() == QEvent::KeyPress && foldsGroup(*static_cast<QKeyEvent*>(event)))
    return true;
  if (watched == m_view && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
    copySelection();
    return true;
  }
  return PageWidget::eventFilter(watched, event);
}

void TablePage::copySelection() {
  QString text;
  QItemSelection selection = m_view->selectionModel()->selection();
  if (selection.isEmpty() && m_model->rowCount() > 0)
    selection.select(m_model->index(0, 0), m_model->index(m_model->rowCount() - 1, m_model->columnCount() - 1));
  for (const QItemSelectionRange& range : selection)
    for (int row = range.top(); row <= range.bottom(); ++row) {
      for (int column = 0; column < m_model->columnCount(); ++column)
        text += (column > 0 ? QStringLiteral("\t") : QString()) + m_model->index(row, column).data().toString();
      text += QLatin1Char('\n');
      if (row - range.top() >= kCopyRows || static_cast<uint64_t>(text.size()) * sizeof(QChar) > kCopyBytes) {
        Q_EMIT message(tr("At most %1 rows can be copied at once. blobscope-cli show writes all rows to a file.")
                           .arg(toQt(groupedText(kCopyRows))));
        return;
      }
    }
  QGuiApplication::clipboard()->setText(text);
}

} // namespace blobscope::ui
