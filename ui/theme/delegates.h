#pragma once

#include "ui/theme/theme.h"

#include <QStyledItemDelegate>

namespace blobscope::ui {

/// Background of a row: selected, hovered, and the frame of the keyboard focus.
void paintRow(QPainter* painter, const QStyleOptionViewItem& option);

/// Rows of tables and fields: theme row height, elided in the middle, code font for the columns given.
class CellDelegate : public QStyledItemDelegate {
  Q_OBJECT
public:
  explicit CellDelegate(QObject* parent, QList<int> codeColumns = {}) : QStyledItemDelegate(parent), m_code(std::move(codeColumns)) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
  QList<int> m_code;
};

} // namespace blobscope::ui
