#pragma once

#include <QStyledItemDelegate>

namespace blobscope::ui {

/// Paints a row of the contents tree: icon, name, secondary word, and from the right severity and size. What has no
/// room is left out, the name last. Of a row with several modules a click chooses the one that it meets.
class TreeDelegate : public QStyledItemDelegate {
  Q_OBJECT
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  /// The whole name, and what such a thing is.
  bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                 const QModelIndex& index) override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;
  /// What of names is marked as found, whatever its case; empty for nothing.
  void setFilter(const QString& words) { m_filter = words; }
  /// Which of the row's modules is at that place of the view, -1 for none.
  static int partAt(const QStyleOptionViewItem& option, const QModelIndex& index, const QPoint& place);

private:
  QString m_filter;
};

} // namespace blobscope::ui
