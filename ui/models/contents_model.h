#pragma once

#include "core/library/contents.h"

#include <QAbstractItemModel>

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
  TipTextRole
};

/// The contents tree of a file. One column; indexes carry row numbers of the snapshot, never pointers.
class ContentsModel : public QAbstractItemModel {
  Q_OBJECT
public:
  using QAbstractItemModel::QAbstractItemModel;

  /// Shows other rows; what stays of selection and expansion is the view's to restore by ref.
  void setRows(std::vector<library::ContentsRow> rows);
  const library::ContentsRow& row(const QModelIndex& index) const { return m_rows[index.internalId()]; }
  /// First row that shows `ref` (and, when given, that page), invalid when there is none.
  QModelIndex find(const Ref& ref, const std::string& page = {}) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

  // A module can be dragged onto another one; the rows stay as they are.
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  Qt::DropActions supportedDropActions() const override { return Qt::MoveAction | Qt::CopyAction; }
  QStringList mimeTypes() const override;
  QMimeData* mimeData(const QModelIndexList& indexes) const override;
  bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                       const QModelIndex& parent) const override;
  bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                    const QModelIndex& parent) override;

Q_SIGNALS:
  /// A module was dropped onto another one. `from`: the module that it was dragged away from, the file when it is to
  /// keep that place or had none.
  void moduleDropped(const Ref& module, const Ref& onto, const Ref& from);

private:
  const std::vector<uint32_t>& childrenOf(const QModelIndex& parent) const;

  std::vector<library::ContentsRow> m_rows;
  std::vector<std::vector<uint32_t>> m_children; ///< by row; the last one holds the roots
  std::vector<uint32_t> m_position;              ///< of each row among its siblings
};

/// "error", "warning", or empty: the icon and the word of a severity.
QString severityIcon(Severity severity);
QString severityWord(Severity severity);

} // namespace blobscope::ui
