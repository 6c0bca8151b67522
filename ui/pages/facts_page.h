#pragma once

#include "core/view/page.h"
#include "ui/pages/page_widget.h"

namespace blobscope::ui {

/// An overview of a node: its name, a sentence about its kind, and facts as labels and values.
class FactsPage : public PageWidget {
  Q_OBJECT
public:
  FactsPage(const view::TablePage& page, const PageContext& context, QWidget* parent);
  QWidget* tools() override { return m_tools; }

private:
  QString m_text; ///< the text that Copy puts on the clipboard
  QWidget* m_tools;
};

} // namespace blobscope::ui
