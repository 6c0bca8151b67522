#include "ui/compare/rows_pair_page.h"

#include "core/base/text.h"
#include "ui/compare/diff_delegate.h"
#include "ui/models/diff_model.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/content_text.h"
#include "ui/widgets/labels.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>

namespace blobscope::ui {
namespace {

/// A larger copy would block the window.
constexpr int kCopyRows = 50'000;
constexpr int kMeasured = 60;

} // namespace

RowsPairPage::RowsPairPage(const ComparedPagePtr& page, QWidget* parent)
    : PairPage(parent), m_model(new DiffRowsModel(page, this)), m_view(new QTableView(this)),
      m_summary(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(m_view);
  layout->addWidget(new Rule(Qt::Horizontal, this));
  m_summary->setContentsMargins(12, 0, 12, 0);
  m_summary->setFixedHeight(28);
  m_summary->setText(summary(*page));
  layout->addWidget(m_summary);

  m_view->setModel(m_model);
  m_view->setItemDelegate(new DiffCellDelegate(m_view));
  m_view->setShowGrid(false);
  m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_view->setWordWrap(false);
  m_view->setMouseTracking(true);
  m_view->setTabKeyNavigation(false);
  m_view->setAccessibleName(tr("Rows of both sides"));
  m_view->verticalHeader()->hide();
  followContentText(*m_view);
  m_view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  m_view->horizontalHeader()->setHighlightSections(false);
  m_view->horizontalHeader()->setStretchLastSection(true);
  m_view->horizontalHeader()->setFixedHeight(28);
  m_view->installEventFilter(this);
  setFocusProxy(m_view);
  connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this] { Q_EMIT changeMoved(currentChange(), changeCount()); });
  measureColumns();
}

void RowsPairPage::measureColumns() {
  // Measures the first rows and the first rows that differ.
  const QFontMetrics font(m_view->font());
  m_neededWidths.clear();
  for (int column = 0; column < m_model->columnCount(); ++column) {
    int width = font.horizontalAdvance(m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()) + 32;
    const auto measure = [&](int row) {
      width = std::max(width, font.horizontalAdvance(m_model->index(row, column).data().toString()) + 24 +
                                  (column == 0 ? 24 : 0));
    };
    for (int row = 0; row < std::min(m_model->rowCount(), kMeasured); ++row) measure(row);
    int row = -1;
    for (int i = 0; i < kMeasured && (row = m_model->nextChange(row, false)) >= 0; ++i) measure(row);
    m_neededWidths << std::min(width, m_model->isBySide() && column > 0 ? 600 : 420);
  }
}

QString RowsPairPage::summary(const ComparedPage& page) const {
  const auto grouped = [](uint64_t number) { return toQt(groupedText(number)); };
  QStringList parts;
  const auto add = [&](uint64_t count, diff::Status status) {
    if (count > 0) parts << QStringLiteral("%1 %2").arg(grouped(count), statusWord(status));
  };
  if (const auto* const rows = std::get_if<diff::RowDiff>(&page.diff.content)) {
    add(rows->changed, diff::Status::Changed);
    add(rows->removed, diff::Status::Removed);
    add(rows->added, diff::Status::Added);
    add(rows->moved, diff::Status::Moved);
    add(rows->equal, diff::Status::Same);
    if (const uint64_t left = std::max(rows->leftOutA, rows->leftOutB); left > 0)
      parts << tr("%n row(s) after them (was|were) not compared", nullptr, pluralCount(left));
  } else if (const auto* const fields = std::get_if<diff::FieldDiff>(&page.diff.content)) {
    add(fields->changed, diff::Status::Changed);
    add(fields->removed, diff::Status::Removed);
    add(fields->added, diff::Status::Added);
    add(fields->moved, diff::Status::Moved);
    add(fields->equal, diff::Status::Same);
    if (fields->leftOut > 0) parts << tr("%n more (is|are) not listed", nullptr, pluralCount(fields->leftOut));
  }
  return parts.join(QStringLiteral(" · "));
}

int RowsPairPage::currentRow() const { return m_view->currentIndex().isValid() ? m_view->currentIndex().row() : -1; }

int RowsPairPage::currentChange() const { return m_model->changesUpTo(currentRow()) - 1; }

void RowsPairPage::select(int row) {
  if (row < 0) return;
  m_view->setCurrentIndex(m_model->index(row, 0));
  m_view->scrollTo(m_model->index(row, 0));
}

bool RowsPairPage::goToNextChange(bool backwards) {
  const int next = m_model->nextChange(currentRow(), backwards);
  select(next);
  return next >= 0;
}

void RowsPairPage::goToEnd(bool last) {
  select(last ? m_model->nextChange(m_model->rowCount(), true) : m_model->nextChange(-1, false));
}

void RowsPairPage::setFolding(bool folding) {
  m_model->setChangedOnly(folding);
  Q_EMIT changeMoved(currentChange(), changeCount());
}

void RowsPairPage::resizeEvent(QResizeEvent* event) {
  PairPage::resizeEvent(event);
  fitColumns();
}

void RowsPairPage::fitColumns() {
  // The widest columns shrink until all columns fit.
  constexpr int kMinimumWidth = 90, kScrollBar = 14;
  QVector<int> widths = m_neededWidths;
  const int room = width() - kScrollBar;
  if (m_model->isBySide() && widths.size() == 3) {
    widths[0] = std::min(std::max(widths[0], 160), room / 3);
    widths[1] = widths[2] = (room - widths[0]) / 2;
  }
  int total = std::accumulate(widths.begin(), widths.end(), 0);
  while (total > room) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (widest == widths.end() || *widest <= kMinimumWidth) break;
    const int cut = std::min(std::max(1, (total - room) / 4), *widest - kMinimumWidth);
    *widest -= cut;
    total -= cut;
  }
  for (int column = 0; column < widths.size(); ++column) m_view->setColumnWidth(column, widths[column]);
}

bool RowsPairPage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_view && event->type() == QEvent::FontChange) {
    measureColumns();
    fitColumns();
  }
  if (watched == m_view && event->type() == QEvent::KeyPress) {
    const auto* const key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Copy)) {
      copySelection();
      return true;
    }
  }
  return PairPage::eventFilter(watched, event);
}

void RowsPairPage::copySelection() {
  QModelIndexList rows = m_view->selectionModel()->selectedRows();
  if (rows.isEmpty())
    for (int row = 0; row < std::min(m_model->rowCount(), kCopyRows + 1); ++row) rows << m_model->index(row, 0);
  if (rows.size() > kCopyRows) {
    Q_EMIT message(tr("At most %1 rows can be copied at once. blobscope-cli diff writes all rows.")
                       .arg(toQt(groupedText(kCopyRows))));
    return;
  }
  std::sort(rows.begin(), rows.end());
  QString text;
  for (const QModelIndex& row : std::as_const(rows)) {
    text += statusWord(m_model->status(row.row()));
    for (int column = 0; column < m_model->columnCount(); ++column)
      text += QLatin1Char('\t') + m_model->index(row.row(), column).data().toString();
    text += QLatin1Char('\n');
  }
  QGuiApplication::clipboard()->setText(text);
}

} // namespace blobscope::ui
