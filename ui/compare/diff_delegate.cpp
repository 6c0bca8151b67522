#include "ui/compare/diff_delegate.h"

#include "ui/compare/diff_look.h"
#include "ui/models/diff_model.h"
#include "ui/models/diff_rows_model.h"
#include "ui/pages/kind_look.h"
#include "ui/theme/content_text.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"

#include <QPainter>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kBadge = 16;

/// Returns "old → new" for `room` pixels. If the texts do not fit: for `names`, without the words that both have at the
/// end; otherwise the beginning of the old text and the end of the new one.
QString bothTexts(QString before, QString after, bool names, const QFontMetrics& metrics, int room) {
  const QString arrow = QStringLiteral(" → ");
  if (metrics.horizontalAdvance(before + arrow + after) <= room) return before + arrow + after;
  qsizetype same = 0;
  while (names && same < std::min(before.size(), after.size()) &&
         before[before.size() - 1 - same] == after[after.size() - 1 - same])
    ++same;
  while (same > 0 && before[before.size() - same] != QLatin1Char('_')) --same;
  if (same > 0 && same < before.size() && same < after.size()) {
    before = before.chopped(same) + QStringLiteral("…");
    after = after.chopped(same) + QStringLiteral("…");
    if (metrics.horizontalAdvance(before + arrow + after) <= room) return before + arrow + after;
  }
  const int half = (room - metrics.horizontalAdvance(arrow)) / 2;
  const int neededBefore = metrics.horizontalAdvance(before), neededAfter = metrics.horizontalAdvance(after);
  const int widthAfter = std::min(neededAfter, std::max(half, 2 * half - neededBefore));
  const int widthBefore = std::min(neededBefore, 2 * half - widthAfter);
  return metrics.elidedText(before, Qt::ElideMiddle, widthBefore) + arrow +
         metrics.elidedText(after, Qt::ElideLeft, widthAfter);
}

} // namespace

QSize DiffTreeDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  return {QStyledItemDelegate::sizeHint(option, index).width(), metrics::rowHeight()};
}

void DiffTreeDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const Theme& look = theme();
  painter->save();
  paintRow(painter, option);
  const qreal ratio = painter->device()->devicePixelRatioF();
  QRect rect = option.rect.adjusted(4, 0, -8, 0);
  const bool dim = index.data(DimRole).toBool();

  const KindLook kind =
      kindLook(static_cast<library::RowKind>(index.data(KindRole).toInt()), index.data(ModuleKeyRole).toString());
  paintRowIcon(painter, option, rect, iconPixmap(kind.icon, dim ? Role::Faint : kind.role, metrics::kIcon, ratio));
  rect.setLeft(rect.left() + metrics::kIcon + 6);

  const auto status = static_cast<diff::Status>(index.data(StatusRole).toInt());
  // Rows without a sign keep its space free, so that sizes are aligned.
  paintBadge(painter,
             placed(option, QRect(rect.right() - kBadge + 1, rect.center().y() - kBadge / 2 + 1, kBadge, kBadge)),
             status);
  rect.setRight(rect.right() - kBadge - 6);

  QFont nameFont = option.font;
  if (!index.parent().isValid()) nameFont.setWeight(QFont::DemiBold);
  const QFontMetrics nameMetrics(nameFont);
  const QString name = index.data(Qt::DisplayRole).toString(), newName = index.data(NewNameRole).toString();
  const int nameWidth =
      nameMetrics.horizontalAdvance(newName.isEmpty() ? name : name + QStringLiteral(" → ") + newName);

  const QFont small = textFont(TextRole::Secondary);
  const QFontMetrics smallMetrics(small);
  painter->setFont(small);
  painter->setPen(look.color(Role::Secondary));
  if (const QString size = index.data(DifferenceRole).toString(); !size.isEmpty()) {
    const int width = smallMetrics.horizontalAdvance(size);
    if (nameWidth + 12 + width <= rect.width()) {
      painter->drawText(placed(option, rect), Qt::AlignRight | Qt::AlignVCenter, size);
      rect.setRight(rect.right() - width - 12);
    }
  }
  if (const QString detail = index.data(DetailRole).toString();
      !detail.isEmpty() && nameWidth + 8 + 60 < rect.width()) {
    const QRect place = rect.adjusted(nameWidth + 8, 0, 0, 0);
    painter->drawText(placed(option, place), nameFlags(*painter, Qt::AlignLeft | Qt::AlignVCenter),
                      smallMetrics.elidedText(detail, Qt::ElideRight, place.width()));
  }
  painter->setFont(nameFont);
  painter->setPen(look.color(dim ? Role::Secondary : Role::Text));
  const QString text = newName.isEmpty()
                           ? nameMetrics.elidedText(name, dim ? Qt::ElideRight : Qt::ElideMiddle, rect.width())
                           : bothTexts(name, newName, true, nameMetrics, rect.width());
  painter->drawText(placed(option, rect), nameFlags(*painter, Qt::AlignLeft | Qt::AlignVCenter), text);
  painter->restore();
}

