#pragma once

#include "ui/session/comparison.h"

#include <QAbstractTableModel>

#include <optional>
#include <vector>

namespace blobscope::ui {

/// Of a cell: its text on both sides, and whether they differ. The status of a row is DiffRole::StatusRole.
enum DiffCellRole {
  CellChangedRole = Qt::UserRole + 64,
  OldTextRole,
  NewTextRole,
  CellSideRole ///< of columns that stand for one side: its number
};

/// A compared table, list of facts or field tree as rows of both sides. Tables have their own columns, with old and new
/// in a cell that differs; facts and fields have a column for each side. Cells are asked for when they are painted.
class DiffRowsModel : public QAbstractTableModel {
  Q_OBJECT
public:
  /// `page`: its difference is one of rows or of fields.
  explicit DiffRowsModel(ComparedPagePtr page, QObject* parent = nullptr);

  /// Whether only rows that differ are shown. Of fields there are no others.
  void setChangedOnly(bool changedOnly);
  bool hasEqualRows() const;
  /// Columns: a label, A, B.
  bool isBySide() const { return m_bySide; }
  diff::Status status(int row) const;
  /// The first row behind (or before) `row` that differs, -1 when there is none.
  int nextChange(int row, bool backwards) const;
  int changeCount() const;
  /// How many changes there are up to the row.
  int changesUpTo(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  struct Texts {
    std::optional<QString> a, b; ///< nothing where a side has no such cell
    bool changed = false;
  };
  Texts textsOf(int row, int column) const;
  uint64_t source(int row) const {
    return m_shown ? (*m_shown)[static_cast<std::size_t>(row)] : static_cast<uint64_t>(row);
  }
  QString cell(const view::TableSource& table, uint64_t row, std::size_t column, bool number) const;

  ComparedPagePtr m_page;
  const diff::RowDiff* m_rows = nullptr;
  const diff::FieldDiff* m_fields = nullptr;
  std::shared_ptr<const view::TableSource> m_a, m_b;
  std::shared_ptr<const FieldTree> m_treeA, m_treeB;
  std::vector<view::Column> m_columns;
  bool m_bySide = false;
  std::vector<uint32_t> m_changes;              ///< rows of the difference that differ, ascending
  std::optional<std::vector<uint32_t>> m_shown; ///< nothing for all
};

} // namespace blobscope::ui
