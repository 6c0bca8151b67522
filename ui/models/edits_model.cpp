#include "ui/models/edits_model.h"

#include "ui/text/plain_text.h"

#include <algorithm>

namespace blobscope::ui {
namespace {

bool isSame(const edit::Description& a, const edit::Description& b) {
  return a.target == b.target && a.what == b.what && a.before == b.before && a.after == b.after;
}

} // namespace

void EditsModel::setChanges(std::vector<edit::Description> changes) {
  // The difference is one range of rows: an edit was added, removed or replaced.
  const auto [first, same] = std::mismatch(m_changes.begin(), m_changes.end(), changes.begin(), changes.end(), isSame);
  const auto head = static_cast<std::size_t>(first - m_changes.begin());
  std::size_t tail = 0;
  while (tail < m_changes.size() - head && tail < changes.size() - head &&
         isSame(m_changes[m_changes.size() - 1 - tail], changes[changes.size() - 1 - tail]))
    ++tail;
  const std::size_t before = m_changes.size() - head - tail, after = changes.size() - head - tail,
                    kept = std::min(before, after);
  if (before > kept) {
    beginRemoveRows({}, static_cast<int>(head + kept), static_cast<int>(head + before) - 1);
    m_changes.erase(m_changes.begin() + static_cast<std::ptrdiff_t>(head + kept),
                    m_changes.begin() + static_cast<std::ptrdiff_t>(head + before));
    endRemoveRows();
  }
  if (after > kept) {
    beginInsertRows({}, static_cast<int>(head + kept), static_cast<int>(head + after) - 1);
    m_changes.insert(m_changes.begin() + static_cast<std::ptrdiff_t>(head + kept),
                     changes.begin() + static_cast<std::ptrdiff_t>(head + kept),
                     changes.begin() + static_cast<std::ptrdiff_t>(head + after));
    endInsertRows();
  }
  m_changes = std::move(changes);
  if (kept > 0)
    Q_EMIT dataChanged(index(static_cast<int>(head), 0), index(static_cast<int>(head + kept) - 1, ColumnCount - 1));
}

int EditsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_changes.size());
}

int EditsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant EditsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const edit::Description& one = change(index.row());
  if (role == EditSubjectRole) return toQt(one.subject);
  if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole && role != Qt::ToolTipRole) return {};
  switch (index.column()) {
  case Change: return shownAs(role, toQt(one.what));
  case Before: return shownAs(role, one.before.empty() ? QStringLiteral("–") : toQt(one.before));
  case After: return shownAs(role, one.after.empty() ? QStringLiteral("–") : toQt(one.after));
  default: return shownAs(role, toQt(one.target));
  }
}

QVariant EditsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
  case Change: return tr("Change");
  case Before: return tr("Before");
  case After: return tr("After");
  default: return tr("Where");
  }
}

} // namespace blobscope::ui
