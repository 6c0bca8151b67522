#include "ui/window/panels/tree_delegate.h"

#include "core/base/text.h"
#include "ui/models/contents_model.h"
#include "ui/pages/help_pages.h"
#include "ui/pages/kind_look.h"
#include "ui/text/name_parts.h"
#include "ui/text/plain_text.h"
#include "ui/text/severity_text.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"
#include "ui/widgets/severity_role.h"

#include <QAbstractItemView>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace blobscope::ui {
namespace {

/// A longer name is shortened, so that the size of the row is shown.
constexpr int kNameLetters = 16;

const QString kStep = QStringLiteral(" › "), kStepMirrored = QStringLiteral(" ‹ ");

/// The parts of a row, where they are drawn.
struct Layout {
  QRect icon, name, detail, size, severity, changed; ///< empty without room
};

bool isLeaf(const QModelIndex& index) {
  switch (static_cast<library::RowKind>(index.data(KindRole).toInt())) {
    using enum library::RowKind;
  case Kernel:
  case Function:
  case Constant:
  case HostFunction:
  case Section: return true;
  default: return false;
  }
}

QFont nameFont(const QStyleOptionViewItem& option, const QModelIndex& index) {
  QFont font = option.font;
  if (!index.parent().isValid()) font.setWeight(QFont::DemiBold);
  return font;
}

Layout layoutOf(const QStyleOptionViewItem& option, const QModelIndex& index) {
  Layout out;
  QRect rect = option.rect.adjusted(4, 0, -8, 0);
  const auto takeLeft = [&rect](int width, int space) {
    const QRect taken(rect.left(), rect.top(), width, rect.height());
    rect.setLeft(rect.left() + width + space);
    return taken;
  };
  const auto takeRight = [&rect](int width, int space) {
    const QRect taken(rect.right() - width + 1, rect.top(), width, rect.height());
    rect.setRight(rect.right() - width - space);
    return taken;
  };
  out.icon = takeLeft(metrics::kIcon, 6);
  if (index.data(ChangedRole).toBool()) out.changed = takeRight(kChangedMark + 2, 6);
  if (index.data(SeverityRole).isValid()) out.severity = takeRight(metrics::kIcon, 6);
  const int nameWidth = QFontMetrics(nameFont(option, index)).horizontalAdvance(index.data(Qt::DisplayRole).toString());
  if (const QVariant size = index.data(SizeRole); size.isValid()) {
    const int width =
        QFontMetrics(textFont(TextRole::Secondary)).horizontalAdvance(toQt(shortSizeText(size.toULongLong())));
    // A size that leaves too little room for the name is only in Details.
    const int needed = std::min(nameWidth, kNameLetters * QFontMetrics(option.font).averageCharWidth());
    if (needed + 8 + width <= rect.width()) out.size = takeRight(width, 8);
  }
  if (!index.data(DetailRole).toString().isEmpty() && nameWidth + 8 + 24 < rect.width())
    out.detail = rect.adjusted(nameWidth + 8, 0, 0, 0);
  out.name = rect;
  for (QRect* const part : {&out.icon, &out.name, &out.detail, &out.size, &out.severity, &out.changed})
    if (!part->isEmpty()) *part = placed(option, *part);
  return out;
}

/// Returns the rectangle of each module in a chain: long names shrink first, all to the same width.
QVector<QRect> chainPlaces(const QStringList& names, const QFontMetrics& metrics, const QRect& rect,
                           Qt::LayoutDirection direction) {
  const int between = metrics.horizontalAdvance(kStep);
  QVector<int> widths, sorted;
  for (const QString& name : names) widths << metrics.horizontalAdvance(name) + 1; // advances are rounded down
  sorted = widths;
  std::sort(sorted.begin(), sorted.end());
  int room = rect.width() - between * static_cast<int>(names.size() - 1), maximum = rect.width();
  for (int i = 0; i < sorted.size(); ++i) {
    const int share = room / static_cast<int>(sorted.size() - i);
    if (sorted[i] > share) {
      maximum = share;
      break;
    }
    room -= sorted[i];
  }
  QVector<QRect> out;
  int x = rect.left();
  for (const int width : std::as_const(widths)) {
    out << QRect(x, rect.top(), qMax(0, qMin(width, maximum)), rect.height());
    x += out.last().width() + between;
  }
  for (QRect& place : out) place = QStyle::visualRect(direction, rect, place);
  return out;
}

void paintChain(QPainter* painter, const QRect& rect, const QModelIndex& index, bool selected) {
  const QStringList names = index.data(ChainRole).toStringList();
  const int chosen = index.data(PartRole).toInt();
  const QFont font = painter->font();
  const QFontMetrics metrics(font);
  const bool mirrored = painter->layoutDirection() == Qt::RightToLeft;
  const QVector<QRect> places = chainPlaces(names, metrics, rect, painter->layoutDirection());
  for (int part = 0; part < names.size(); ++part) {
    QFont own = font;
    own.setUnderline(selected && part == chosen);
    painter->setFont(own);
    painter->setPen(theme().color(Role::Text));
    painter->drawText(places[part], nameFlags(*painter, Qt::AlignLeft | Qt::AlignVCenter),
                      metrics.elidedText(names[part], Qt::ElideMiddle, places[part].width()));
    if (part + 1 == names.size()) break;
    painter->setFont(font);
    painter->setPen(theme().color(Role::Secondary));
    const QRect &left = places[mirrored ? part + 1 : part], &right = places[mirrored ? part : part + 1];
    const QRect sign(left.right() + 1, rect.top(), right.left() - left.right() - 1, rect.height());
    painter->drawText(sign, Qt::AlignCenter, (mirrored ? kStepMirrored : kStep).trimmed());
  }
}

} // namespace

