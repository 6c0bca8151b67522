#include "ui/pages/checklist_tables.h"

#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"
#include "ui/widgets/charts/state_cell.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/list_table.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QTableView>

#include <algorithm>

namespace blobscope::ui {
namespace {

using Checklist = view::ChecklistPage;

/// The column with the icons of the rows' states: the last one of two, else the one before a number at the end.
std::size_t stateColumnOf(const Checklist::Table& table) {
  return table.columns.size() > 2 ? table.columns.size() - 2 : std::max<std::size_t>(table.columns.size(), 1) - 1;
}

/// A table as high as its rows. Enter activates the current row.
class WholeTable : public QTableView {
public:
  using QTableView::QTableView;
  using QTableView::sizeHintForColumn;
  QSize sizeHint() const override {
    const int rows = model() ? model()->rowCount() : 0;
    return {280, horizontalHeader()->height() + rows * verticalHeader()->defaultSectionSize() + 2};
  }
  QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }
};

} // namespace

int ChecklistTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size());
}

int ChecklistTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size());
}

QVariant ChecklistTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Checklist::Table::Row& row = m_table.rows[static_cast<std::size_t>(index.row())];
  const auto column = static_cast<std::size_t>(index.column());
  const bool last = column + 1 == m_table.columns.size() && column > 1;
  const std::size_t stateColumn = stateColumnOf(m_table);
  const QString text = column < row.cells.size() ? coreText(row.cells[column]) : QString();
  switch (role) {
  case Qt::DisplayRole: return text;
  case Qt::ToolTipRole: return text.isEmpty() ? QVariant() : plainTip(text);
  case Qt::DecorationRole:
    if (column != stateColumn || StateCell::iconName(row.state).isEmpty()) return {};
    return icon(StateCell::iconName(row.state), StateCell::role(row.state));
  case Qt::TextAlignmentRole: return static_cast<int>((last ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  default: return {};
  }
}

QVariant ChecklistTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (role == Qt::DisplayRole) return coreText(m_table.columns[static_cast<std::size_t>(section)]);
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((section > 1 && section + 1 == columnCount() ? Qt::AlignRight : Qt::AlignLeft) |
                            Qt::AlignVCenter);
  return {};
}

ChecklistTables::ChecklistTables(QWidget* parent) : QWidget(parent), m_layout(new QVBoxLayout(this)) {
  m_layout->setContentsMargins(0, 0, 0, 0);
}

void ChecklistTables::setTables(const std::vector<Checklist::Table>& tables, const std::string& device) {
  if (m_content) {
    // The row that was clicked belongs to it.
    m_layout->removeWidget(m_content);
    m_content->hide();
    m_content->deleteLater();
  }
  m_content = new QWidget(this);
  auto* const layout = new QVBoxLayout(m_content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  for (const Checklist::Table& table : tables) {
    if (layout->count() > 0) {
      layout->addSpacing(6);
      layout->addWidget(new Rule(Qt::Horizontal, m_content));
      layout->addSpacing(2);
    }
    layout->addWidget(new ThemeLabel(coreText(table.title), TextRole::Heading, Role::Text, m_content));
    layout->addWidget(table.columns.empty() ? makeValues(table, m_content) : makeTable(table, device, m_content));
    if (table.note.empty()) continue;
    auto* const note = new ThemeLabel(coreText(table.note), TextRole::Secondary, Role::Secondary, m_content);
    note->setWordWrap(true);
    layout->addWidget(note);
  }
  layout->addStretch();
  m_layout->addWidget(m_content);
  setVisible(!tables.empty());
}

QWidget* ChecklistTables::makeTable(const Checklist::Table& table, const std::string& device, QWidget* parent) {
  auto* const view = new WholeTable(parent);
  auto* const model = new ChecklistTableModel(table, view);
  view->setModel(model);
  setUpList(*view);
  view->setFrameShape(QFrame::NoFrame);
  view->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  view->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  view->setAccessibleName(plainLine(coreText(table.title)));
  QHeaderView* const header = view->horizontalHeader();
  header->setSectionsClickable(false);
  header->setMinimumSectionSize(24);
  for (int column = 0; column < model->columnCount(); ++column) {
    const bool stretched = column == static_cast<int>(stateColumnOf(table));
    header->setSectionResizeMode(column, stretched ? QHeaderView::Stretch : QHeaderView::Fixed);
    // The style leaves no margin for a header without a sort arrow.
    const QString title = model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    const int titleWidth = header->fontMetrics().horizontalAdvance(title) + 24;
    if (!stretched) header->resizeSection(column, std::max(titleWidth, view->sizeHintForColumn(column) + 8));
  }
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    if (!table.rows[row].choice.empty() && table.rows[row].choice == device) view->selectRow(static_cast<int>(row));
  const auto choose = [this, view](const QModelIndex& index) {
    const auto& row = static_cast<ChecklistTableModel*>(view->model())->table().rows;
    if (const std::string& choice = row[static_cast<std::size_t>(index.row())].choice; !choice.empty())
      Q_EMIT chosen(wholeToQt(choice));
  };
  connect(view, &QTableView::clicked, this, choose);
  connect(view, &QTableView::activated, this, choose);
  return view;
}

QWidget* ChecklistTables::makeValues(const Checklist::Table& table, QWidget* parent) {
  auto* const box = new QWidget(parent);
  auto* const grid = new QGridLayout(box);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(4);
  int line = 0;
  for (const Checklist::Table::Row& row : table.rows) {
    for (std::size_t cell = 0; cell < row.cells.size(); ++cell) {
      auto* const label = new ThemeLabel(cell == 0 ? coreText(row.cells[cell]) : toQt(row.cells[cell]),
                                         cell == 0 ? TextRole::Secondary : TextRole::Body,
                                         cell == 0 ? Role::Secondary : Role::Text, box);
      label->setWordWrap(cell > 0);
      grid->addWidget(label, line, static_cast<int>(cell), Qt::AlignTop);
    }
    // That something is fine needs no sign beside a value.
    if (row.state != Checklist::State::Good && !StateCell::iconName(row.state).isEmpty())
      grid->addWidget(new IconLabel(StateCell::iconName(row.state), StateCell::role(row.state), metrics::kIcon, box),
                      line, static_cast<int>(row.cells.size()), Qt::AlignTop);
    ++line;
  }
  grid->setColumnMinimumWidth(0, 104);
  grid->setColumnStretch(1, 1);
  return box;
}

} // namespace blobscope::ui
