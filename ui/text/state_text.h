#pragma once

#include "core/view/page.h"

#include <QString>

namespace blobscope::ui {

/// Returns the state of a target in words: "fails at step 5"; with `step` 0, without a number: "fails at step N".
QString stateText(view::ChecklistPage::State state, unsigned step);

} // namespace blobscope::ui
