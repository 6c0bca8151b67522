#pragma once

#include "core/library/contents.h"

#include <QAbstractItemModel>

#include <unordered_map>
#include <vector>

namespace blobscope::ui {

/// Roles that the tree delegate paints from.
enum ContentsRole {
  DetailRole = Qt::UserRole,
  SizeRole,
  SeverityRole,
  KindRole,
  ModuleKeyRole,
  RefRole,
  PageRole,
  TipTextRole,
  ChainRole,  ///< names of the modules that the row shows, when it is more than one
  SharedRole, ///< prefix and suffix that most sibling names share, two texts
  PartRole,   ///< index of the selected one, counted from 0; the view sets it
  ChangedRole ///< whether the part has unsaved changes
};

/// The contents tree of a file. It has one column; indexes carry row numbers of the snapshot, never pointers. Modules
/// that import one another in a chain, each only one, share one row: it has the groups of all of them, those of the
/// last module first, and stands for the module that is selected in it, at first the first one.
class ContentsModel : public QAbstractItemModel {
  Q_OBJECT
public:
  using QAbstractItemModel::QAbstractItemModel;

  /// Shows other rows. The view restores selection and expansion by ref.
  void setRows(std::vector<library::ContentsRow> rows);
  const library::ContentsRow& row(const QModelIndex& index) const { return m_rows[chosenIn(index)]; }
  /// Marks the rows of the parts that have unsaved changes; a field is part of the row of its module.
  void setChanged(const std::vector<Ref>& places);
  /// Returns the first row that shows `ref` (and, when given, that page); invalid when there is none.
  QModelIndex find(const Ref& ref, const std::string& page = {}) const;
  /// Returns the node's own row, whichever module is selected in it; null when there is none. Valid until setRows().
  const library::ContentsRow* rowOf(const Ref& ref, const std::string& page = {}) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  /// Sets PartRole; other roles are read-only.
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  /// Selects the module in its row, if the row has several.
  void choose(const Ref& module);

  /// Whether the row has bytes that a file can contain.
  bool isPart(const QModelIndex& index) const;
  // A module can be dragged onto another one, the rows stay as they are; every part can be dragged out of the window.
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  Qt::DropActions supportedDropActions() const override { return Qt::MoveAction | Qt::CopyAction; }
  QStringList mimeTypes() const override;
  QMimeData* mimeData(const QModelIndexList& indexes) const override;
  bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                       const QModelIndex& parent) const override;
  bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                    const QModelIndex& parent) override;

Q_SIGNALS:
  /// A module was dropped onto another one. `from` is the module that it was dragged away from, or the file if the
  /// module keeps its place or had none.
  void moduleDropped(const Ref& module, const Ref& onto, const Ref& from);

private:
  const std::vector<uint32_t>& childrenOf(const QModelIndex& parent) const;
  void findChains();
  void joinChain(const std::vector<uint32_t>& chain);
  uint32_t chosenIn(const QModelIndex& index) const;
  QModelIndex indexOf(uint32_t row) const;
  /// Returns the names of the row's modules: more than one for a chain.
  QStringList namesOf(uint32_t row) const;
  QString nameOf(uint32_t row) const { return namesOf(row).join(QStringLiteral(" › ")); }
  QString detailOf(uint32_t row) const;
  QStringList sharedBeside(uint32_t row) const;
  bool isChanged(uint32_t row) const;

  std::vector<library::ContentsRow> m_rows;
  std::vector<std::vector<uint32_t>> m_children; ///< by row; the last entry contains the roots
  std::vector<uint32_t> m_position;              ///< of each row among its siblings
  std::vector<bool> m_changed;                   ///< by row
  std::vector<uint32_t> m_head;                  ///< the row that shows each row: itself, or the first of its chain
  /// The rows of a chain and which of them is selected, by the first row.
  struct Chain {
    std::vector<uint32_t> rows;
    std::size_t chosen = 0;
  };
  std::unordered_map<uint32_t, Chain> m_chains;
  mutable std::unordered_map<uint32_t, QStringList> m_shared; ///< by parent, computed on request
};

/// Returns the name of a row as it is shown: groups such as "Kernels" in the language of the window.
QString contentsName(const library::ContentsRow& row);

} // namespace blobscope::ui
