#pragma once

#include <QStyledItemDelegate>
#include <QWidget>

#include <vector>

class QTableView;

namespace blobscope::ui {

/// Paints the cells of files and targets: the icon and the path of a file, the box of a target's state. Files that are
/// not counted are faint; the current cell has a frame.
class FilesDelegate : public QStyledItemDelegate {
  Q_OBJECT
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// A line below a table with a text for each column, which follows the columns.
class ColumnFooter : public QWidget {
  Q_OBJECT
public:
  ColumnFooter(QTableView& table, QWidget* parent = nullptr);
  struct Text {
    QString text;
    bool strong = false; ///< in the colour of what is fine
  };
  /// `first`: over the columns before the first text; the others are centred, for the columns from `from`.
  void setTexts(const QString& first, int from, std::vector<Text> texts);

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  QTableView& m_table;
  QString m_first;
  int m_from = 0;
  std::vector<Text> m_texts;
};

} // namespace blobscope::ui
