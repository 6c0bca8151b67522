#include "ui/window/node_menu.h"

#include "core/describe/draft.h"
#include "core/view/page_id.h"
#include "ui/text/plain_text.h"
#include "ui/window/editing.h"

#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMenu>

#include <utility>

namespace blobscope::ui {
namespace {

void addCopy(QMenu& menu, const QString& words, const QString& text) {
  if (!text.isEmpty()) menu.addAction(words, &menu, [text] { QGuiApplication::clipboard()->setText(text); });
}

/// Whether a Hex page shows the node's own bytes.
bool hasHex(const Ref& node) { return !node.at && node.kind != Ref::Kind::Imports; }

bool canBeRun(const Ref& node) {
  return node.kind == Ref::Kind::Host || (node.parts.size() == 1 && node.partKind() == PartKind::Kernel);
}

} // namespace

NodeMenu::NodeMenu(Document& document, const Actions& actions, Editing& editing, Go go,
                   std::function<void(const Ref&)> choose)
    : m_document(document), m_actions(actions), m_editing(editing), m_go(std::move(go)), m_choose(std::move(choose)) {}

QString NodeMenu::nameOf(const Ref& node) const {
  if (node.at) return {};
  if (!node.parts.empty()) return wholeToQt(node.parts.back().name);
  if (!node.name.empty()) return wholeToQt(node.name);
  if (node == Ref::file()) return QFileInfo(m_document.path()).fileName();
  for (const library::ContentsRow& row : m_document.state()->contents)
    if (row.ref == node && row.page.empty()) return wholeToQt(row.name);
  return {};
}

void NodeMenu::addNode(QMenu& menu, const Ref& node) const {
  m_choose(node);
  const auto go = [this, &menu, node](const QString& words, const QString& page, TabKind kind) {
    menu.addAction(words, &menu, [this, node, page, kind] { m_go(node, page, kind); });
  };
  go(node.at ? tr("Show in Hex") : tr("Open"), {}, TabKind::Preview);
  if (!node.at) go(tr("Open in new tab"), {}, TabKind::Kept);
  if (hasHex(node)) go(tr("Show in Hex"), QLatin1String(view::page_id::kHex), TabKind::Preview);
  if (!node.at) {
    menu.addSeparator();
    menu.addActions(m_editing.fitting(node));
    Ref module = node;
    if (node.partKind() == PartKind::Kernel) module.parts.clear();
    if (describe::draftPage(m_document.state()->package, module))
      menu.addAction(tr("Replace with source"), &menu,
                     [this, module] { m_go(module, QLatin1String(view::page_id::kNewSource), TabKind::Preview); });
  }
  menu.addSeparator();
  const auto add = [&](ActionId id) {
    if (m_actions[id]->isEnabled()) menu.addAction(m_actions[id]);
  };
  if (canBeRun(node)) add(ActionId::Run);
  if (node == Ref::file())
    for (const ActionId id : {ActionId::Run, ActionId::Compare, ActionId::CompareChanges, ActionId::Check}) add(id);
  add(ActionId::SaveBytes);
  if (node == Ref::file()) add(ActionId::ExportFolder);
}

void NodeMenu::addList(QMenu& menu, const MenuSubject& list) const {
  const auto go = [&](const QString& words, TabKind kind) {
    menu.addAction(words, &menu, [this, node = *list.node, page = list.list, kind] { m_go(node, page, kind); });
  };
  go(tr("Open"), TabKind::Preview);
  go(tr("Open in new tab"), TabKind::Kept);
  menu.addSeparator();
  if (list.list == QLatin1String(view::page_id::kImages) && m_editing.why(ActionId::Thin, list.node).isEmpty()) {
    menu.addAction(m_actions[ActionId::Thin]->text(), &menu,
                   [this, node = *list.node] { m_editing.askForImages(node); });
    menu.addAction(m_actions[ActionId::Grow]->text(), &menu,
                   [this, node = *list.node] { m_editing.askForArchitectures(node); });
    menu.addSeparator();
  }
  addCopy(menu, tr("Copy name"), list.value);
}

void NodeMenu::fill(QMenu& menu, const MenuSubject& subject) const {
  if (!m_document.state()) return;
  if (!menu.isEmpty()) menu.addSeparator();
  if (subject.first) {
    menu.addAction(subject.first);
    menu.addSeparator();
  }
  if (!subject.list.isEmpty()) {
    addList(menu, subject);
    return;
  }
  if (subject.node) addNode(menu, *subject.node);
  menu.addSeparator();
  const QString name = subject.node ? nameOf(*subject.node) : QString();
  addCopy(menu, tr("Copy name"), name);
  if (subject.value != name) addCopy(menu, tr("Copy value"), subject.value);
  if (subject.node) menu.addAction(m_actions[ActionId::CopyReference]);
}

void NodeMenu::popUp(QWidget* parent, const MenuSubject& subject, const QPoint& place) const {
  auto* const menu = new QMenu(parent);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  fill(*menu, subject);
  if (menu->isEmpty())
    delete menu;
  else
    menu->popup(place);
}

} // namespace blobscope::ui
