#pragma once

#include "core/search/search.h"

#include <QAbstractItemModel>

#include <string>
#include <unordered_map>
#include <vector>

namespace blobscope::ui {

/// A hit and what the node is called that it lies in.
struct FoundText {
  search::Hit hit;
  QString node;
};

/// Hits of a search over the file as they come in, below the node that they lie in: offset, what stands around.
class SearchModel : public QAbstractItemModel {
  Q_OBJECT
public:
  enum Column { Where, Around, ColumnCount };
  using QAbstractItemModel::QAbstractItemModel;
  void clear();
  void append(std::vector<FoundText> found);
  int hitCount() const { return static_cast<int>(m_hits.size()); }
  /// In the order they were found.
  const search::Hit& hit(int number) const { return m_hits[static_cast<std::size_t>(number)]; }
  /// The hit of a row, null for the row of a node.
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
