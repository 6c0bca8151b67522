#pragma once

#include "core/search/search.h"

#include <QAbstractTableModel>

#include <vector>

namespace blobscope::ui {

/// Hits of a search over the whole file, as they come in: where, offset, what stands around.
class SearchModel : public QAbstractTableModel {
  Q_OBJECT
public:
  enum Column { Where, Offset, Around, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;
  void clear();
  void append(std::vector<search::Hit> hits);
  const search::Hit& hit(int row) const { return m_hits[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  std::vector<search::Hit> m_hits;
};

} // namespace blobscope::ui
