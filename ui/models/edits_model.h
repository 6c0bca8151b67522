#pragma once

#include "core/edit/describe.h"

#include <QAbstractTableModel>

#include <vector>

namespace blobscope::ui {

/// Type key of the changed module, for the first column.
enum EditsRole { EditSubjectRole = Qt::UserRole };

/// Pending edits in words, in order: change, before, after, where.
class EditsModel : public QAbstractTableModel {
  Q_OBJECT
public:
  enum Column { Change, Before, After, Where, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;

  /// Keeps rows that do not change, so that the selection stays on them.
  void setChanges(std::vector<edit::Description> changes);
  const edit::Description& change(int row) const { return m_changes[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  std::vector<edit::Description> m_changes;
};

} // namespace blobscope::ui
