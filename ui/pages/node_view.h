#pragma once

#include "core/base/ref.h"
#include "core/view/page.h"
#include "ui/pages/page_widget.h"
#include "ui/session/document.h"
#include "ui/widgets/labels.h"

#include <QLabel>
#include <QStackedWidget>
#include <QWidget>

#include <map>
#include <memory>
#include <string>

namespace blobscope::ui {

class Banner;
class PageBar;

/// The content of a tab: the pages of one node with a page bar above, and a banner when the node is damaged. Pages are
/// described in the background, and their widgets are created when they are first shown.
class NodeView : public QWidget {
  Q_OBJECT
public:
  NodeView(Document& document, Ref ref, QWidget* parent = nullptr);
  ~NodeView() override;

  const Ref& ref() const { return m_ref; }
  /// Returns the name of the current page, as on the command line.
  QString currentPage() const;
  QStringList pageNames() const;
  /// Whether the current page is a picture, or a table with pictures, that needs the width of the window.
  bool isWide() const;
  /// Whether the pages are ready.
  bool isReady() const { return !m_pages.empty() || !m_notice->text().isEmpty(); }
  /// Shows the page with that name when the pages are ready; an unknown name shows the first page.
  void showPage(const QString& name);
  /// Shows the n-th page, counted from 0, as the user's choice.
  void choosePage(int index);
  /// Shows a part of the node on the current page if possible, else on the first page that can.
  void showPart(const Ref::Part& part);
  /// Shows the bytes at an offset of the file.
  void goToOffset(uint64_t offset, std::optional<uint64_t> size);
  /// Shows a search hit as text if a page contains it as text, else in the hex view. All hits are marked on the pages
  /// that contain them, until the next call. `hits` are ranges in the file, in order.
  void showHit(const Extent& hit, std::vector<Extent> hits);
  /// Returns the current page; null while the pages are being described.
  PageWidget* current() const;
  /// Gives the keyboard focus to the current page, as soon as there is one.
  void takeFocus();
  /// Sets what compares two states of a text; see PageContext.
  void setTextDiff(decltype(PageContext::makeTextDiff) make) { m_makeTextDiff = std::move(make); }
  /// Whether the user typed something that is not a change of the document yet.
  bool isTyping() const;
  /// Whether the document refused what was typed; call applyTyping() first.
  bool isRefused() const;
  /// Makes what was typed a change of the document.
  void applyTyping();
  /// Shows a run of old and new on the current page; returns false when that does not show runs.
  bool showRun(const RunEntryPtr& entry);
  /// Goes to the text of the node, or of a part of it, and starts to edit it when the pages are ready. If there is none
  /// that can be edited, message() says so.
  void editText(const std::optional<Ref::Part>& part);
  /// Reloads the pages from the current state of the document.
  void refresh();
  /// Does the same after edits; `ref` is the current name of the node. `follow` maps refs of the state before to
  /// current refs. What was selected on the page is selected again, without signals.
  void refresh(Ref ref, const std::function<std::optional<Ref>(const Ref&)>& follow);

Q_SIGNALS:
  /// Another page is in front, for whatever reason.
  void pageChanged();
  /// The user selected another page of the node.
  void pageChosen();
  /// The page before filled Details with something other than the node.
  void ownDetailsLeft();
  void selectionText(const QString& text);
  void message(const QString& text);
  void detailsChanged(const view::Details& details);
  void nodeChosen(const Ref& ref, bool open);
  void partChosen(const Ref& part);
  void menuRequested(const std::optional<Ref>& node, const QString& value, const QPoint& place);
  void fieldEdited(const Ref& field, const json::Value& value);
  void textEdited(const Ref& target, const Bytes& bytes);
  void bytesOverwritten(const Ref& module, const std::vector<std::pair<uint64_t, Bytes>>& runs);
  void valuesEdited(const std::vector<edit::SetValue>& values);
  void oldAndNewRequested(const std::string& kernel);
  void revertRequested(const Ref& target);
  void codeCompiled(const std::vector<edit::Edit>& edits);
  void typingChanged();
  /// The user wants to open this node, on that page if `page` is not empty.
  void activated(const Ref& ref, const QString& page);

private:
  void describe();
  void setPages(view::PageList pages);
  void select(int index);
  PageWidget* makePage(const view::Page& page);
  /// Makes a page that takes long in the background and shows it if it is still wanted.
  void makeLater(int index);
  /// Shows the part on that page; returns false when the page does not contain it.
  bool showPartOn(std::size_t index, const Ref::Part& part);
  /// Shows the page with this number, which contains the text to edit.
  void editTextOn(int index, const std::optional<Ref::Part>& part);
  /// Fills in what a page needs to be edited.
  void setEditing(PageContext& context) const;
  /// Fills in what the page of a module shows of changed bytes.
  void setByteChanges(PageContext& context) const;
  /// Returns what the pages keep, by their names.
  using States = std::map<std::string, std::unique_ptr<PageState>>;
  States savedStates();
  void showDamage();

  Document& m_document;
  Ref m_ref;
  QString m_tag;
  QString m_laterTag, m_editTag;
  int m_making = -1; ///< page that is being made, -1 for none
  view::PageList m_pages;
  QVector<PageWidget*> m_widgets;
  int m_current = -1;
  QString m_wantedPage;
  std::optional<Ref::Part> m_wantedPart, m_selectedPart; ///< to go to, and to select again
  bool m_selectsQuietly = false;                         ///< the latter without signals
  bool m_takesFocus = false;                             ///< the page, when there is one
  std::optional<std::pair<uint64_t, std::optional<uint64_t>>> m_wantedOffset;
  std::optional<Extent> m_wantedHit;
  std::vector<Extent> m_hits;                           ///< of the last search that led here
  std::optional<std::optional<Ref::Part>> m_wantedEdit; ///< text to edit when the pages are ready
  States m_states;                                      ///< of pages that are not made again yet
  decltype(PageContext::makeTextDiff) m_makeTextDiff;
  PageBar* m_bar;
  Banner* m_banner;
  QWidget* m_bannerBox;
  QStackedWidget* m_stack;
  PlainLabel* m_notice;
};

} // namespace blobscope::ui
