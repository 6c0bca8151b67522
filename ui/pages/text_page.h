#pragma once

#include "core/syntax/outline.h"
#include "core/view/page.h"
#include "ui/pages/page_widget.h"

#include <QListWidget>

namespace blobscope::ui {

class FindBar;
class TextView;
class ThemeLabel;

/// Text with line numbers, highlighting, a find bar, and an outline of its kernels at the left.
class TextPage : public PageWidget {
  Q_OBJECT
public:
  TextPage(const view::TextPage& page, const PageContext& context, QWidget* parent);
  ~TextPage() override;
  bool goToOffset(uint64_t offset, std::optional<uint64_t> size) override;
  void markHits(const std::vector<Extent>& hits) override;
  /// Goes to the declaration of a kernel.
  bool showPart(const Ref::Part& part) override;
  QWidget* tools() override { return m_tools; }
  void openFind() override;
  void findNext(bool backwards) override;
  void openGoTo() override;
  TextView& view() { return *m_view; }

Q_SIGNALS:
  /// The outline is complete, or the text has none.
  void outlined();

private:
  /// Turns names of functions into links.
  void linkNames(const PageContext& context);
  void makeOutline();
  void fillTools();
  void showOutline(const std::vector<syntax::OutlineEntry>& entries);
  void updateFacts();

  Jobs& m_jobs;
  QString m_tag;
  std::string m_language;
  TextView* m_view;
  QWidget* m_tools;
  ThemeLabel* m_facts;
  QListWidget* m_outline;
  QWidget* m_outlineBox;
  std::vector<syntax::OutlineEntry> m_entries;
  std::optional<std::string> m_wanted; ///< kernel to go to when the outline is ready
  FindBar* m_find;
};

} // namespace blobscope::ui