QSize DiffCellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  return {QStyledItemDelegate::sizeHint(option, index).width() + 8, rowHeightFor(option.font)};
}

void DiffCellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const Theme& look = theme();
  painter->save();
  const auto status = static_cast<diff::Status>(index.data(StatusRole).toInt());
  const QVariant side = index.data(CellSideRole);
  const bool changed = index.data(CellChangedRole).toBool();
  // --- 1. The background: of the whole row if only one side has it, else of the cells that differ. It is also visible
  // in the current row. ---
  paintRow(painter, option);
  if (side.isValid()) {
    const bool first = side.toInt() == 0;
    const bool here = first ? status != diff::Status::Added : status != diff::Status::Removed;
    if (changed && here) painter->fillRect(option.rect, look.color(first ? Role::RemovedLine : Role::AddedLine));
  } else if (status == diff::Status::Added || status == diff::Status::Removed) {
    painter->fillRect(option.rect, look.color(statusLook(status).background));
  } else if (changed) {
    painter->fillRect(option.rect, look.color(Role::ChangedLine));
  }
  if (option.state & QStyle::State_Selected) {
    painter->fillRect(QRect(option.rect.left(), option.rect.top(), option.rect.width(), 1), look.color(Role::Accent));
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                      look.color(Role::Accent));
  }

  // --- 2. The sign of the row. ---
  QRect rect = option.rect.adjusted(8, 0, -8, 0);
  if (index.column() == 0) {
    paintBadge(painter, placed(option, QRect(rect.left(), rect.center().y() - kBadge / 2 + 1, kBadge, kBadge)), status);
    rect.setLeft(rect.left() + kBadge + 8);
  }

  // --- 3. Text. ---
  const QString text = index.data(Qt::DisplayRole).toString();
  const QString before = index.data(OldTextRole).toString(), after = index.data(NewTextRole).toString();
  const bool code = text.startsWith(QLatin1String("0x"));
  const QFont font = code ? codeFontBeside(option.font) : option.font;
  const QFontMetrics metrics(font);
  painter->setFont(font);
  const QVariant alignment = index.data(Qt::TextAlignmentRole);
  const bool right = alignment.isValid() && (alignment.toInt() & Qt::AlignRight);
  if (changed && !side.isValid()) {
    const QString arrow = QStringLiteral(" → ");
    const QString shown = bothTexts(before, after, false, metrics, rect.width());
    const qsizetype cut = shown.indexOf(arrow) + arrow.size();
    const int width = metrics.horizontalAdvance(shown);
    const bool atRight = right != (option.direction == Qt::RightToLeft);
    const QRect room = placed(option, rect);
    const int left = atRight ? room.right() - width + 1 : room.left();
    painter->setPen(look.color(Role::Secondary));
    painter->drawText(QRect(left, room.top(), room.right() - left + 1, room.height()),
                      Qt::AlignLeft | Qt::AlignVCenter | Qt::TextForceLeftToRight, shown.left(cut));
    painter->setPen(look.color(Role::Text));
    const int done = metrics.horizontalAdvance(shown.left(cut));
    painter->drawText(QRect(left + done, room.top(), room.right() - left - done + 1, room.height()),
                      Qt::AlignLeft | Qt::AlignVCenter | Qt::TextForceLeftToRight, shown.mid(cut));
  } else {
    painter->setPen(look.color(Role::Text));
    painter->drawText(placed(option, rect),
                      nameFlags(*painter, (right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter),
                      metrics.elidedText(text, Qt::ElideMiddle, rect.width()));
  }
  painter->restore();
}

} // namespace blobscope::ui
