#pragma once

#include "ui/text/name_parts.h"

#include <QIcon>
#include <QStyledItemDelegate>

namespace blobscope::ui {

/// Paints rows of tables and fields: theme row height, elision in the middle, code font for given columns, a bar before
/// a number that has a share, and the colour of a field's role at the left edge.
class CellDelegate : public QStyledItemDelegate {
  Q_OBJECT
public:
  explicit CellDelegate(QObject* parent, QList<int> codeColumns = {})
      : QStyledItemDelegate(parent), m_code(std::move(codeColumns)) {}
  /// The roles of the model: FieldsModel has field roles, TableModel has shares.
  enum class Kind { Table, Fields };
  void setKind(Kind kind) { m_kind = kind; }
  void setRowHeight(int height) { m_height = height; }
  /// Room before the first column in tables whose rows can be grouped.
  static constexpr int kGroupIndent = 16;
  void setIndented(bool indented) { m_indent = indented ? kGroupIndent : 0; }
  /// Returns the width of the chips of a cell with these words, separated by ", ".
  int wordsWidth(const QString& words) const;
  /// Sets the icon before the first column.
  void setRowIcon(const QIcon& picture) { m_icon = picture; }
  /// Sets what the names in the first column have in common: it is dimmed, and omitted first when there is not enough
  /// room.
  void setAffixes(Affixes affixes) { m_affixes = std::move(affixes); }
  /// Sets the text that is highlighted in all cells of a table, in any case.
  void setFilter(const QString& filter) { m_filter = filter; }
  /// Sets the number of lines that a text cell may have; 1 for tables that do not wrap.
  void setLineLimit(int lines) { m_lines = lines; }
  /// Returns the number of lines that the cell needs at this column width.
  int linesOf(const QModelIndex& index, const QFont& font, int width) const;
  /// Returns the height of a row whose tallest cell has this number of lines.
  static int heightOf(int lines, const QFont& font);
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  /// Creates a line edit as wide as the cell, in the cell's font.
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const override;

private:
  QRect paintBar(QPainter* painter, const QStyleOptionViewItem& option, QRect rect, double share, bool low) const;
  void paintGroup(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
  void paintChips(QPainter* painter, const QStyleOptionViewItem& option, QRect rect, const QStringList& words,
                  const QVariant& good) const;
  /// Returns whether it painted the text: marked, dimmed or in several lines.
  bool paintWords(QPainter* painter, const QRect& rect, const QString& text, const QModelIndex& index) const;
  /// Returns the width of the cell's icon, bar and margins.
  int takenWidth(const QModelIndex& index) const;

  QList<int> m_code;
  Kind m_kind = Kind::Table;
  int m_height = 0; ///< 0: row height of the theme
  QIcon m_icon;
  Affixes m_affixes;
  QString m_filter;
  int m_lines = 1;
  int m_indent = 0;
};

} // namespace blobscope::ui