int TreeDelegate::partAt(const QStyleOptionViewItem& option, const QModelIndex& index, const QPoint& place) {
  const QStringList names = index.data(ChainRole).toStringList();
  if (names.isEmpty()) return -1;
  const QVector<QRect> places =
      chainPlaces(names, QFontMetrics(nameFont(option, index)), layoutOf(option, index).name, option.direction);
  for (int part = 0; part < places.size(); ++part)
    if (places[part].contains(place)) return part;
  return -1;
}

bool TreeDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                               const QModelIndex& index) {
  if (event->type() == QEvent::MouseButtonPress)
    if (const int part = partAt(option, index, static_cast<QMouseEvent*>(event)->pos()); part >= 0)
      model->setData(index, part, PartRole);
  return QStyledItemDelegate::editorEvent(event, model, option, index);
}

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
  const Layout layout = layoutOf(option, index);
  const auto drawIcon = [&](const QRect& rect, const QString& name, auto role) {
    painter->drawPixmap(rect.left(), rect.center().y() - metrics::kIcon / 2 + 1,
                        iconPixmap(name, role, metrics::kIcon, ratio));
  };
  if (!layout.icon.isEmpty()) {
    const KindLook kind =
        kindLook(static_cast<library::RowKind>(index.data(KindRole).toInt()), index.data(ModuleKeyRole).toString());
    drawIcon(layout.icon, kind.icon, kind.role);
  }
  if (!layout.changed.isEmpty()) paintChangedMark(painter, layout.changed);
  if (!layout.severity.isEmpty()) {
    const auto worst = static_cast<Severity>(index.data(SeverityRole).toInt());
    drawIcon(layout.severity, severityIcon(worst), severityRole(worst));
  }
  const QFont small = textFont(TextRole::Secondary);
  // On the selection, faint text becomes secondary.
  painter->setPen(look.color(Role::Secondary));
  painter->setFont(small);
  if (!layout.size.isEmpty())
    painter->drawText(layout.size, nameFlags(*painter, Qt::AlignRight | Qt::AlignVCenter),
                      toQt(shortSizeText(index.data(SizeRole).toULongLong())));
  if (!layout.detail.isEmpty())
    painter->drawText(
        layout.detail, nameFlags(*painter, Qt::AlignLeft | Qt::AlignVCenter),
        QFontMetrics(small).elidedText(index.data(DetailRole).toString(), Qt::ElideRight, layout.detail.width()));
  painter->setFont(nameFont(option, index));
  if (index.data(ChainRole).isValid()) {
    paintChain(painter, layout.name, index, option.state & QStyle::State_Selected);
  } else {
    QList<LinePiece> pieces;
    const QStringList shared = isLeaf(index) ? index.data(SharedRole).toStringList() : QStringList();
    for (const NameRun& run : fitName(index.data(Qt::DisplayRole).toString(), {shared.value(0), shared.value(1)},
                                      m_filter, painter->fontMetrics(), layout.name.width()))
      pieces << LinePiece{run.text, run.dim, run.found};
    paintPieces(painter, layout.name, pieces);
  }
  painter->restore();
}

} // namespace blobscope::ui
