#pragma once

#include "core/base/ref.h"
#include "core/view/details.h"
#include "ui/session/document.h"

#include <QVector>
#include <QWidget>

#include <functional>
#include <optional>

class QStackedWidget;
class QTabBar;

namespace blobscope::ui {

class ContentsPanel;
class NodeView;

/// The middle of the window: a tab per node, and the way back and forward through what was shown.
class NodeTabs : public QWidget {
  Q_OBJECT
public:
  /// `contents` knows names and kinds of nodes.
  NodeTabs(Document& document, const ContentsPanel& contents, QWidget* parent = nullptr);

  /// The node's view in front; null without tabs, and while another page is in front.
  NodeView* current() const;
  int count() const;
  /// What is shown, as it was gone to; the file before anything was.
  Ref place() const;
  /// Shows a node, a part of one, or bytes (a ref with "@") in its tab.
  void show(const Ref& ref, const QString& page = {});
  /// A tab of its own for something else than a node. The tabs own it.
  void showPage(QWidget* page, const QString& title, const QString& iconName);
  void namePage(QWidget* page, const QString& title);
  /// The page in front that shows no node, null when a node is in front.
  QWidget* otherPage() const;
  void close(int index);
  void closeCurrent();
  /// Closes all and forgets the way back.
  void clear();
  /// Takes the document's present state.
  void refresh();
  /// The same after edits. `follow` tells what a ref of the state before is called now; tabs of what is gone close.
  void refresh(const std::function<std::optional<Ref>(const Ref&)>& follow);

  /// By so many places of the way back; negative is back.
  void step(int by);
  bool canStep(int by) const { return m_at + by >= 0 && m_at + by < m_history.size(); }
  void stepTab(int by);

Q_SIGNALS:
  /// What details and contents are to follow: `node` on `page`; `bytes` are told of by the page itself.
  void shown(const Ref& node, const QString& page, bool bytes);
  /// A page of showPage() came to the front.
  void pageShown(QWidget* page);
  /// Tabs or the way back are others.
  void changed();
  void activated(const Ref& ref, const QString& page);
  void nodeChosen(const Ref& ref, bool open);
  void partChosen(const Ref& part);
  void fieldEdited(const Ref& field, const json::Value& value);
  void detailsChanged(const view::Details& details);
  void selectionText(const QString& text);
  void message(const QString& text);

private:
  struct Place {
    Ref ref;
    QString page;
    friend bool operator==(const Place& a, const Place& b) { return a.ref == b.ref && a.page == b.page; }
  };

  NodeView* viewFor(const Ref& node);
  /// Null for a tab that shows no node.
  NodeView* viewAt(int index) const;
  void nameTab(int index);
  void activate(int index);
  void remember(const Ref& ref);

  Document& m_document;
  const ContentsPanel& m_contents;
  QTabBar* m_tabs;
  QStackedWidget* m_views;
  QVector<Place> m_history;
  int m_at = -1;
  bool m_stepping = false;
};

} // namespace blobscope::ui
