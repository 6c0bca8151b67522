#include "ui/window/dialogs/repack_rows.h"

#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace blobscope::ui {

// --- changes

ChangesModel::ChangesModel(QVector<ChangeRow> rows, QObject* parent)
    : QAbstractListModel(parent), m_rows(std::move(rows)), m_included(m_rows.size(), true) {}

int ChangesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

Qt::ItemFlags ChangesModel::flags(const QModelIndex& index) const {
  return index.isValid() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable | Qt::ItemNeverHasChildren
                         : Qt::NoItemFlags;
}

QVariant ChangesModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const ChangeRow& row = m_rows[index.row()];
  switch (role) {
  case Qt::DisplayRole: return row.sentence;
  case Qt::ToolTipRole:
  case Qt::AccessibleTextRole:
    return shownAs(role, row.values.isEmpty() ? row.sentence : tr("%1: %2").arg(row.sentence, row.values));
  case Qt::CheckStateRole: return m_included[index.row()] ? Qt::Checked : Qt::Unchecked;
  case ValuesRole: return row.values;
  case IconRole: return row.icon;
  case ColorRole: return static_cast<int>(row.role);
  default: return {};
  }
}

bool ChangesModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || role != Qt::CheckStateRole) return false;
  m_included[index.row()] = value.toInt() == Qt::Checked;
  Q_EMIT dataChanged(index, index, {Qt::CheckStateRole});
  return true;
}

QSize ChangesDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
  return {200, metrics::rowHeight()};
}

void ChangesDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  painter->save();
  paintRow(painter, option);
  const Theme& look = theme();
  const QStyle* const style = option.widget ? option.widget->style() : QApplication::style();
  const bool included = index.data(Qt::CheckStateRole).toInt() == Qt::Checked,
             enabled = option.state & QStyle::State_Enabled;
  QRect rect = option.rect;

  // --- 1. The check box, with a small distance to the focus frame. ---
  QStyleOptionViewItem box = option;
  const int size = style->pixelMetric(QStyle::PM_IndicatorWidth, &option, option.widget);
  const QRect boxPlace(rect.left() + 2, rect.top() + (rect.height() - size) / 2, size, size);
  box.rect = placed(option, boxPlace);
  box.state &= ~(QStyle::State_HasFocus | QStyle::State_MouseOver);
  box.state |= included ? QStyle::State_On : QStyle::State_Off;
  style->drawPrimitive(QStyle::PE_IndicatorItemViewItemCheck, &box, painter, option.widget);
  rect.setLeft(boxPlace.right() + 9);

  // --- 2. The icon; an excluded change is faint. ---
  const Role color = included && enabled ? static_cast<Role>(index.data(ChangesModel::ColorRole).toInt()) : Role::Faint;
  icon(index.data(ChangesModel::IconRole).toString(), color)
      .paint(painter, placed(option, QRect(rect.left(), rect.top() + (rect.height() - metrics::kIcon) / 2,
                                           metrics::kIcon, metrics::kIcon)));
  rect.setLeft(rect.left() + metrics::kIcon + 8);
  rect.setRight(rect.right() - 3);

  // --- 3. The sentence gets its width first; the values get the rest, but at least a third. ---
  const QFont small = textFont(TextRole::Secondary);
  const QFontMetrics metrics(option.font), smallMetrics(small);
  const QString sentence = index.data().toString(), values = index.data(ChangesModel::ValuesRole).toString();
  const int wanted = values.isEmpty() ? 0 : smallMetrics.horizontalAdvance(values) + 1;
  const int valuesWidth =
      std::min(wanted, std::max(rect.width() / 3, rect.width() - metrics.horizontalAdvance(sentence) - 24));
  painter->setFont(small);
  painter->setPen(look.color(included && enabled ? Role::Secondary : Role::Faint));
  painter->drawText(placed(option, rect), Qt::AlignRight | Qt::AlignVCenter,
                    smallMetrics.elidedText(values, Qt::ElideMiddle, valuesWidth));
  if (valuesWidth > 0) rect.setRight(rect.right() - valuesWidth - 16);
  painter->setFont(option.font);
  painter->setPen(look.color(included && enabled ? Role::Text : Role::Faint));
  painter->drawText(placed(option, rect), Qt::AlignLeft | Qt::AlignVCenter,
                    metrics.elidedText(sentence, Qt::ElideMiddle, rect.width()));
  painter->restore();
}

bool ChangesDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                                  const QModelIndex& index) {
  if (!(index.flags() & Qt::ItemIsEnabled) || !(option.state & QStyle::State_Enabled)) return false;
  if (event->type() == QEvent::MouseButtonRelease) {
    if (static_cast<QMouseEvent*>(event)->button() != Qt::LeftButton) return false;
  } else if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key != Qt::Key_Space && key != Qt::Key_Select) return false;
  } else {
    return false;
  }
  return model->setData(index, index.data(Qt::CheckStateRole).toInt() == Qt::Checked ? Qt::Unchecked : Qt::Checked,
                        Qt::CheckStateRole);
}

// --- steps

void StepsModel::setSteps(std::vector<describe::StepText> steps) {
  beginResetModel();
  m_steps = std::move(steps);
  endResetModel();
}

int StepsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_steps.size());
}

int StepsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QString StepsModel::text(int row, int column) const {
  if (column == Number) return QString::number(row + 1);
  const describe::StepText& step = m_steps[static_cast<std::size_t>(row)];
  switch (column) {
  case What: return coreText(step.what);
  case At: return toQt(step.offset);
  case Size: return toQt(step.size);
  default: return coreText(step.why);
  }
}

QVariant StepsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (role == Qt::DisplayRole || (role == Qt::ToolTipRole && (index.column() == What || index.column() == Why)))
    return shownAs(role, text(index.row(), index.column()));
  if (role == Qt::TextAlignmentRole)
    return QVariant((index.column() == Size ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return {};
}

QVariant StepsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant((section == Size ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
  case Number: return QStringLiteral("#");
  case What: return tr("Step");
  case At: return tr("Offset");
  case Size: return tr("Size (bytes)");
  case Why: return tr("Reason");
  default: return {};
  }
}

int StepsDelegate::widthOf(const StepsModel& model, int column) {
  const QFontMetrics metrics(column == StepsModel::At ? textFont(TextRole::Code) : textFont(TextRole::Body)),
      header(textFont(TextRole::Secondary));
  // The header font is slightly bolder than reported.
  int width = header.horizontalAdvance(model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()) * 11 / 10;
  for (int row = 0; row < model.rowCount(); ++row)
    width = std::max(width, metrics.horizontalAdvance(model.index(row, column).data().toString()));
  return width + 17;
}

QSize StepsDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
  return {40, metrics::rowHeight()};
}

void StepsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  painter->save();
  paintRow(painter, option);
  const int column = index.column();
  const bool quiet = column == StepsModel::Number || column == StepsModel::Why,
             enabled = option.state & QStyle::State_Enabled;
  const QFont font = column == StepsModel::At ? textFont(TextRole::Code) : option.font;
  const QRect rect = option.rect.adjusted(8, 0, -8, 0);
  painter->setFont(font);
  painter->setPen(theme().color(!enabled ? Role::Faint : quiet ? Role::Secondary : Role::Text));
  painter->drawText(placed(option, rect), index.data(Qt::TextAlignmentRole).toInt(),
                    QFontMetrics(font).elidedText(index.data().toString(), Qt::ElideRight, rect.width()));
  painter->restore();
}

} // namespace blobscope::ui
