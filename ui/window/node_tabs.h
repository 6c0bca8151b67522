#pragma once

#include "core/base/ref.h"
#include "core/view/details.h"
#include "ui/session/document.h"

#include <QPointer>
#include <QVector>
#include <QWidget>

#include <functional>
#include <optional>

class QMenu;
class QStackedWidget;
class QToolButton;

namespace blobscope::ui {

class ContentsPanel;
class NodeView;
class TabBar;

/// Which tab shows a node that has no tab yet: the preview tab, whose node is replaced by the next one, or a tab that
/// stays until it is closed.
enum class TabKind { Preview, Kept };

/// The middle of the window: the tab of the file, which stays open, one tab per node (at most one is a preview), and
/// the history of Back and Forward.
class NodeTabs : public QWidget {
  Q_OBJECT
public:
  /// `contents` provides names and kinds of nodes.
  NodeTabs(Document& document, const ContentsPanel& contents, QWidget* parent = nullptr);

  /// Returns the node view in front; null without tabs, and while another page is in front.
  NodeView* current() const;
  int count() const;
  /// Returns the current place as it was requested; the file at first.
  Ref place() const;
  /// Shows a node, a part of one, or bytes (a ref with "@") in its tab. `kind` Kept also keeps the preview tab of the
  /// node.
  void show(const Ref& ref, const QString& page = {}, TabKind kind = TabKind::Preview);
  /// Adds a tab for something other than a node. The tabs own the page.
  void showPage(QWidget* page, const QString& title, const QString& iconName);
  /// The same behind the current tab.
  void addPage(QWidget* page, const QString& title, const QString& iconName);
  void namePage(QWidget* page, const QString& title);
  /// Brings a page of showPage() to the front.
  void showExisting(QWidget* page);
  /// The tab of this page does not depend on the opened file: clear() leaves it.
  void keepWithoutFile(QWidget* page);
  /// Returns the page in front that does not show a node; null when a node is in front.
  QWidget* otherPage() const;
  /// Closes a tab. The file's tab stays.
  void close(int index);
  void closeCurrent();
  bool canClose(int index) const;
  bool canCloseCurrent() const;
  /// Closes all tabs except this one and that of the file.
  void closeOthers(int index);
  void closeOthers();
  /// Keeps the preview tab open; does nothing for other tabs.
  void keep(int index);
  void keepPreview();
  bool hasPreview() const;
  /// Opens the list of all tabs.
  void openList();
  /// Closes the tabs that depend on the file, and clears the history.
  void clear();
  /// Whether the user typed something that is not a change of the document yet.
  bool isTyping() const;
  /// Whether the document refused what was typed; call applyTyping() first.
  bool isRefused() const;
  /// Makes what was typed a change of the document.
  void applyTyping();
  /// Shows the current state of the document.
  void refresh();
  /// Does the same after edits. `follow` maps refs of the state before to current refs; tabs of removed nodes are
  /// closed.
  void refresh(const std::function<std::optional<Ref>(const Ref&)>& follow);

  /// A tab that shows a node.
  struct Tab {
    Ref ref;
    QString page;
    bool preview = false, current = false;
  };
  /// Returns the tabs that show nodes, in order.
  QVector<Tab> nodes() const;
  /// Returns the pages of all tabs, in order.
  QVector<QWidget*> pages() const;
  /// Makes the current place the only one in the history.
  void forgetHistory();

  /// Moves by this number of steps in the history; negative is back.
  void step(int by);
  bool canStep(int by) const { return m_at + by >= 0 && m_at + by < m_history.size(); }
  void stepTab(int by);

Q_SIGNALS:
  /// Details and Contents must show `node` on `page`; with `bytes`, the page itself reports the details.
  void shown(const Ref& node, const QString& page, bool bytes);
  /// A page of showPage() came to the front.
  void pageShown(QWidget* page);
  /// The tabs or the history have changed.
  void changed();
  void activated(const Ref& ref, const QString& page);
  void nodeChosen(const Ref& ref, bool open);
  void partChosen(const Ref& part);
  void fieldEdited(const Ref& field, const json::Value& value);
  void textEdited(const Ref& target, const Bytes& bytes);
  void bytesOverwritten(const Ref& module, const std::vector<std::pair<uint64_t, Bytes>>& runs);
  void valuesEdited(const std::vector<edit::SetValue>& values);
  void oldAndNewRequested(const std::string& kernel);
  void revertRequested(const Ref& target);
  void codeCompiled(const std::vector<edit::Edit>& edits);
  void typingChanged();
  void detailsChanged(const view::Details& details);
  void selectionText(const QString& text);
  void message(const QString& text);
  void menuRequested(const std::optional<Ref>& node, const QString& value, const QPoint& place);
  /// A tab's context menu opens; `menu` contains the actions for the tab. `node` is empty for a comparison.
  void menuOpening(QMenu& menu, const std::optional<Ref>& node);

private:
  /// A place in the history: a node on a page, bytes or a part of it, or a page of showPage().
  struct Place {
    Ref ref;
    QString page;
    QPointer<QWidget> other;
    friend bool operator==(const Place& a, const Place& b) {
      return a.ref == b.ref && a.page == b.page && a.other == b.other;
    }
  };

  void connectView(NodeView* view);
  NodeView* viewFor(const Ref& node, TabKind kind);
  /// Inserts the tab before the preview tab, which is the last one.
  int insertTab(QWidget* page);
  void removeTab(int index);
  void showPreview();
  void forget(const QWidget* page);
  void openMenu(int index, const QPoint& place);
  /// Null for a tab that does not show a node.
  NodeView* viewAt(int index) const;
  void nameTab(int index);
  void activate(int index);
  void remember(const Ref& ref);
  void remember(const Place& place);
  void updateList();

  Document& m_document;
  const ContentsPanel& m_contents;
  TabBar* m_tabs;
  QToolButton* m_list;
  QStackedWidget* m_views;
  QPointer<NodeView> m_preview;
  QVector<Place> m_history;
  int m_at = -1;
  bool m_stepping = false;
};

} // namespace blobscope::ui
