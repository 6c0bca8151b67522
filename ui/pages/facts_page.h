#pragma once

#include "core/view/page.h"
#include "ui/pages/page_widget.h"

namespace blobscope::ui {

/// What a node is: its name, a sentence about its kind, and facts as label and value.
class FactsPage : public PageWidget {
  Q_OBJECT
public:
  FactsPage(const view::TablePage& page, const PageContext& context, QWidget* parent);
  QWidget* tools() override { return m_tools; }

private:
  QString m_text; ///< what Copy gives
  QWidget* m_tools;
};

} // namespace blobscope::ui
