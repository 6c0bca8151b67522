#pragma once

class QWidget;

namespace blobscope::ui {

/// Lets assistive technology read TextView and HexView. Any number of times; the views do it themselves.
void installAccessibleViews();
/// Says that the cursor or the selection of one of these views has moved.
void tellAccessibility(QWidget* view);

} // namespace blobscope::ui
