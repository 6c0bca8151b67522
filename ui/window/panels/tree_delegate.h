#pragma once

#include <QStyledItemDelegate>

namespace blobscope::ui {

/// Paints a row of the contents tree: icon, name, secondary text, and from the right severity and size. What does not
/// fit is omitted, the name last. In a row with several modules, a click selects the module under the mouse.
class TreeDelegate : public QStyledItemDelegate {
  Q_OBJECT
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  /// Shows the whole name and the kind of the row.
  bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                 const QModelIndex& index) override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;
  /// Sets the text that is marked in names, in any case; empty for none.
  void setFilter(const QString& words) { m_filter = words; }
  /// Returns which of the row's modules is at this point of the view, -1 for none.
  static int partAt(const QStyleOptionViewItem& option, const QModelIndex& index, const QPoint& place);

private:
  QString m_filter;
};

} // namespace blobscope::ui
