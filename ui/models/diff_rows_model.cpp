#include "ui/models/diff_rows_model.h"

#include "core/base/text.h"
#include "ui/models/diff_model.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"

#include <algorithm>
#include <limits>

namespace blobscope::ui {
namespace {

using diff::Status;

bool isDecimal(const std::string& text) {
  return !text.empty() && text.size() < 20 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Status statusOf(const diff::RowPair& row) {
  if (row.a == diff::RowPair::kNone) return Status::Added;
  if (row.b == diff::RowPair::kNone) return Status::Removed;
  return row.changed != 0 ? Status::Changed : row.moved ? Status::Moved : Status::Same;
}

Status statusOf(diff::FieldChangeKind kind) {
  switch (kind) {
  case diff::FieldChangeKind::Removed: return Status::Removed;
  case diff::FieldChangeKind::Added: return Status::Added;
  case diff::FieldChangeKind::Moved: return Status::Moved;
  case diff::FieldChangeKind::Changed: break;
  }
  return Status::Changed;
}

/// In RowPair::changed, all columns after the 63rd share the last bit.
bool isChanged(const diff::RowPair& row, std::size_t column) {
  return row.changed >> std::min<std::size_t>(column, 63) & 1;
}

} // namespace

DiffRowsModel::DiffRowsModel(ComparedPagePtr page, QObject* parent)
    : QAbstractTableModel(parent), m_page(std::move(page)) {
  m_rows = std::get_if<diff::RowDiff>(&m_page->diff.content);
  m_fields = std::get_if<diff::FieldDiff>(&m_page->diff.content);
  if (m_rows) {
    const auto& a = std::get<view::TablePage>(m_page->diff.a.content);
    const auto& b = std::get<view::TablePage>(m_page->diff.b.content);
    m_a = a.source;
    m_b = b.source;
    m_bySide = a.facts && b.facts;
    const std::vector<view::Column> columnsA = m_a->columns(), columnsB = m_b->columns();
    for (const diff::ColumnPair& column : m_rows->columns)
      m_columns.push_back(column.b != diff::ColumnPair::kNone ? columnsB[column.b] : columnsA[column.a]);
    for (std::size_t row = 0; row < m_rows->rows.size(); ++row)
      if (m_rows->rows[row].differs()) m_changes.push_back(static_cast<uint32_t>(row));
  } else if (m_fields) {
    m_bySide = true;
    m_treeA = std::get<view::FieldsPage>(m_page->diff.a.content).tree;
    m_treeB = std::get<view::FieldsPage>(m_page->diff.b.content).tree;
    for (std::size_t row = 0; row < m_fields->changes.size(); ++row) m_changes.push_back(static_cast<uint32_t>(row));
  }
}

bool DiffRowsModel::hasEqualRows() const { return m_rows && m_changes.size() < m_rows->rows.size(); }

void DiffRowsModel::setChangedOnly(bool changedOnly) {
  const bool filtered = changedOnly && hasEqualRows() && !m_changes.empty();
  if (filtered == m_shown.has_value()) return;
  beginResetModel();
  m_shown = filtered ? std::optional(m_changes) : std::nullopt;
  endResetModel();
}

Status DiffRowsModel::status(int row) const {
  if (m_rows) return statusOf(m_rows->rows[source(row)]);
  return m_fields ? statusOf(m_fields->changes[source(row)].kind) : Status::Same;
}

int DiffRowsModel::nextChange(int row, bool backwards) const {
  if (m_shown || m_fields) {
    const int next = backwards ? row - 1 : row + 1;
    return next >= 0 && next < rowCount() ? next : -1;
  }
  const auto at = static_cast<uint32_t>(std::max(row, 0));
  if (backwards) {
    const auto found = row < 0 ? m_changes.begin() : std::lower_bound(m_changes.begin(), m_changes.end(), at);
    return found == m_changes.begin() ? -1 : static_cast<int>(*std::prev(found));
  }
  const auto found = row < 0 ? m_changes.begin() : std::upper_bound(m_changes.begin(), m_changes.end(), at);
  return found == m_changes.end() ? -1 : static_cast<int>(*found);
}

int DiffRowsModel::changeCount() const { return static_cast<int>(m_changes.size()); }

int DiffRowsModel::changesUpTo(int row) const {
  if (row < 0) return 0;
  return static_cast<int>(std::upper_bound(m_changes.begin(), m_changes.end(), static_cast<uint32_t>(source(row))) -
                          m_changes.begin());
}

int DiffRowsModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid()) return 0;
  const std::size_t rows = m_shown    ? m_shown->size()
                           : m_rows   ? m_rows->rows.size()
                           : m_fields ? m_fields->changes.size()
                                      : 0;
  return static_cast<int>(std::min<std::size_t>(rows, std::numeric_limits<int>::max()));
}

int DiffRowsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : m_bySide ? 3 : static_cast<int>(m_columns.size());
}

QString DiffRowsModel::cell(const view::TableSource& table, uint64_t row, std::size_t column, bool number) const {
  const std::string text = table.cell(row, column);
  if (number && isDecimal(text))
    if (const auto value = parseNumber(text)) return toQt(groupedText(*value));
  return toQt(text);
}

DiffRowsModel::Texts DiffRowsModel::textsOf(int number, int column) const {
  Texts out;
  if (m_fields) {
    const diff::FieldChange& change = m_fields->changes[source(number)];
    if (column == 0) {
      out.a = out.b = nameToQt(change.path);
      return out;
    }
    const auto value = [](const FieldTree& tree, uint32_t row) { return toQt(tree.value(row, 400)); };
    if (change.a) out.a = value(*m_treeA, *change.a);
    if (change.b) out.b = value(*m_treeB, *change.b);
    out.changed = change.kind != diff::FieldChangeKind::Moved;
    return out;
  }
  const diff::RowPair& row = m_rows->rows[source(number)];
  const auto at = static_cast<std::size_t>(m_bySide && column > 0 ? 1 : column);
  if (at >= m_rows->columns.size()) return out;
  const diff::ColumnPair& both = m_rows->columns[at];
  if (row.a != diff::RowPair::kNone && both.a != diff::ColumnPair::kNone)
    out.a = cell(*m_a, row.a, both.a, m_columns[at].number);
  if (row.b != diff::RowPair::kNone && both.b != diff::ColumnPair::kNone)
    out.b = cell(*m_b, row.b, both.b, m_columns[at].number);
  out.changed = row.both() && isChanged(row, at) && out.a != out.b;
  return out;
}

QVariant DiffRowsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const int column = index.column();
  const bool oneSide = m_bySide && column > 0;
  switch (role) {
  case StatusRole: return static_cast<int>(status(index.row()));
  case CellSideRole: return oneSide ? QVariant(column - 1) : QVariant();
  case CellChangedRole: return textsOf(index.row(), column).changed;
  case OldTextRole: return textsOf(index.row(), column).a.value_or(QString());
  case NewTextRole: return textsOf(index.row(), column).b.value_or(QString());
  case Qt::TextAlignmentRole:
    if (!m_bySide && m_columns[static_cast<std::size_t>(column)].number)
      return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    return {};
  case Qt::DisplayRole:
  case Qt::ToolTipRole:
  case Qt::AccessibleTextRole: {
    const Texts texts = textsOf(index.row(), column);
    QString text;
    if (oneSide)
      text = column == 1 ? texts.a.value_or(QStringLiteral("–")) : texts.b.value_or(QStringLiteral("–"));
    else if (texts.changed)
      text = texts.a.value_or(QString()) + QStringLiteral(" → ") + texts.b.value_or(QString());
    else
      text = texts.b ? *texts.b : texts.a.value_or(QString());
    // The sign at the row's left edge is also a word.
    const Status here = status(index.row());
    if (role == Qt::AccessibleTextRole && column == 0 && here != Status::Same)
      text += QStringLiteral(", ") + statusWord(here);
    return shownAs(role, text);
  }
  default: return {};
  }
}

QVariant DiffRowsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (m_bySide) {
    if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    return section == 0   ? (m_fields ? tr("Field") : tr("Fact"))
           : section == 1 ? QStringLiteral("A")
                          : QStringLiteral("B");
  }
  const view::Column& column = m_columns[static_cast<std::size_t>(section)];
  if (role == Qt::TextAlignmentRole)
    return QVariant((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  QString title = coreText(column.title);
  if (!title.isEmpty()) title[0] = title[0].toUpper();
  return title;
}

} // namespace blobscope::ui
