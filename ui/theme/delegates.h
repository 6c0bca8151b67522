#pragma once

#include "ui/theme/theme.h"

#include <QStyleOptionViewItem>

class QPainter;

namespace blobscope::ui {

/// Background of a row: selected, hovered, and the frame of the keyboard focus.
void paintRow(QPainter* painter, const QStyleOptionViewItem& option);

} // namespace blobscope::ui
