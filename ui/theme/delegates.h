#pragma once

#include "ui/theme/theme.h"

#include <QStyledItemDelegate>

namespace blobscope::ui {

/// Icon and colour of a row of the contents tree.
struct KindLook {
  QString icon;
  Role role;
};
/// `kind` is a library::RowKind as a number, `moduleKey` the type key of a module.
KindLook kindLook(int kind, const QString& moduleKey);

/// Paints a row of the contents tree: icon, name, secondary word, and from the right severity and size. What has no
/// room is left out, the name last.
class TreeDelegate : public QStyledItemDelegate {
  Q_OBJECT
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

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
