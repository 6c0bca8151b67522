#pragma once

#include "core/view/page.h"
#include "ui/pages/page_widget.h"

namespace blobscope::ui {

/// Returns a new widget for the page; it belongs to `parent`.
PageWidget* createPage(const view::Page& page, const PageContext& context, QWidget* parent);

} // namespace blobscope::ui
