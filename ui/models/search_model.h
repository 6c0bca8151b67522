#pragma once

#include "core/search/search.h"

#include <QAbstractItemModel>

#include <string>
#include <unordered_map>
#include <vector>

namespace blobscope::ui {

/// A hit and the name of the node that contains it.
struct FoundText {
  search::Hit hit;
  QString node;
};

/// The hits of a search over the file, grouped below the nodes that contain them: offset and surrounding text. Hits are
/// added while the search runs.
class SearchModel : public QAbstractItemModel {
  Q_OBJECT
public:
  enum Column { Where, Around, ColumnCount };
  using QAbstractItemModel::QAbstractItemModel;
  void clear();
  void append(std::vector<FoundText> found);
  int hitCount() const { return static_cast<int>(m_hits.size()); }
  /// Hits are numbered in the order in which they were found.
  const search::Hit& hit(int number) const { return m_hits[static_cast<std::size_t>(number)]; }
  /// Returns the hit of a row, null for the row of a node.
  const search::Hit* hitAt(const QModelIndex& index) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  struct Group {
    QString name;
    std::vector<std::size_t> hits; ///< numbers in m_hits
  };
  QString textOf(const QModelIndex& index) const;

  std::vector<search::Hit> m_hits;
  std::vector<Group> m_groups;
  std::unordered_map<std::string, std::size_t> m_groupOf; ///< by the node's ref
};

} // namespace blobscope::ui
