#pragma once

#include "core/view/page.h"

#include <QWidget>

namespace blobscope::ui {

class Jobs;

/// Returns a widget that shows two states of a text side by side, as in a comparison of files. They are compared in the
/// background.
QWidget* makeTextDiff(Jobs& jobs, const view::TextPage& before, const view::TextPage& after, QWidget* parent);

} // namespace blobscope::ui
