#pragma once

#include "ui/theme/theme.h"

#include <QStyleOptionViewItem>

class QPainter;

namespace blobscope::ui {

/// Paints the background of a row: selection, hover, and the frame of the keyboard focus.
void paintRow(QPainter* painter, const QStyleOptionViewItem& option);

/// A piece of a line: dimmed, or highlighted as a match.
struct LinePiece {
  QString text;
  bool dim = false, found = false;
};
/// Paints the pieces side by side from the left of `rect`, in the painter's font; what does not fit is cut off.
void paintPieces(QPainter* painter, const QRect& rect, const QList<LinePiece>& pieces);

} // namespace blobscope::ui
