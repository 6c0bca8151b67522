#include "ui/models/table_model.h"

#include "ui/session/strings.h"

#include <limits>

namespace blobscope::ui {

TableModel::TableModel(std::shared_ptr<const view::TableSource> source, QObject* parent)
    : QAbstractTableModel(parent), m_source(std::move(source)), m_columns(m_source->columns()) {}

void TableModel::setOrder(std::optional<std::vector<uint32_t>> order) {
  beginResetModel();
  m_order = std::move(order);
  endResetModel();
}

int TableModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid()) return 0;
  const uint64_t rows = m_order ? m_order->size() : m_source->rowCount();
  return static_cast<int>(qMin<uint64_t>(rows, std::numeric_limits<int>::max()));
}

int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const auto column = static_cast<std::size_t>(index.column());
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole || role == Qt::AccessibleTextRole)
    return toQt(m_source->cell(sourceRow(index.row()), column));
  if (role == Qt::TextAlignmentRole && m_columns[column].number) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  return {};
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const auto column = static_cast<std::size_t>(section);
  if (role == Qt::DisplayRole) return toQt(m_columns[column].title);
  if (role == Qt::TextAlignmentRole)
    return QVariant((m_columns[column].number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return {};
}

} // namespace blobscope::ui
