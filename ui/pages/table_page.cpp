#include "ui/pages/table_page.h"

#include "core/base/text.h"
#include "ui/pages/cell_delegate.h"
#include "ui/pages/kind_look.h"
#include "ui/text/plain_text.h"
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
#include <numeric>

namespace blobscope::ui {
namespace {

constexpr uint64_t kLook = 4096;
/// More would keep the window from answering.
constexpr int kCopyRows = 50'000;

bool containsFolded(std::string_view text, std::string_view lowered) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::search(text.begin(), text.end(), lowered.begin(), lowered.end(),
                     [&](char a, char b) { return lower(a) == b; }) != text.end();
}

struct Order {
  std::string filter; ///< lower case
  int column = -1;
  bool descending = false;
};

/// The rows that match, in the order asked for.
Result<std::vector<uint32_t>> computeOrder(const view::TableSource& source, const Order& order, Monitor& monitor) {
  const std::size_t columns = source.columns().size();
  const auto rows = static_cast<uint32_t>(std::min<uint64_t>(source.rowCount(), UINT32_MAX));
  std::vector<uint32_t> out;
  for (uint32_t row = 0; row < rows; ++row) {
    if (row % kLook == 0) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("filtering rows", row, rows);
    }
    bool match = order.filter.empty();
    for (std::size_t column = 0; column < columns && !match; ++column)
      match = containsFolded(source.cell(row, column), order.filter);
    if (match) out.push_back(row);
  }
  if (order.column < 0) return out;
  // Keys are made once: a comparison then costs no cell.
  const auto column = static_cast<std::size_t>(order.column);
  const bool number = source.columns()[column].number;
  struct Key {
    uint64_t number;
    std::string text;
  };
  std::vector<Key> keys(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i % kLook == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    std::string text = source.cell(out[i], column);
    if (number)
      keys[i].number = parseNumber(text).value_or(0);
    else
      keys[i].text = std::move(text);
  }
  std::vector<uint32_t> positions(out.size());
  std::iota(positions.begin(), positions.end(), 0);
  std::stable_sort(positions.begin(), positions.end(), [&](uint32_t a, uint32_t b) {
    const Key &first = keys[order.descending ? b : a], &second = keys[order.descending ? a : b];
    return number ? first.number < second.number : first.text < second.text;
  });
  std::vector<uint32_t> sorted(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) sorted[i] = out[positions[i]];
  return sorted;
}

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
      m_model(new TableModel(page.source, this)), m_view(new QTableView(this)), m_tools(new QWidget(this)),
      m_filter(new QLineEdit(m_tools)), m_summary(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  fillTools();
  layout->addWidget(m_view);
  layout->addWidget(new Rule(Qt::Horizontal, this));
  m_summary->setContentsMargins(12, 0, 12, 0);
  m_summary->setFixedHeight(28);
  layout->addWidget(m_summary);

  setUpView(*page.source);
  measureColumns();
  updateSummary();
  connectView();
  m_view->installEventFilter(this);
  setFocusProxy(m_view);
}

void TablePage::fillTools() {
  m_filter->setPlaceholderText(tr("Filter %1 rows").arg(toQt(groupedText(m_model->source()->rowCount()))));
  m_filter->setAccessibleName(tr("Filter rows"));
  addFilterKeys(*m_filter, *m_view);
  m_filter->setClearButtonEnabled(true);
  m_filter->addAction(icon(QStringLiteral("find")), QLineEdit::LeadingPosition);
  m_filter->setMinimumWidth(110);
  m_filter->setMaximumWidth(220);
  auto* const tools = new QHBoxLayout(m_tools);
  tools->setContentsMargins(0, 0, 0, 0);
  tools->setSpacing(4);
  tools->addWidget(m_filter);
  tools->addWidget(toolButton(QStringLiteral("copy"), tr("Copy the selected rows, or all of them"), m_tools,
                              [this] { copySelection(); }));
  m_tools->hide();
}

void TablePage::setUpView(const view::TableSource& source) {
  m_view->setModel(m_model);
  auto* const delegate = new CellDelegate(m_view);
  if (source.rowCount() > 0)
    if (const auto target = source.target(0, m_node)) delegate->setRowIcon(iconOf(*target));
  m_view->setItemDelegate(delegate);
  m_view->setShowGrid(false);
  m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_view->setWordWrap(false);
  m_view->setMouseTracking(true);
  m_view->setAccessibleName(tr("Table"));
  m_view->verticalHeader()->hide();
  m_view->verticalHeader()->setDefaultSectionSize(metrics::rowHeight());
  m_view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  m_view->horizontalHeader()->setHighlightSections(false);
  m_view->horizontalHeader()->setSectionsClickable(true);
  m_view->horizontalHeader()->setSortIndicatorShown(true);
  m_view->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  m_view->horizontalHeader()->setStretchLastSection(true);
  m_view->horizontalHeader()->setFixedHeight(28);
}

void TablePage::measureColumns() {
  // Widths from the first rows: measuring half a million cells would take seconds.
  const QFontMetrics font(m_view->font());
  for (int column = 0; column < m_model->columnCount(); ++column) {
    int width = font.horizontalAdvance(m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()) + 32;
    for (int row = 0; row < qMin(m_model->rowCount(), 60); ++row)
      width = qMax(width, font.horizontalAdvance(m_model->index(row, column).data().toString()) + 24 +
                              (m_model->index(row, column).data(BarRole).isValid() ? 44 : 0));
    m_wishes << qMin(width, 420);
  }
}

