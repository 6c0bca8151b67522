#include "ui/pages/cell_delegate.h"

#include "ui/models/fields_model.h"
#include "ui/models/table_model.h"
#include "ui/text/plain_text.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/hex/hex_view.h"

#include <QLineEdit>
#include <QPainter>

namespace blobscope::ui {
namespace {
constexpr int kLine = metrics::kTextLine;
constexpr int kBar = 36, kBarHeight = 6, kMargin = 8;

void paintRuns(QPainter* painter, const QRect& rect, const QVector<NameRun>& runs) {
  QList<LinePiece> pieces;
  for (const NameRun& run : runs) pieces.append({run.text, run.dim, run.found});
  paintPieces(painter, rect, pieces);
}
} // namespace

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  return {QStyledItemDelegate::sizeHint(option, index).width() + 8,
          qMax(m_height, m_height > 0 ? QFontMetrics(option.font).height() + 4 : metrics::rowHeight())};
}

QWidget* CellDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const {
  auto* const edit = new QLineEdit(parent);
  if (m_code.contains(index.column())) edit->setFont(textFont(TextRole::Code));
  edit->setAccessibleName(plainLine(index.siblingAtColumn(0).data().toString()));
  edit->setAutoFillBackground(true);
  return edit;
}

void CellDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex&) const {
  editor->setGeometry(option.rect);
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  painter->save();
  paintRow(painter, option);
  const Theme& look = theme();
  QRect rect = option.rect.adjusted(8, 0, -8, 0);
  if (m_kind == Kind::Fields && index.column() == 0) {
    const auto role = static_cast<FieldRole>(index.data(FieldRoleRole).toInt());
    if (role != FieldRole::Structure) {
      painter->fillRect(QRect(option.rect.left() + 2, option.rect.top() + 4, 3, option.rect.height() - 8),
                        look.color(fieldRoleColor(role)));
    }
    rect.setLeft(option.rect.left() + 10);
  }
  if (index.column() == 0 && !m_icon.isNull()) {
    m_icon.paint(painter,
                 QRect(rect.left(), rect.center().y() - metrics::kIcon / 2 + 1, metrics::kIcon, metrics::kIcon));
    rect.setLeft(rect.left() + metrics::kIcon + 6);
  }
  const QString text = index.data(Qt::DisplayRole).toString();
  const bool code = m_code.contains(index.column()) || isCodeText(text);
  const QFont font = code ? textFont(TextRole::Code) : option.font;
  const QFontMetrics metrics(font);
  if (m_kind == Kind::Table)
    if (const QVariant share = index.data(BarRole); share.isValid() && rect.width() > kBar + 30)
      rect = paintBar(painter, rect, share.toDouble());
  painter->setFont(font);
  painter->setPen(look.color(Role::Text));
  if (m_kind == Kind::Table && paintWords(painter, rect, text, index)) {
    painter->restore();
    return;
  }
  const QVariant alignment = index.data(Qt::TextAlignmentRole);
  const Qt::Alignment align = alignment.isValid() ? Qt::Alignment(alignment.toInt()) : Qt::AlignLeft | Qt::AlignVCenter;
  painter->drawText(rect, static_cast<int>(align), metrics.elidedText(text, Qt::ElideMiddle, rect.width()));
  painter->restore();
}

QRect CellDelegate::paintBar(QPainter* painter, QRect rect, double share) const {
  const Theme& look = theme();
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  const QRectF track(rect.left(), rect.center().y() - kBarHeight / 2.0 + 1, kBar, kBarHeight);
  painter->setBrush(look.color(Role::Header));
  painter->drawRoundedRect(track, 2, 2);
  painter->setBrush(look.color(Role::KindDevice));
  painter->drawRoundedRect(QRectF(track.topLeft(), QSizeF(qMax(2.0, kBar * share), kBarHeight)), 2, 2);
  painter->restore();
  rect.setLeft(rect.left() + kBar + 8);
  return rect;
}

int CellDelegate::takenWidth(const QModelIndex& index) const {
  return 2 * kMargin + (index.column() == 0 && !m_icon.isNull() ? metrics::kIcon + 6 : 0) +
         (index.data(BarRole).isValid() ? kBar + 8 : 0);
}

int CellDelegate::heightOf(int lines) { return metrics::rowHeight() + (lines - 1) * metrics::kTextLine; }

int CellDelegate::linesOf(const QModelIndex& index, const QFont& font, int width) const {
  if (m_lines <= 1) return 1;
  const QString text = index.data(Qt::DisplayRole).toString();
  const QFontMetrics metrics(font);
  const int room = width - takenWidth(index);
  if (room < 20 || metrics.horizontalAdvance(text) <= room) return 1;
  return static_cast<int>(wrapText(text, metrics, room, m_lines).size());
}

bool CellDelegate::paintWords(QPainter* painter, const QRect& rect, const QString& text,
                              const QModelIndex& index) const {
  if (index.data(Qt::TextAlignmentRole).isValid() && m_filter.isEmpty()) return false;
  const QFontMetrics metrics = painter->fontMetrics();
  const int width = metrics.horizontalAdvance(text);
  if (index.data(Qt::TextAlignmentRole).isValid()) {
    // A number: the match is marked in the right-aligned text.
    if (width > rect.width() || !text.contains(m_filter, Qt::CaseInsensitive)) return false;
    paintRuns(painter, rect.adjusted(rect.width() - width, 0, 0, 0), fitName(text, {}, m_filter, metrics, width));
    return true;
  }
  const Affixes shared = index.column() == 0 ? m_affixes : Affixes();
  if (m_lines <= 1 || width <= rect.width()) {
    paintRuns(painter, rect, fitName(text, shared, m_filter, metrics, rect.width()));
    return true;
  }
  const QVector<QVector<NameRun>> lines = fitLines(text, shared, m_filter, metrics, rect.width(), m_lines);
  int top = rect.center().y() - static_cast<int>(lines.size()) * kLine / 2;
  for (const QVector<NameRun>& line : lines) {
    paintRuns(painter, QRect(rect.left(), top, rect.width(), kLine), line);
    top += kLine;
  }
  return true;
}

} // namespace blobscope::ui
