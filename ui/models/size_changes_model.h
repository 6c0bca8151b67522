#pragma once

#include "core/sizes/compare.h"

#include <QAbstractTableModel>

namespace blobscope::ui {

/// What has another size in the new file, the largest difference first.
class SizeChangesModel : public QAbstractTableModel {
  Q_OBJECT
public:
  enum Column { Name, In, Before, After, Difference, Columns };
  /// The signed share of the largest difference, −1 to 1; of all columns.
  static constexpr int ShareRole = Qt::UserRole;

  explicit SizeChangesModel(sizes::SizeComparison sizes, QObject* parent = nullptr);
  const sizes::SizeComparison& sizes() const { return m_sizes; }
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int{Columns}; }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  sizes::SizeComparison m_sizes;
};

} // namespace blobscope::ui
