#pragma once

#include "ui/compare/pair_page.h"
#include "ui/pages/page_widget.h"

namespace blobscope::ui {

class GraphPage;
class ThemeLabel;

/// The graphs of both sides as one: what only one side has and what is changed is marked.
class GraphPairPage : public PairPage {
  Q_OBJECT
public:
  /// `context` is that of the node in B.
  GraphPairPage(const ComparedPagePtr& page, const PageContext& context, QWidget* parent);
  int changeCount() const override;
  int currentChange() const override;
  bool goToNextChange(bool backwards) override;
  void goToEnd(bool last) override;
  void openFind() override;
  void findNext(bool backwards) override;

  GraphPage& graph() { return *m_graph; }

private:
  /// Returns the marked boxes in the order of the layers.
  std::vector<uint32_t> changes() const;

  GraphPage* m_graph;
};

} // namespace blobscope::ui
