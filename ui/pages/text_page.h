#pragma once

#include "core/view/page.h"
#include "ui/pages/page_factory.h"

namespace blobscope::ui {

class FindBar;
class TextView;

/// Text with line numbers, highlighting and a find bar.
class TextPage : public PageWidget {
  Q_OBJECT
public:
  TextPage(const view::TextPage& page, QWidget* parent);
  bool goToOffset(uint64_t offset, std::optional<uint64_t> size) override;
  void openFind() override;
  void openGoTo() override;
  TextView& view() { return *m_view; }

private:
  TextView* m_view;
  FindBar* m_find;
};

} // namespace blobscope::ui
