#pragma once

#include "ui/theme/theme.h"

#include <QStyleOptionViewItem>

class QPainter;

namespace blobscope::ui {

/// Background of a row: selected, hovered, and the frame of the keyboard focus.
void paintRow(QPainter* painter, const QStyleOptionViewItem& option);

/// A piece of a line: dimmed, or on the colour of what was found.
struct LinePiece {
  QString text;
  bool dim = false, found = false;
};
/// The pieces one after the other from the left of `rect`, in the painter's font; what has no room is cut off.
void paintPieces(QPainter* painter, const QRect& rect, const QList<LinePiece>& pieces);

} // namespace blobscope::ui
