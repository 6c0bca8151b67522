#pragma once

#include "ui/theme/theme.h"

#include <QStyleOptionViewItem>

class QPainter;
class QWidget;

namespace blobscope::ui {

/// Returns where a rectangle of a row is drawn: mirrored inside the row if the layout is from right to left. Painters
/// align text at the start of the rectangle by themselves.
QRect placed(const QStyleOptionViewItem& option, const QRect& rect);
/// Returns the same for a rectangle inside a widget.
QRect placed(const QWidget& widget, const QRect& rect);
/// Returns the flags of QPainter::drawText() for a name, a number or other text of a file, which is read from left to
/// right in every layout, but aligned in the direction of the layout.
int nameFlags(const QPainter& painter, Qt::Alignment alignment);
/// Paints an icon of the theme's size at the start of `rect`, in the middle of its height.
void paintRowIcon(QPainter* painter, const QStyleOptionViewItem& option, const QRect& rect, const QPixmap& picture);

/// Width of the mark of a changed part.
constexpr int kChangedMark = 7;
/// Paints the mark of a part with unsaved changes, a disc, in the middle of `rect`.
void paintChangedMark(QPainter* painter, const QRect& rect);

/// Paints the background of a row: selection, hover, and the frame of the keyboard focus.
void paintRow(QPainter* painter, const QStyleOptionViewItem& option);

/// A piece of a line: dimmed, or highlighted as a match.
struct LinePiece {
  QString text;
  bool dim = false, found = false;
};
/// Paints the pieces side by side from the start of `rect`, in the painter's font; what does not fit is cut off.
void paintPieces(QPainter* painter, const QRect& rect, const QList<LinePiece>& pieces);

} // namespace blobscope::ui
