#pragma once

#include <QIcon>
#include <QStyledItemDelegate>

namespace blobscope::ui {

/// Rows of tables and fields: theme row height, elided in the middle, code font for the columns given, a bar in front
/// of a number that has a share, the colour of a field's role at its left edge.
class CellDelegate : public QStyledItemDelegate {
  Q_OBJECT
public:
  explicit CellDelegate(QObject* parent, QList<int> codeColumns = {})
      : QStyledItemDelegate(parent), m_code(std::move(codeColumns)) {}
  /// Roles of the model: FieldsModel has field roles, TableModel shares.
  enum class Kind { Table, Fields };
  void setKind(Kind kind) { m_kind = kind; }
  void setRowHeight(int height) { m_height = height; }
  /// In front of the first column.
  void setRowIcon(const QIcon& picture) { m_icon = picture; }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  /// A line as wide as the cell, in the cell's font.
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const override;

private:
  QList<int> m_code;
  Kind m_kind = Kind::Table;
  int m_height = 0; ///< 0: that of the theme
  QIcon m_icon;
};

} // namespace blobscope::ui