void TablePage::connectView() {
  m_filterDelay.setSingleShot(true);
  m_filterDelay.setInterval(120);
  connect(m_filter, &QLineEdit::textChanged, &m_filterDelay, qOverload<>(&QTimer::start));
  connect(&m_filterDelay, &QTimer::timeout, this, &TablePage::requestOrder);
  connect(m_view->horizontalHeader(), &QHeaderView::sectionClicked, this, [this](int column) {
    // Third click: back to the stored order.
    if (m_sortColumn == column && m_sortOrder == Qt::DescendingOrder) {
      m_sortColumn = -1;
    } else {
      m_sortOrder = m_sortColumn == column ? Qt::DescendingOrder : Qt::AscendingOrder;
      m_sortColumn = column;
    }
    m_view->horizontalHeader()->setSortIndicator(m_sortColumn, m_sortOrder);
    requestOrder();
  });
  const auto choose = [this](const QModelIndex& index, bool open) {
    if (!index.isValid()) return;
    const uint64_t row = m_model->sourceRow(index.row());
    if (const auto target = m_model->source()->target(row, m_node)) Q_EMIT nodeChosen(*target, open);
    if (open) Q_EMIT rowActivated(row);
  };
  onItemMenu(*m_view, [this](const QModelIndex& index, QPoint place) {
    Q_EMIT menuRequested(m_model->source()->target(m_model->sourceRow(index.row()), m_node), index.data().toString(),
                         place);
  });
  connect(m_view, &QTableView::activated, this, [choose](const QModelIndex& index) { choose(index, true); });
  connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [choose](const QModelIndex& index) { choose(index, false); });
}

TablePage::~TablePage() { m_jobs.cancel(m_tag); }

bool TablePage::showPart(const Ref::Part& part) {
  // Parts have names of their own; only tables of a few thousand rows have them.
  const uint64_t rows = qMin<uint64_t>(m_model->source()->rowCount(), 100'000);
  for (uint64_t row = 0; row < rows; ++row) {
    const auto target = m_model->source()->target(row, m_node);
    if (!target) return false;
    if (target->parts.empty() || !(target->parts.back() == part)) continue;
    for (int shown = 0; shown < m_model->rowCount(); ++shown)
      if (m_model->sourceRow(shown) == row) {
        m_view->selectRow(shown);
        m_view->scrollTo(m_model->index(shown, 0), QAbstractItemView::PositionAtCenter);
      }
    return true;
  }
  return false;
}

std::optional<Ref::Part> TablePage::selectedPart() const {
  const QModelIndex index = m_view->currentIndex();
  if (!index.isValid() || !m_view->selectionModel()->isRowSelected(index.row())) return std::nullopt;
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
  const Order order{fromQt(m_filter->text().toLower()), m_sortColumn, m_sortOrder == Qt::DescendingOrder};
  if (order.filter.empty() && order.column < 0) {
    m_jobs.cancel(m_tag);
    m_model->setOrder(std::nullopt);
    updateSummary();
    Q_EMIT ordered();
    return;
  }
  m_jobs.start<std::vector<uint32_t>>(
      m_tag, [source = m_model->source(), order](Monitor& monitor) { return computeOrder(*source, order, monitor); },
      [guard = QPointer<TablePage>(this)](Result<std::vector<uint32_t>> rows) {
        if (!guard || !rows) return;
        guard->m_model->setOrder(std::move(*rows));
        guard->updateSummary();
        Q_EMIT guard->ordered();
      });
}

void TablePage::updateSummary() {
  const uint64_t all = m_model->source()->rowCount();
  const auto shown = static_cast<uint64_t>(m_model->rowCount());
  m_summary->setText(shown == all ? tr("%1 rows").arg(toQt(groupedText(all)))
                                  : tr("%1 of %2 rows").arg(toQt(groupedText(shown)), toQt(groupedText(all))));
}

void TablePage::resizeEvent(QResizeEvent* event) {
  PageWidget::resizeEvent(event);
  fitColumns();
}

void TablePage::fitColumns() {
  // The widest columns of words give way until all are to be seen, the name last; words are elided, numbers never.
  constexpr int kLeast = 90, kLeastName = 240, kScrollBar = 14;
  QVector<int> widths = m_wishes;
  const int room = width() - kScrollBar;
  int total = std::accumulate(widths.begin(), widths.end(), 0);
  const std::vector<view::Column> columns = m_model->source()->columns();
  const auto shrink = [&](int first, int least) {
    while (total > room) {
      int widest = -1;
      for (int column = first; column < widths.size(); ++column)
        if (!columns[static_cast<std::size_t>(column)].number && (widest < 0 || widths[column] > widths[widest]))
          widest = column;
      if (widest < 0 || widths[widest] <= least) break;
      const int cut = qMin(qMax(1, (total - room) / 4), widths[widest] - least);
      widths[widest] -= cut;
      total -= cut;
    }
  };
  shrink(1, kLeast + 90);
  shrink(0, kLeastName);
  shrink(1, kLeast);
  for (int column = 0; column < widths.size(); ++column) m_view->setColumnWidth(column, widths[column]);
}

bool TablePage::eventFilter(QObject* watched, QEvent* event) {
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
        Q_EMIT message(
            tr("More than %1 rows are too many for the clipboard; blobscope-cli show writes all of them to a file.")
                .arg(kCopyRows));
        return;
      }
    }
  QGuiApplication::clipboard()->setText(text);
}

} // namespace blobscope::ui
