#pragma once

#include <QStyledItemDelegate>

namespace blobscope::ui {

/// Paints icons, bars and types of the nodes of a whole model.
class NodesDelegate : public QStyledItemDelegate {
  Q_OBJECT
public:
  /// Width of the bars in pixels.
  static constexpr int kBar = 56;
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace blobscope::ui
