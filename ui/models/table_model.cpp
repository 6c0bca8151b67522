#include "ui/models/table_model.h"

#include "core/base/text.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"

#include <algorithm>
#include <limits>

namespace blobscope::ui {
namespace {

/// Longer tables have no bars, because finding the largest number would take too long.
constexpr uint64_t kBarRows = 5'000;

bool isDecimalText(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

QString cellText(const view::Column& column, const std::string& text) {
  if (column.number && isDecimalText(text))
    if (const auto number = parseNumber(text)) return toQt(groupedText(*number));
  return toQt(text);
}

TableModel::TableModel(std::shared_ptr<const view::TableSource> source, QObject* parent)
    : QAbstractTableModel(parent), m_source(std::move(source)), m_columns(m_source->columns()),
      m_largest(m_columns.size(), 0) {
  for (std::size_t column = 0; column < m_columns.size(); ++column)
    if (m_columns[column].bar && m_source->rowCount() <= kBarRows)
      for (uint64_t row = 0; row < m_source->rowCount(); ++row)
        m_largest[column] = std::max(m_largest[column], parseNumber(m_source->cell(row, column)).value_or(0));
}

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
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole || role == Qt::AccessibleTextRole) {
    return shownAs(role, cellText(m_columns[column], m_source->cell(sourceRow(index.row()), column)));
  }
  if (role == BarRole && m_largest[column] > 0) {
    const uint64_t number = parseNumber(m_source->cell(sourceRow(index.row()), column)).value_or(0);
    return static_cast<double>(number) / static_cast<double>(m_largest[column]);
  }
  if (role == Qt::TextAlignmentRole && m_columns[column].number) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  return {};
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const auto column = static_cast<std::size_t>(section);
  if (role == Qt::DisplayRole) {
    QString title = coreText(m_columns[column].title);
    if (!title.isEmpty()) title[0] = title[0].toUpper();
    return title;
  }
  if (role == Qt::TextAlignmentRole)
    return QVariant((m_columns[column].number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return {};
}

} // namespace blobscope::ui
