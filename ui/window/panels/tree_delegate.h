#pragma once

#include <QStyledItemDelegate>

namespace blobscope::ui {

/// Paints a row of the contents tree: icon, name, secondary word, and from the right severity and size. What has no
/// room is left out, the name last.
class TreeDelegate : public QStyledItemDelegate {
  Q_OBJECT
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  /// The whole name, and what such a thing is.
  bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                 const QModelIndex& index) override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace blobscope::ui
