#pragma once

#include "ui/widgets/hex/hex_view.h"

#include <QAccessibleWidget>
#include <QPointer>

#include <vector>

namespace blobscope::ui {

/// A byte of a HexView for assistive technology: whichever byte is at this position of the view.
class HexCellAccessible : public QAccessibleInterface, public QAccessibleTableCellInterface {
public:
  HexCellAccessible(HexView* view, int row, int column) : m_view(view), m_row(row), m_column(column) {}

  bool isValid() const override { return m_view && offset(); }
  QObject* object() const override { return nullptr; }
  QAccessibleInterface* parent() const override;
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QString text(QAccessible::Text kind) const override;
  void setText(QAccessible::Text, const QString&) override {}
  QRect rect() const override;
  QAccessible::Role role() const override { return QAccessible::Cell; }
  QAccessible::State state() const override;
  void* interface_cast(QAccessible::InterfaceType type) override;

  bool isSelected() const override;
  QList<QAccessibleInterface*> columnHeaderCells() const override { return {}; }
  QList<QAccessibleInterface*> rowHeaderCells() const override { return {}; }
  int columnIndex() const override { return m_column; }
  int rowIndex() const override { return m_row; }
  int columnExtent() const override { return 1; }
  int rowExtent() const override { return 1; }
  QAccessibleInterface* table() const override { return parent(); }

  /// Returns the offset of the byte at this position.
  std::optional<uint64_t> offset() const;

private:
  QPointer<HexView> m_view;
  int m_row, m_column; ///< from the first visible row
};

/// A HexView for assistive technology: a table of the visible rows with sixteen columns.
class HexViewAccessible : public QAccessibleWidget, public QAccessibleTableInterface {
public:
  explicit HexViewAccessible(HexView* view);
  ~HexViewAccessible() override;

  void* interface_cast(QAccessible::InterfaceType type) override;
  QString text(QAccessible::Text kind) const override;
  QAccessible::State state() const override;
  QAccessibleInterface* child(int index) const override;
  QAccessibleInterface* childAt(int x, int y) const override;
  int childCount() const override { return rowCount() * HexView::kColumns; }
  int indexOfChild(const QAccessibleInterface* child) const override;
  QAccessibleInterface* focusChild() const override;

  QAccessibleInterface* caption() const override { return nullptr; }
  QAccessibleInterface* summary() const override { return nullptr; }
  QAccessibleInterface* cellAt(int row, int column) const override;
  int selectedCellCount() const override { return static_cast<int>(selectedCells().size()); }
  QList<QAccessibleInterface*> selectedCells() const override;
  QString columnDescription(int column) const override;
  QString rowDescription(int row) const override;
  int columnCount() const override { return HexView::kColumns; }
  int rowCount() const override;
  int selectedColumnCount() const override { return 0; }
  int selectedRowCount() const override { return 0; }
  QList<int> selectedColumns() const override { return {}; }
  QList<int> selectedRows() const override { return {}; }
  bool isColumnSelected(int) const override { return false; }
  bool isRowSelected(int) const override { return false; }
  bool selectRow(int) override { return false; }
  bool selectColumn(int) override { return false; }
  bool unselectRow(int) override { return false; }
  bool unselectColumn(int) override { return false; }
  void modelChange(QAccessibleTableModelChangeEvent*) override {}

private:
  HexView& view() const;
  /// Returns the index of the cursor's cell; nullopt when it is not visible.
  std::optional<int> cursorIndex() const;

  mutable std::vector<QAccessible::Id> m_cells; ///< created on request; 0 for the others
};

} // namespace blobscope::ui
