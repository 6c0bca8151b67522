#pragma once

#include <QStyledItemDelegate>

namespace blobscope::ui {

/// Rows of the comparison tree: icon, name (old → new), what the size became, and the sign of the status at the right.
class DiffTreeDelegate : public QStyledItemDelegate {
  Q_OBJECT
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// Cells of a DiffRowsModel: what differs is tinted, old and new stand beside one another.
class DiffCellDelegate : public QStyledItemDelegate {
  Q_OBJECT
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace blobscope::ui
