#pragma once

#include "ui/pages/page_widget.h"

namespace blobscope::ui {

/// Plots below each other.
class PlotsPage : public PageWidget {
  Q_OBJECT
public:
  PlotsPage(const view::Page& page, const PageContext& context, QWidget* parent);
  bool hasPicture() const override { return true; }
  view::Page picture() const override { return m_page; }

private:
  view::Page m_page;
};

} // namespace blobscope::ui
