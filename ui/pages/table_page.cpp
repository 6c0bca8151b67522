#include "ui/pages/table_page.h"

#include "core/base/text.h"
#include "ui/session/strings.h"
#include "ui/theme/delegates.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>

namespace blobscope::ui {
namespace {

constexpr uint64_t kLook = 4096;
constexpr qsizetype kCopyLimit = 64 << 20;

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

} // namespace

TablePage::TablePage(const view::TablePage& page, Jobs& jobs, QWidget* parent)
    : PageWidget(parent), m_jobs(jobs), m_tag(QStringLiteral("table/%1").arg(reinterpret_cast<quintptr>(this))),
      m_model(new TableModel(page.source, this)), m_view(new QTableView(this)), m_filter(new QLineEdit(this)),
      m_summary(new QLabel(this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  m_filter->setPlaceholderText(tr("Filter %1 rows").arg(toQt(groupedText(page.source->rowCount()))));
  m_filter->setAccessibleName(tr("Filter rows"));
  m_filter->setClearButtonEnabled(true);
  m_filter->setMaximumWidth(320);
  auto* const bar = new QWidget(this);
  auto* const barLayout = new QHBoxLayout(bar);
  barLayout->setContentsMargins(8, 4, 8, 4);
  barLayout->addWidget(m_filter);
  barLayout->addStretch();
  layout->addWidget(bar);
  layout->addWidget(m_view);
  m_summary->setContentsMargins(12, 4, 12, 6);
  m_summary->setFont(textFont(TextRole::Secondary));
  layout->addWidget(m_summary);

  m_view->setModel(m_model);
  m_view->setItemDelegate(new CellDelegate(m_view));
  m_view->setShowGrid(false);
  m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_view->setWordWrap(false);
  m_view->setAccessibleName(tr("Table"));
  m_view->verticalHeader()->hide();
  m_view->verticalHeader()->setDefaultSectionSize(metrics::rowHeight());
  m_view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  m_view->horizontalHeader()->setHighlightSections(false);
  m_view->horizontalHeader()->setSectionsClickable(true);
  m_view->horizontalHeader()->setSortIndicatorShown(true);
  m_view->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  m_view->horizontalHeader()->setStretchLastSection(true);
  // Widths from the first rows: measuring half a million cells would take seconds.
  const QFontMetrics font(m_view->font());
  for (int column = 0; column < m_model->columnCount(); ++column) {
    int width = font.horizontalAdvance(m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()) + 32;
    for (int row = 0; row < qMin(m_model->rowCount(), 60); ++row)
      width = qMax(width, font.horizontalAdvance(m_model->index(row, column).data().toString()) + 24);
    m_view->setColumnWidth(column, qMin(width, 420));
  }
  updateSummary();

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
  connect(m_view, &QTableView::activated, this,
          [this](const QModelIndex& index) { Q_EMIT rowActivated(m_model->sourceRow(index.row())); });
  m_view->installEventFilter(this);
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
  for (const QItemSelectionRange& range : m_view->selectionModel()->selection())
    for (int row = range.top(); row <= range.bottom(); ++row) {
      for (int column = 0; column < m_model->columnCount(); ++column)
        text += (column > 0 ? QStringLiteral("\t") : QString()) + m_model->index(row, column).data().toString();
      text += QLatin1Char('\n');
      if (text.size() > kCopyLimit / 2) {
        Q_EMIT message(tr("The selection is larger than 64 MiB; blobscope-cli symbols writes all of it to a file"));
        return;
      }
    }
  QGuiApplication::clipboard()->setText(text);
}

} // namespace blobscope::ui
