#pragma once

#include "ui/session/comparison.h"

#include <QAbstractTableModel>

#include <optional>
#include <vector>

namespace blobscope::ui {

/// Roles of a cell: its text on both sides, and whether they differ. The status of a row is DiffRole::StatusRole.
enum DiffCellRole {
  CellChangedRole = Qt::UserRole + 64,
  OldTextRole,
  NewTextRole,
  CellSideRole ///< the side of columns that represent one side, as a number
};

/// A compared table, list of facts or field tree as merged rows of both sides. Tables keep their columns and show old
/// and new in a cell that differs; facts and fields have a column for each side. Cells are requested when they are
/// painted.
class DiffRowsModel : public QAbstractTableModel {
  Q_OBJECT
public:
  /// `page`: its difference is a RowDiff or a FieldDiff.
  explicit DiffRowsModel(ComparedPagePtr page, QObject* parent = nullptr);

  /// Whether only rows that differ are shown. Fields have no other rows.
  void setChangedOnly(bool changedOnly);
  bool hasEqualRows() const;
  /// Columns: a label, A, B.
  bool isBySide() const { return m_bySide; }
  diff::Status status(int row) const;
  /// Returns the first row after (or before) `row` that differs, -1 when there is none.
  int nextChange(int row, bool backwards) const;
  int changeCount() const;
  /// Returns the number of changes up to the row.
  int changesUpTo(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  struct Texts {
    std::optional<QString> a, b; ///< nullopt where a side has no such cell
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
  std::vector<uint32_t> m_changes;              ///< differing rows of the difference, ascending
  std::optional<std::vector<uint32_t>> m_shown; ///< nullopt: all
};

} // namespace blobscope::ui
