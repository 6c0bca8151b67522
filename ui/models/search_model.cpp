#include "ui/models/search_model.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"

namespace blobscope::ui {
namespace {

constexpr quintptr kGroup = 0; ///< internalId of a node's row; a hit has the number of its group, counted from 1

} // namespace

void SearchModel::clear() {
  beginResetModel();
  m_hits.clear();
  m_groups.clear();
  m_groupOf.clear();
  endResetModel();
}

void SearchModel::append(std::vector<FoundText> found) {
  for (std::size_t first = 0; first < found.size();) {
    // Hits arrive in file order, so that most hits of a node follow one another.
    const std::string node = found[first].hit.ref.node().toString();
    std::size_t last = first + 1;
    while (last < found.size() && found[last].hit.ref.node().toString() == node) ++last;
    const auto [place, added] = m_groupOf.try_emplace(node, m_groups.size());
    if (added) {
      const int row = static_cast<int>(m_groups.size());
      beginInsertRows({}, row, row);
      m_groups.push_back({found[first].node, {}});
      endInsertRows();
    }
    Group& group = m_groups[place->second];
    const int row = static_cast<int>(group.hits.size());
    const QModelIndex parent = index(static_cast<int>(place->second), 0);
    beginInsertRows(parent, row, row + static_cast<int>(last - first) - 1);
    for (; first < last; ++first) {
      group.hits.push_back(m_hits.size());
      m_hits.push_back(std::move(found[first].hit));
    }
    endInsertRows();
    Q_EMIT dataChanged(parent, parent.siblingAtColumn(Around)); // the number of hits
  }
}

const search::Hit* SearchModel::hitAt(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == kGroup) return nullptr;
  return &m_hits[m_groups[index.internalId() - 1].hits[static_cast<std::size_t>(index.row())]];
}

QModelIndex SearchModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : kGroup);
}

QModelIndex SearchModel::parent(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == kGroup) return {};
  return createIndex(static_cast<int>(index.internalId() - 1), 0, kGroup);
}

int SearchModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(m_groups.size());
  if (parent.internalId() != kGroup || parent.column() > 0) return 0;
  return static_cast<int>(m_groups[static_cast<std::size_t>(parent.row())].hits.size());
}

int SearchModel::columnCount(const QModelIndex&) const { return ColumnCount; }

QString SearchModel::textOf(const QModelIndex& index) const {
  if (const search::Hit* const found = hitAt(index))
    return index.column() == Where ? toQt(hexText(found->offset)) : toQt(escapedWithin(found->around.view(), 200));
  const Group& group = m_groups[static_cast<std::size_t>(index.row())];
  if (index.column() == Where) return group.name;
  return tr("%n (match|matches)", nullptr, pluralCount(group.hits.size()));
}

QVariant SearchModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::AccessibleTextRole)) return {};
  return textOf(index);
}

QVariant SearchModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == Where ? tr("Where") : tr("Text around it");
}

} // namespace blobscope::ui
