#include "ui/pages/cell_delegate.h"

#include "ui/models/fields_model.h"
#include "ui/models/table_model.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/theme/content_text.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"
#include "ui/widgets/hex/hex_view.h"

#include <QAbstractScrollArea>
#include <QLineEdit>
#include <QPainter>

namespace blobscope::ui {
namespace {
constexpr int kCellBar = 36, kCellBarHeight = 6, kCellMargin = 8, kWordMargin = 7, kWordGap = 4;

/// Height of a line in a cell with several.
int lineOf(const QFontMetrics& metrics) { return qMax(metrics::kTextLine, metrics.height() + 2); }

void paintRuns(QPainter* painter, const QRect& rect, const QVector<NameRun>& runs) {
  QList<LinePiece> pieces;
  for (const NameRun& run : runs) pieces.append({run.text, run.dim, run.found});
  paintPieces(painter, rect, pieces);
}
} // namespace

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  return {QStyledItemDelegate::sizeHint(option, index).width() + 8,
          qMax(m_height, m_height > 0 ? QFontMetrics(option.font).height() + 4 : rowHeightFor(option.font))};
}

QWidget* CellDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const {
  auto* const edit = new QLineEdit(parent);
  if (m_code.contains(index.column())) edit->setFont(codeFontBeside(parent->font()));
  edit->setAccessibleName(plainLine(index.siblingAtColumn(0).data().toString()));
  edit->setAutoFillBackground(true);
  return edit;
}

void CellDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex&) const {
  editor->setGeometry(option.rect);
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  painter->save();
  if (m_kind == Kind::Table && index.data(GroupRole).isValid()) {
    paintGroup(painter, option, index);
    painter->restore();
    return;
  }
  paintRow(painter, option);
  const Theme& look = theme();
  QRect rect = option.rect.adjusted(8, 0, -8, 0);
  if (m_kind == Kind::Fields && index.column() == 0) {
    const auto role = static_cast<FieldRole>(index.data(FieldRoleRole).toInt());
    if (role != FieldRole::Structure) {
      const QRect edge(option.rect.left() + 2, option.rect.top() + 4, 3, option.rect.height() - 8);
      painter->fillRect(placed(option, edge), look.color(fieldRoleColor(role)));
    }
    rect.setLeft(option.rect.left() + 10);
  }
  if (index.column() == 0) rect.setLeft(rect.left() + m_indent);
  if (index.column() == 0 && !m_icon.isNull()) {
    m_icon.paint(painter, placed(option, QRect(rect.left(), rect.center().y() - metrics::kIcon / 2 + 1, metrics::kIcon,
                                               metrics::kIcon)));
    rect.setLeft(rect.left() + metrics::kIcon + 6);
  }
  if (m_kind == Kind::Fields && index.data(FieldChangedRole).toBool()) {
    const QRect mark(rect.right() - kChangedMark, rect.top(), kChangedMark + 1, rect.height());
    paintChangedMark(painter, placed(option, mark));
    rect.setRight(mark.left() - 6);
  }
  const QString text = index.data(Qt::DisplayRole).toString();
  const bool code = m_code.contains(index.column()) || isCodeText(text);
  const QFont font = code ? codeFontBeside(option.font) : option.font;
  const QFontMetrics metrics(font);
  if (m_kind == Kind::Table)
    if (const QVariant share = index.data(BarRole); share.isValid() && rect.width() > kCellBar + 30)
      rect = paintBar(painter, option, rect, share.toDouble(), index.data(LowRole).toBool());
  if (m_kind == Kind::Table)
    if (const QVariant words = index.data(WordsRole); words.isValid()) {
      paintChips(painter, option, rect, words.toStringList(), index.data(GoodRole));
      painter->restore();
      return;
    }
  painter->setFont(font);
  painter->setPen(look.color(Role::Text));
  if (m_kind == Kind::Table && paintWords(painter, placed(option, rect), text, index)) {
    painter->restore();
    return;
  }
  const QVariant alignment = index.data(Qt::TextAlignmentRole);
  const Qt::Alignment align = alignment.isValid() ? Qt::Alignment(alignment.toInt()) : Qt::AlignLeft | Qt::AlignVCenter;
  painter->drawText(placed(option, rect), nameFlags(*painter, align),
                    metrics.elidedText(text, Qt::ElideMiddle, rect.width()));
  painter->restore();
}

QRect CellDelegate::paintBar(QPainter* painter, const QStyleOptionViewItem& option, QRect rect, double share,
                             bool low) const {
  const Theme& look = theme();
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  const QRectF track =
      placed(option, QRect(rect.left(), rect.center().y() - kCellBarHeight / 2 + 1, kCellBar, kCellBarHeight));
  painter->setBrush(look.color(Role::Header));
  painter->drawRoundedRect(track, 2, 2);
  painter->setBrush(look.color(low ? Role::Warning : Role::KindDevice));
  painter->drawRoundedRect(QRectF(track.topLeft(), QSizeF(qMax(2.0, kCellBar * share), kCellBarHeight)), 2, 2);
  painter->restore();
  rect.setLeft(rect.left() + kCellBar + 8);
  return rect;
}

