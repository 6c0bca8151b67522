#pragma once

#include "core/base/ref.h"
#include "ui/session/document.h"
#include "ui/window/actions.h"
#include "ui/window/node_tabs.h"

#include <QCoreApplication>
#include <QString>

#include <functional>
#include <optional>

class QAction;
class QMenu;

namespace blobscope::ui {

class Editing;

/// The subject of a context menu: a node, a list of parts of a node, a displayed text, or node and text.
struct MenuSubject {
  std::optional<Ref> node;
  QString value = {};       ///< as it is copied; empty for none
  QString list = {};        ///< page that lists the parts; empty for the node itself
  QAction* first = nullptr; ///< before all others, if there is one
};

/// The context menus of everything that represents a part of the file: rows of tables and trees, fields, tabs, values
/// in Details. A menu contains only actions that apply to its subject.
class NodeMenu {
  Q_DECLARE_TR_FUNCTIONS(blobscope::ui::NodeMenu)
public:
  using Go = std::function<void(const Ref& node, const QString& page, TabKind kind)>;
  /// `choose` makes a node the subject of actions.
  NodeMenu(Document& document, const Actions& actions, Editing& editing, Go go, std::function<void(const Ref&)> choose);

  void fill(QMenu& menu, const MenuSubject& subject) const;
  /// Opens a menu at a screen position; does nothing when no action applies.
  void popUp(QWidget* parent, const MenuSubject& subject, const QPoint& place) const;

private:
  void addNode(QMenu& menu, const Ref& node) const;
  /// Adds only what applies to the list, not to the node that it belongs to.
  void addList(QMenu& menu, const MenuSubject& list) const;
  QString nameOf(const Ref& node) const;

  Document& m_document;
  const Actions& m_actions;
  Editing& m_editing;
  Go m_go;
  std::function<void(const Ref&)> m_choose;
};

} // namespace blobscope::ui
