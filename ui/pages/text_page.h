#pragma once

#include "core/syntax/code_structure.h"
#include "core/view/page.h"
#include "ui/pages/page_widget.h"
#include "ui/widgets/text/edit_view.h"

#include <QListWidget>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>

namespace blobscope::ui {

class EditBar;
class FindBar;
class MarkList;
class RunResult;
class TextCompiling;
class ThemeLabel;

/// Text with line numbers, highlighting, a find bar, and an outline of its kernels at the left. A text that the file
/// stores can be edited in place; a bar above it says so. What was typed becomes one change of the document when the
/// user requests it, when the keyboard focus leaves the page, or when the page is hidden. A draft is a text that the
/// file does not store: it only is compiled, and the result is stored.
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
  bool isTyping() const override;
  bool isRefused() const override;
  void applyTyping() override;
  bool canUndoTyping(bool redo) const override;
  void undoTyping(bool redo) override;
  void changeRefused() override;
  void startEditing() override;
  std::unique_ptr<PageState> saveState() const override;
  void restoreState(const PageState& state) override;
  bool showRun(const RunEntryPtr& entry) override;
  void openFind() override;
  void openReplace() override;
  void findNext(bool backwards) override;
  void openGoTo() override;
  EditView& view() { return *m_view; }
  EditBar& editBar() { return *m_editBar; }
  TextCompiling& compiling() { return *m_compiling; }
  RunResult& result() { return *m_result; }
  /// Whether the text can be edited; known shortly after the page was made.
  bool isEditable() const { return m_isDraft || m_place.has_value(); }

Q_SIGNALS:
  /// The outline is complete, or the text has none.
  void outlined();
  /// isEditable() is known.
  void placed();

protected:
  void hideEvent(QHideEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  /// What is kept when the page is made again.
  struct Kept;
  /// Finds out whether the text can be edited, and what it was when the file was opened.
  void findPlace(const PageContext& context);
  void takePlace(const std::optional<edit::TextPlace>& place, const std::optional<Bytes>& opened);
  /// The answer of findPlace() is still missing.
  bool isPlacing() const;
  void connectEditing();
  /// The document is about to get what was typed, or what takes its place.
  void beginApplying();
  void revertTyping();
  void showDifferences(bool show);
  void updateEditBar();
  /// Turns names of functions into links.
  void linkNames(const PageContext& context);
  void makeOutline();
  void fillTools();
  /// Reads functions, labels and jumps of the text in a job; with `delayed`, when the user stops typing.
  void readStructure(bool delayed);
  void showStructure(const std::shared_ptr<const syntax::CodeStructure>& structure);
  /// Selects the function of the cursor in the outline.
  void followCursor();
  void updateFacts();

  Jobs& m_jobs;
  QString m_tag;
  std::string m_language;
  const bool m_isDraft;
  EditView* m_view;
  QWidget* m_tools;
  ThemeLabel* m_facts;
  QListWidget* m_outline;
  QWidget* m_outlineBox;
  /// A row of the outline.
  struct Entry {
    std::string name;
    uint64_t line = 0;    ///< counted from 0
    bool function = true; ///< otherwise a label
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> m_entries;
  QTimer m_typingPause;
  QToolButton* m_wrap = nullptr;
  std::optional<std::string> m_wanted; ///< kernel to go to when the outline is ready
  FindBar* m_find;

  EditBar* m_editBar;
  MarkList* m_marks;
  TextCompiling* m_compiling = nullptr;
  RunResult* m_result;
  QStackedWidget* m_stack;   ///< the text, or its differences
  QWidget* m_content;        ///< the text with its outline
  QWidget* m_diff = nullptr; ///< the differences, while they are shown
  decltype(PageContext::makeTextDiff) m_makeDiff;
  std::optional<edit::TextPlace> m_place;      ///< if the text can be edited
  std::optional<Bytes> m_opened;               ///< the text in the file as it was opened, if it is known
  std::optional<Bytes> m_sent;                 ///< the text of the last textEdited()
  bool m_applying = false;                     ///< the document has not answered yet
  bool m_wantsEditing = false;                 ///< startEditing() as soon as isEditable() is known
  bool m_wantsApplying = false;                ///< applyTyping() then
  std::unique_ptr<EditView::State> m_restored; ///< to continue with as soon as isEditable() is known
};

} // namespace blobscope::ui
