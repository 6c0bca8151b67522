#pragma once

#include "core/view/page.h"
#include "ui/pages/page_factory.h"

namespace blobscope::ui {

class FieldsPage;
class FindBar;
class HexView;

/// Bytes with the tree of their fields beside them; what is selected on one side is selected on the other.
class HexPage : public PageWidget {
  Q_OBJECT
public:
  HexPage(const view::HexPage& page, QWidget* parent);
  bool goToOffset(uint64_t offset, std::optional<uint64_t> size) override;
  void openFind() override;
  void openGoTo() override;
  HexView& view() { return *m_view; }

private:
  HexView* m_view;
  FieldsPage* m_fields = nullptr; ///< null when nothing is known of the bytes
  FindBar* m_find;
};

} // namespace blobscope::ui
