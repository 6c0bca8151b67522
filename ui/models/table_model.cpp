#include "ui/models/table_model.h"

#include "core/base/text.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"

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
  measure();
}

void TableModel::measure() {
  std::fill(m_largest.begin(), m_largest.end(), 0);
  for (std::size_t column = 0; column < m_columns.size(); ++column)
    if (m_columns[column].bar && m_source->rowCount() <= kBarRows)
      for (uint64_t row = 0; row < m_source->rowCount(); ++row)
        m_largest[column] = std::max(m_largest[column], parseNumber(m_source->cell(row, column)).value_or(0));
}

void TableModel::setSource(std::shared_ptr<const view::TableSource> source) {
  m_source = std::move(source);
  measure();
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void TableModel::setGroupWords(const std::string& thing, std::optional<std::size_t> sum) {
  m_thing = thing;
  m_sum = sum;
}

std::vector<uint32_t> TableModel::shownRows() const {
  std::vector<uint32_t> out;
  for (std::size_t i = 0; i < m_groups.size(); ++i) {
    out.push_back(kGroup | static_cast<uint32_t>(i));
    if (m_folded.contains(m_groups[i].title)) continue;
    for (uint32_t row = 0; row < m_groups[i].count; ++row) out.push_back(m_groups[i].first + row);
  }
  return out;
}

const TableGroup& TableModel::groupAt(int row) const {
  return m_groups[m_shown[static_cast<std::size_t>(row)] & ~kGroup];
}

void TableModel::toggleGroup(int row) {
  if (!isGroup(row)) return;
  const TableGroup& group = groupAt(row);
  const int last = row + static_cast<int>(group.count);
  if (m_folded.erase(group.title) > 0) {
    beginInsertRows({}, row + 1, last);
    m_shown = shownRows();
    endInsertRows();
  } else {
    beginRemoveRows({}, row + 1, last);
    m_folded.insert(group.title);
    m_shown = shownRows();
    endRemoveRows();
  }
  Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
}

void TableModel::unfold() {
  if (m_folded.empty()) return;
  beginResetModel();
  m_folded.clear();
  m_shown = shownRows();
  endResetModel();
}

uint64_t TableModel::sourceRow(int row) const {
  if (!m_order) return static_cast<uint64_t>(row);
  if (!hasGroups()) return (*m_order)[static_cast<std::size_t>(row)];
  const uint32_t shown = m_shown[static_cast<std::size_t>(row)];
  return (*m_order)[shown & kGroup ? groupAt(row).first : shown];
}

QVariant TableModel::groupData(int row, int column, int role) const {
  const TableGroup& group = groupAt(row);
  const auto title = [&] { return group.title.empty() ? tr("Others") : toQt(group.title); };
  const auto sums = [&] {
    QString text = m_thing == "kernel" ? tr("%n kernel(s)", nullptr, pluralCount(group.count))
                                       : tr("%n row(s)", nullptr, pluralCount(group.count));
    if (m_sum) {
      const QString number = toQt(groupedText(group.sum));
      text += QStringLiteral("  ·  ") + number + QLatin1Char(' ') + coreText(m_columns[*m_sum].title);
    }
    return text;
  };
  switch (role) {
  case GroupRole: return sums();
  case FoldedRole: return m_folded.contains(group.title);
  case Qt::DisplayRole: return column == 0 ? shownAs(role, title()) : QVariant();
  case Qt::ToolTipRole:
  case Qt::AccessibleTextRole: return column == 0 ? shownAs(role, title() + QStringLiteral(", ") + sums()) : QVariant();
  default: return {};
  }
}

void TableModel::setOrder(std::optional<std::vector<uint32_t>> order, std::vector<TableGroup> groups) {
  beginResetModel();
  m_order = std::move(order);
  m_groups = std::move(groups);
  m_shown = shownRows();
  endResetModel();
}

int TableModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid()) return 0;
  const uint64_t rows = hasGroups() ? m_shown.size() : m_order ? m_order->size() : m_source->rowCount();
  return static_cast<int>(qMin<uint64_t>(rows, std::numeric_limits<int>::max()));
}

int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (isGroup(index.row())) return groupData(index.row(), index.column(), role);
  const auto column = static_cast<std::size_t>(index.column());
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole || role == Qt::AccessibleTextRole) {
    return shownAs(role, cellText(m_columns[column], m_source->cell(sourceRow(index.row()), column)));
  }
  if (const auto low = m_columns[column].lowPercent; low && (role == BarRole || role == LowRole)) {
    const auto percent = parseNumber(m_source->cell(sourceRow(index.row()), column));
    if (!percent) return {};
    if (role == LowRole) return *percent < *low;
    return std::min(static_cast<double>(*percent), 100.0) / 100;
  }
  if (role == WordsRole && m_columns[column].words) {
    const QString words = toQt(m_source->cell(sourceRow(index.row()), column));
    return words.isEmpty() ? QStringList() : words.split(QStringLiteral(", "));
  }
  if (role == GoodRole) {
    const auto good = m_source->isGood(sourceRow(index.row()), column);
    return good ? QVariant(*good) : QVariant();
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
