#pragma once

#include "core/base/extent.h"
#include "core/base/json.h"
#include "core/base/ref.h"
#include "core/edit/edit.h"
#include "core/edit/text_place.h"
#include "core/library/contents.h"
#include "core/library/package.h"
#include "core/view/details.h"
#include "core/view/page.h"
#include "ui/session/jobs.h"
#include "ui/session/test_run.h"

#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::ui {

class ByteNotes;

/// What a page keeps when it is made again.
class PageState {
public:
  virtual ~PageState() = default;
  bool isTyping = false; ///< as PageWidget::isTyping()
};

/// A widget that shows one page. The window uses this interface for what a page can do, so it does not depend on page
/// kinds.
class PageWidget : public QWidget {
  Q_OBJECT
public:
  using QWidget::QWidget;
  /// Goes to an offset in the file; returns false when the page does not show offsets.
  virtual bool goToOffset(uint64_t offset, std::optional<uint64_t> size) {
    Q_UNUSED(offset)
    Q_UNUSED(size)
    return false;
  }
  /// Marks these ranges of the file, in order, where the page shows them.
  virtual void markHits(const std::vector<Extent>& hits) { Q_UNUSED(hits) }
  /// Shows a part of the node (a kernel, a field); returns false when the page does not show such parts.
  virtual bool showPart(const Ref::Part& part) {
    Q_UNUSED(part)
    return false;
  }
  /// Returns the selected part, so that the page of a later state can select it again.
  virtual std::optional<Ref::Part> selectedPart() const { return std::nullopt; }
  /// Starts to edit the selection in place; returns false when the page cannot.
  virtual bool editSelection() { return false; }
  /// Returns the widget at the right end of the page bar, null for none. It belongs to the page.
  virtual QWidget* tools() { return nullptr; }
  /// Whether the page has a picture.
  virtual bool hasPicture() const { return false; }
  /// Whether the page fills Details with something other than the node or a selection.
  virtual bool hasOwnDetails() const { return false; }
  /// Returns the page as it is shown, for describe::pagePicture().
  virtual view::Page picture() const { return {}; }
  /// Whether the user typed something that is not a change of the document yet.
  virtual bool isTyping() const { return false; }
  /// Whether the document refused what was typed.
  virtual bool isRefused() const { return false; }
  /// Makes what was typed a change of the document: textEdited() follows.
  virtual void applyTyping() {}
  /// Whether undoTyping() does something.
  virtual bool canUndoTyping(bool redo) const {
    Q_UNUSED(redo)
    return false;
  }
  /// Undoes or redoes the last step of the typing.
  virtual void undoTyping(bool redo) { Q_UNUSED(redo) }
  /// The document refused the last change.
  virtual void changeRefused() {}
  /// Gives the keyboard focus to the text and starts to edit it, if it can be edited.
  virtual void startEditing() {}
  /// Returns what the page keeps when it is made again after a change of the document; null for nothing.
  virtual std::unique_ptr<PageState> saveState() const { return nullptr; }
  /// Restores what saveState() of a page with the same name returned.
  virtual void restoreState(const PageState& state) { Q_UNUSED(state) }
  /// Opens the page's find bar, and goes to the next or previous match.
  virtual void openFind() {
    Q_EMIT message(tr("This page has nothing to search. Find everywhere (Ctrl+Shift+F) searches the whole file."));
  }
  /// Opens the find bar with what replaces matches, where the page can be edited.
  virtual void openReplace() { openFind(); }
  virtual void findNext(bool backwards) { Q_UNUSED(backwards) }
  /// Shows what a run of the file as opened and with its changes gave; returns false when the page does not.
  virtual bool showRun(const RunEntryPtr& entry) {
    Q_UNUSED(entry)
    return false;
  }
  /// Asks for an offset or a line.
  virtual void openGoTo() {}

Q_SIGNALS:
  /// The text about the selection for the status bar, empty for none.
  void selectionText(const QString& text);
  /// A sentence for the user, such as why a copy was refused; empty when the last one no longer applies.
  void message(const QString& text);
  /// Describes the selection for the Details panel.
  void detailsChanged(const view::Details& details);
  /// A part of the node was selected; detailsChanged() describes it.
  void partChosen(const Ref& part);
  /// The user opens the context menu of a row. `value`: the text under the mouse.
  void menuRequested(const std::optional<Ref>& node, const QString& value, const QPoint& place);
  /// The user changed the value of a field.
  void fieldEdited(const Ref& field, const json::Value& value);
  /// The user changed the bytes of a kernel or a text field.
  void textEdited(const Ref& target, const Bytes& bytes);
  /// The user overwrote bytes of a module: runs of bytes with their offsets in the payload as it is shown.
  void bytesOverwritten(const Ref& module, const std::vector<std::pair<uint64_t, Bytes>>& runs);
  /// The user changed values of a tensor of the shown tree; never empty.
  void valuesEdited(const std::vector<edit::SetValue>& values);
  /// The user wants to store code that was compiled from the text, by these edits of the shown tree.
  void codeCompiled(const std::vector<edit::Edit>& edits);
  /// The user wants to run the file as opened and with its changes on the same inputs. `kernel`: the one to be run;
  /// empty: not known.
  void oldAndNewRequested(const std::string& kernel);
  /// The user wants to undo all changes of the place that textEdited() named.
  void revertRequested(const Ref& target);
  /// isTyping() or canUndoTyping() may have changed.
  void typingChanged();
  /// The selection represents another node; with `open`, the user wants to go there.
  void nodeChosen(const Ref& ref, bool open);
};

/// An unsaved change of bytes that keeps their number.
struct ByteChange {
  Extent bytes; ///< offsets in the (member) file as opened
  QString text; ///< "78 → 79"
};

/// What a page widget needs to be created.
struct PageContext {
  Jobs& jobs;                              ///< runs sorting, filtering, outlines
  Ref node;                                ///< the node of the page
  std::optional<uint64_t> blobOffset = {}; ///< offset in the file of the blob that contains the node
  QString title = {};                      ///< name of the node
  library::RowKind kind = library::RowKind::Section;
  QString moduleKey = {};           ///< type key, for modules
  library::PackagePtr package = {}; ///< the file, for links to functions in code; may be null
  std::vector<Ref> changed = {};    ///< places of the unsaved changes
  QString topic = {};               ///< help page about nodes of this kind, empty for none
  ByteNotes* notes = nullptr;       ///< bookmarks and notes of the file; null where they are not shown
  /// The bytes of the node in the file as it was opened, if the changes keep their number; empty without changes.
  Bytes openedBytes = {};
  std::vector<ByteChange> byteChanges = {}; ///< of the node
  /// A value of a tensor that was changed and is not saved.
  struct ChangedValue {
    std::vector<uint64_t> index; ///< on each axis
    std::string before;
  };
  std::vector<ChangedValue> changedValues = {}; ///< of the node
  /// Reads the text of a place in the file as it was opened, without the unsaved changes; null: there are none.
  std::function<Result<std::optional<Bytes>>(edit::TextPlace, Monitor&)> readOpened = {};
  /// Makes a widget that compares two states of a text; null: texts of the page are not compared.
  std::function<QWidget*(Jobs&, const view::TextPage&, const view::TextPage&, QWidget*)> makeTextDiff = {};
};

} // namespace blobscope::ui
