#include "ui/models/size_changes_model.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"

#include <algorithm>

namespace blobscope::ui {

SizeChangesModel::SizeChangesModel(sizes::SizeComparison sizes, QObject* parent)
    : QAbstractTableModel(parent), m_sizes(std::move(sizes)) {}

int SizeChangesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_sizes.changes.size());
}

QVariant SizeChangesModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const sizes::SizeChange& change = m_sizes.changes[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole)
    return QVariant(index.column() >= Before ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter);
  if (role == ShareRole) {
    const double largest = static_cast<double>(std::max<uint64_t>(m_sizes.changes.front().difference(), 1));
    const double share = static_cast<double>(change.difference()) / largest;
    return change.grows() ? share : -share;
  }
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
  case Name: return toQt(change.name);
  case In: return toQt(change.in);
  case Before: return toQt(change.before > 0 ? groupedText(change.before) : "–");
  case After: return toQt(change.after > 0 ? groupedText(change.after) : "–");
  default: return toQt(change.differenceText());
  }
}

QVariant SizeChangesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant(section >= Before ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
  case Name: return tr("Name");
  case In: return tr("In");
  case Before: return tr("Bytes in A");
  case After: return tr("Bytes in B");
  default: return tr("Difference");
  }
}

} // namespace blobscope::ui
