#include "ui/models/search_model.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"

namespace blobscope::ui {

void SearchModel::clear() {
  beginResetModel();
  m_hits.clear();
  endResetModel();
}

void SearchModel::append(std::vector<search::Hit> hits) {
  if (hits.empty()) return;
  const int first = static_cast<int>(m_hits.size());
  beginInsertRows({}, first, first + static_cast<int>(hits.size()) - 1);
  m_hits.insert(m_hits.end(), std::make_move_iterator(hits.begin()), std::make_move_iterator(hits.end()));
  endInsertRows();
}

int SearchModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_hits.size());
}

int SearchModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant SearchModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::AccessibleTextRole)) return {};
  const search::Hit& found = hit(index.row());
  switch (index.column()) {
  case Where: {
    const std::string where = found.ref.node().shown();
    return where.empty() ? tr("file") : toQt(where);
  }
  case Offset: return toQt(hexText(found.offset));
  default: return toQt(escapedWithin(found.around.view(), 200));
  }
}

QVariant SearchModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == Where ? tr("Where") : section == Offset ? tr("Offset") : tr("Text around");
}

} // namespace blobscope::ui
