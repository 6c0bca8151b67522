#pragma once

#include "ui/text/name_parts.h"

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
  /// What the names of the first column share: it is dimmed, and leaves first when there is no room.
  void setAffixes(Affixes affixes) { m_affixes = std::move(affixes); }
  /// What is highlighted in all cells of a table, in any case.
  void setFilter(const QString& filter) { m_filter = filter; }
  /// Lines that a cell of words may have; 1 for tables that do not wrap.
  void setLineLimit(int lines) { m_lines = lines; }
  /// Lines that the cell needs at that width of its column.
  int linesOf(const QModelIndex& index, const QFont& font, int width) const;
  /// Height of a row whose longest cell has so many lines.
  static int heightOf(int lines);
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  /// A line as wide as the cell, in the cell's font.
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const override;

private:
  QRect paintBar(QPainter* painter, QRect rect, double share) const;
  /// Whether the text was painted: marked, dimmed or in several lines.
  bool paintWords(QPainter* painter, const QRect& rect, const QString& text, const QModelIndex& index) const;
  /// What the icon, the bar and the margins of a cell take.
  int takenWidth(const QModelIndex& index) const;

  QList<int> m_code;
  Kind m_kind = Kind::Table;
  int m_height = 0; ///< 0: that of the theme
  QIcon m_icon;
  Affixes m_affixes;
  QString m_filter;
  int m_lines = 1;
};

} // namespace blobscope::ui
