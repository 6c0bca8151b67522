#include "ui/window/panels/tree_delegate.h"

#include "ui/models/contents_model.h"
#include "ui/pages/help_pages.h"
#include "ui/pages/kind_look.h"
#include "ui/text/plain_text.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"

#include <QAbstractItemView>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <array>

namespace blobscope::ui {
namespace {

QString scannedSize(qulonglong bytes) {
  if (bytes < 1024) return QStringLiteral("%1 B").arg(bytes);
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return QStringLiteral("%1 %2").arg(value, 0, 'f', value < 10 ? 2 : 1).arg(QLatin1String(kUnits[unit]));
}

} // namespace

bool TreeDelegate::helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                             const QModelIndex& index) {
  if (event->type() != QEvent::ToolTip || !index.isValid())
    return QStyledItemDelegate::helpEvent(event, view, option, index);
  QString text = index.data(TipTextRole).toString();
  const QString topic =
      kindTopic(static_cast<library::RowKind>(index.data(KindRole).toInt()), index.data(ModuleKeyRole).toString());
  if (!topic.isEmpty()) text += QLatin1Char('\n') + help::sentence(topic);
  QToolTip::showText(event->globalPos(), plainTip(text), view->viewport());
  return true;
}

QSize TreeDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  return QSize(QStyledItemDelegate::sizeHint(option, index).width(), metrics::rowHeight());
}

void TreeDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const Theme& look = theme();
  painter->save();
  paintRow(painter, option);
  const qreal ratio = painter->device()->devicePixelRatioF();
  QRect rect = option.rect.adjusted(4, 0, -8, 0);

  const KindLook kind =
      kindLook(static_cast<library::RowKind>(index.data(KindRole).toInt()), index.data(ModuleKeyRole).toString());
  painter->drawPixmap(rect.left(), rect.center().y() - metrics::kIcon / 2 + 1,
                      iconPixmap(kind.icon, kind.role, metrics::kIcon, ratio));
  rect.setLeft(rect.left() + metrics::kIcon + 6);

  const bool top = !index.parent().isValid();
  QFont nameFont = option.font;
  if (top) nameFont.setWeight(QFont::DemiBold);
  const QFontMetrics nameMetrics(nameFont);
  const QString name = index.data(Qt::DisplayRole).toString();
  const int nameWidth = nameMetrics.horizontalAdvance(name);

  if (const QVariant severity = index.data(SeverityRole); severity.isValid()) {
    const auto worst = static_cast<Severity>(severity.toInt());
    painter->drawPixmap(rect.right() - metrics::kIcon + 1, rect.center().y() - metrics::kIcon / 2 + 1,
                        iconPixmap(severityIcon(worst), severityRole(worst), metrics::kIcon, ratio));
    rect.setRight(rect.right() - metrics::kIcon - 6);
  }
  const QFont small = textFont(TextRole::Secondary);
  const QFontMetrics smallMetrics(small);
  // On the selection faint text becomes secondary.
  painter->setPen(look.color(Role::Secondary));
  painter->setFont(small);
  if (const QVariant size = index.data(SizeRole); size.isValid()) {
    const QString text = scannedSize(size.toULongLong());
    const int width = smallMetrics.horizontalAdvance(text);
    // A size that has no room beside the name is in the tool tip and in Details.
    if (nameWidth + 8 + width <= rect.width()) {
      painter->drawText(rect, Qt::AlignRight | Qt::AlignVCenter, text);
      rect.setRight(rect.right() - width - 8);
    }
  }
  const QString detail = index.data(DetailRole).toString();
  if (!detail.isEmpty() && nameWidth + 8 + 24 < rect.width()) {
    const QRect place = rect.adjusted(nameWidth + 8, 0, 0, 0);
    painter->drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                      smallMetrics.elidedText(detail, Qt::ElideRight, place.width()));
  }
  painter->setFont(nameFont);
  painter->setPen(look.color(Role::Text));
  painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter,
                    nameMetrics.elidedText(name, Qt::ElideMiddle, rect.width()));
  painter->restore();
}

} // namespace blobscope::ui