/// Each cell paints its part of the line, which begins in the first column.
void CellDelegate::paintGroup(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const Theme& look = theme();
  const bool selected = option.state & QStyle::State_Selected;
  painter->setClipRect(option.rect);
  painter->fillRect(option.rect, look.color(selected ? Role::Selection : Role::Alternate));
  const auto* const view = qobject_cast<const QAbstractScrollArea*>(option.widget);
  QStyleOptionViewItem line = option;
  line.rect = QRect(0, option.rect.top(), view ? view->viewport()->width() : option.rect.right(), option.rect.height());
  const int middle = line.rect.center().y();
  const bool mirrored = option.direction == Qt::RightToLeft;
  const QRect mark = placed(line, QRect(kCellMargin, middle - 4, 9, 9));
  const QPointF center = QRectF(mark).center();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(look.color(Role::Secondary), 1.5));
  const double side = mirrored ? -1 : 1;
  const QPolygonF folded(
      {center + QPointF(-2 * side, -4), center + QPointF(2 * side, 0), center + QPointF(-2 * side, 4)});
  const QPolygonF open({center + QPointF(-4, -2), center + QPointF(0, 2), center + QPointF(4, -2)});
  painter->drawPolyline(index.data(FoldedRole).toBool() ? folded : open);
  painter->setRenderHint(QPainter::Antialiasing, false);
  QFont bold = option.font;
  bold.setWeight(QFont::DemiBold);
  const QString title = index.siblingAtColumn(0).data().toString();
  const QFontMetrics metrics(bold);
  const int wide = metrics.horizontalAdvance(title) + 2, start = kCellMargin + 16;
  painter->setFont(bold);
  painter->setPen(look.color(Role::Text));
  painter->drawText(placed(line, QRect(start, line.rect.top(), wide, line.rect.height())),
                    nameFlags(*painter, Qt::AlignLeft | Qt::AlignVCenter), title);
  painter->setFont(option.font);
  painter->setPen(look.color(Role::Secondary));
  painter->drawText(placed(line, QRect(start + wide + 12, line.rect.top(), line.rect.width() - start - wide - 12,
                                       line.rect.height())),
                    Qt::AlignLeft | Qt::AlignVCenter, index.data(GroupRole).toString());
}

int CellDelegate::wordsWidth(const QString& words) const {
  const QFontMetrics metrics(contentFont(TextRole::Chip));
  int width = 0;
  if (words.isEmpty()) return 0;
  for (const QString& word : words.split(QStringLiteral(", ")))
    width += metrics.horizontalAdvance(coreText(fromQt(word))) + 2 * kWordMargin + kWordGap;
  return width;
}

void CellDelegate::paintChips(QPainter* painter, const QStyleOptionViewItem& option, QRect rect,
                              const QStringList& words, const QVariant& good) const {
  const Theme& look = theme();
  painter->setFont(contentFont(TextRole::Chip));
  const QFontMetrics metrics(painter->font());
  painter->setRenderHint(QPainter::Antialiasing);
  for (const QString& word : words) {
    const bool matrix = word == QLatin1String("tensor cores");
    const auto [ground, ink] = matrix            ? std::pair{Role::MovedLine, Role::Moved}
                               : !good.isValid() ? std::pair{Role::NoteBackground, Role::Note}
                               : good.toBool()   ? std::pair{Role::OkBackground, Role::Ok}
                                                 : std::pair{Role::ErrorBackground, Role::Error};
    const QString text = coreText(fromQt(word));
    const int wide = metrics.horizontalAdvance(text) + 2 * kWordMargin, high = metrics.height() + 4;
    if (wide > rect.width()) break;
    const QRect chip = placed(option, QRect(rect.left(), rect.center().y() - high / 2 + 1, wide, high));
    painter->setPen(Qt::NoPen);
    painter->setBrush(look.color(ground));
    painter->drawRoundedRect(chip, 4, 4);
    painter->setPen(look.color(ink));
    painter->drawText(chip, Qt::AlignCenter, text);
    rect.setLeft(rect.left() + wide + kWordGap);
  }
  painter->setRenderHint(QPainter::Antialiasing, false);
}

int CellDelegate::takenWidth(const QModelIndex& index) const {
  return 2 * kCellMargin + (index.column() == 0 ? m_indent : 0) +
         (index.column() == 0 && !m_icon.isNull() ? metrics::kIcon + 6 : 0) +
         (index.data(BarRole).isValid() ? kCellBar + 8 : 0);
}

int CellDelegate::heightOf(int lines, const QFont& font) {
  return rowHeightFor(font) + (lines - 1) * lineOf(QFontMetrics(font));
}

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
    // At the end of the cell, where numbers are.
    const bool mirrored = painter->layoutDirection() == Qt::RightToLeft;
    const int rest = rect.width() - width;
    paintRuns(painter, rect.adjusted(mirrored ? 0 : rest, 0, mirrored ? -rest : 0, 0),
              fitName(text, {}, m_filter, metrics, width));
    return true;
  }
  const Affixes shared = index.column() == 0 ? m_affixes : Affixes();
  if (m_lines <= 1 || width <= rect.width()) {
    paintRuns(painter, rect, fitName(text, shared, m_filter, metrics, rect.width()));
    return true;
  }
  const QVector<QVector<NameRun>> lines = fitLines(text, shared, m_filter, metrics, rect.width(), m_lines);
  const int high = lineOf(metrics);
  int top = rect.center().y() - static_cast<int>(lines.size()) * high / 2;
  for (const QVector<NameRun>& line : lines) {
    paintRuns(painter, QRect(rect.left(), top, rect.width(), high), line);
    top += high;
  }
  return true;
}

} // namespace blobscope::ui
