#include "ui/window/node_tabs.h"

#include "ui/compare/text_diff.h"
#include "ui/models/contents_model.h"
#include "ui/pages/kind_look.h"
#include "ui/pages/node_view.h"
#include "ui/text/plain_text.h"
#include "ui/theme/icons.h"
#include "ui/window/panels/contents_panel.h"
#include "ui/window/tab_bar.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace blobscope::ui {
namespace {

/// Marks the pages of keepWithoutFile().
constexpr char kKeptProperty[] = "keptWithoutFile";

} // namespace

NodeTabs::NodeTabs(Document& document, const ContentsPanel& contents, QWidget* parent)
    : QWidget(parent), m_document(document), m_contents(contents), m_tabs(new TabBar(this)),
      m_list(new QToolButton(this)), m_views(new QStackedWidget(this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  m_tabs->setAccessibleName(tr("Open tabs"));
  m_list->setAutoRaise(true);
  m_list->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  // The number, then the chevron.
  m_list->setLayoutDirection(isRightToLeft() ? Qt::LeftToRight : Qt::RightToLeft);
  m_list->setIcon(icon(QStringLiteral("down"), Role::Secondary));
  m_list->setFocusPolicy(Qt::TabFocus);
  m_list->setToolTip(plainTip(tr("Lists all tabs")));
  auto* const strip = new QWidget(this);
  strip->setAutoFillBackground(true);
  strip->setBackgroundRole(QPalette::Midlight);
  auto* const row = new QHBoxLayout(strip);
  row->setContentsMargins(0, 0, 4, 0);
  row->setSpacing(0);
  row->addWidget(m_tabs, 1);
  row->addWidget(m_list);
  layout->addWidget(strip);
  layout->addWidget(m_views, 1);
  connect(m_tabs, &QTabBar::currentChanged, this, &NodeTabs::activate);
  connect(m_tabs, &QTabBar::tabCloseRequested, this, &NodeTabs::close);
  connect(m_tabs, &QTabBar::tabBarDoubleClicked, this, &NodeTabs::keep);
  connect(m_tabs, &QWidget::customContextMenuRequested, this,
          [this](const QPoint& place) { openMenu(m_tabs->tabAt(place), m_tabs->mapToGlobal(place)); });
  connect(m_list, &QToolButton::clicked, this, &NodeTabs::openList);
  connect(this, &NodeTabs::changed, this, &NodeTabs::updateList);
  updateList();
}

NodeView* NodeTabs::current() const { return qobject_cast<NodeView*>(m_views->currentWidget()); }

int NodeTabs::count() const { return m_views->count(); }

Ref NodeTabs::place() const { return m_at >= 0 ? m_history[m_at].ref : Ref::file(); }

void NodeTabs::connectView(NodeView* view) {
  connect(view, &NodeView::activated, this, &NodeTabs::activated);
  connect(view, &NodeView::nodeChosen, this, &NodeTabs::nodeChosen);
  connect(view, &NodeView::partChosen, this, &NodeTabs::partChosen);
  connect(view, &NodeView::menuRequested, this, &NodeTabs::menuRequested);
  connect(view, &NodeView::fieldEdited, this, &NodeTabs::fieldEdited);
  connect(view, &NodeView::textEdited, this, &NodeTabs::textEdited);
  connect(view, &NodeView::bytesOverwritten, this, &NodeTabs::bytesOverwritten);
  connect(view, &NodeView::valuesEdited, this, &NodeTabs::valuesEdited);
  connect(view, &NodeView::oldAndNewRequested, this, &NodeTabs::oldAndNewRequested);
  connect(view, &NodeView::revertRequested, this, &NodeTabs::revertRequested);
  connect(view, &NodeView::codeCompiled, this, &NodeTabs::codeCompiled);
  connect(view, &NodeView::typingChanged, this, [this, view] {
    const int index = m_views->indexOf(view);
    if (view->isTyping()) keep(index);
    nameTab(index);
    Q_EMIT typingChanged();
  });
  view->setTextDiff(makeTextDiff);
  connect(view, &NodeView::detailsChanged, this, &NodeTabs::detailsChanged);
  connect(view, &NodeView::selectionText, this, [this, view](const QString& text) {
    if (view == current()) Q_EMIT selectionText(text);
  });
  connect(view, &NodeView::message, this, &NodeTabs::message);
  // A page of the same node that the user selects is a separate place in the history; a page that is shown on the way
  // to a part or to bytes is not.
  connect(view, &NodeView::pageChosen, this, [this, view] {
    if (view == current()) remember(view->ref());
  });
  connect(view, &NodeView::ownDetailsLeft, this, [this, view] {
    if (view == current()) Q_EMIT shown(view->ref(), view->currentPage(), false);
  });
  connect(view, &NodeView::pageChanged, this, [this, view] {
    if (view != current() || m_at < 0) return;
    Place& place = m_history[m_at];
    if (place.ref == view->ref() && place.page.isEmpty() && !place.other) place.page = view->currentPage();
    Q_EMIT changed();
  });
}

NodeView* NodeTabs::viewFor(const Ref& node, TabKind kind) {
  for (int i = 0; i < m_views->count(); ++i)
    if (NodeView* const view = viewAt(i); view && view->ref() == node) {
      if (kind == TabKind::Kept) keep(i);
      return view;
    }
  auto* const view = new NodeView(m_document, node, m_views);
  connectView(view);
  const QSignalBlocker quiet(m_tabs); // show the tab when it is complete
  const bool preview = kind == TabKind::Preview && node != Ref::file();
  if (preview && m_preview) {
    const int index = m_views->indexOf(m_preview);
    NodeView* const before = m_preview;
    before->applyTyping();
    m_preview = view;
    m_views->insertWidget(index, view);
    m_views->removeWidget(before);
    before->deleteLater(); // its own signal may be running
    nameTab(index);
    return view;
  }
  const int index = insertTab(view);
  if (preview) m_preview = view;
  nameTab(index);
  if (node == Ref::file()) m_tabs->setPermanent(index);
  showPreview();
  return view;
}

int NodeTabs::insertTab(QWidget* page) {
  const int index = m_preview ? m_views->indexOf(m_preview) : static_cast<int>(m_views->count());
  m_views->insertWidget(index, page);
  return m_tabs->insertTab(index, QString());
}

void NodeTabs::showPreview() { m_tabs->setPreview(m_preview ? m_views->indexOf(m_preview) : -1); }

NodeView* NodeTabs::viewAt(int index) const { return qobject_cast<NodeView*>(m_views->widget(index)); }

QWidget* NodeTabs::otherPage() const { return current() ? nullptr : m_views->currentWidget(); }

void NodeTabs::addPage(QWidget* page, const QString& title, const QString& iconName) {
  {
    const QSignalBlocker quiet(m_tabs);
    m_tabs->setTabIcon(insertTab(page), icon(iconName, Role::Secondary));
    showPreview();
  }
  namePage(page, title);
}

void NodeTabs::showPage(QWidget* page, const QString& title, const QString& iconName) {
  addPage(page, title, iconName);
  {
    const QSignalBlocker quiet(m_tabs);
    m_tabs->setCurrentIndex(m_views->indexOf(page));
  }
  activate(m_tabs->currentIndex());
}

void NodeTabs::showExisting(QWidget* page) { m_tabs->setCurrentIndex(m_views->indexOf(page)); }

void NodeTabs::keepWithoutFile(QWidget* page) { page->setProperty(kKeptProperty, true); }

void NodeTabs::namePage(QWidget* page, const QString& title) {
  const int index = m_views->indexOf(page);
  if (index < 0) return;
  m_tabs->setTabText(index, plainAction(title));
  m_tabs->setTabToolTip(index, plainTip(title));
  for (const auto side : {QTabBar::LeftSide, QTabBar::RightSide})
    if (QWidget* const button = m_tabs->tabButton(index, side))
      button->setAccessibleName(plainLine(tr("Close %1").arg(title)));
}

void NodeTabs::nameTab(int index) {
  const NodeView* const view = viewAt(index);
  if (!view) return;
  const Ref& node = view->ref();
  const library::ContentsRow* const row = m_contents.find(node);
  const KindLook look =
      row ? kindLook(row->kind, toQt(row->moduleKey)) : KindLook{QStringLiteral("kind-section"), Role::KindContainer};
  const QString name = row ? contentsName(*row) : toQt(node.shown());
  const bool typing = view->isTyping();
  m_tabs->setTabText(index, plainAction(typing ? name + QStringLiteral(" ●") : name));
  m_tabs->setTabIcon(index, icon(look.icon, look.role));
  m_tabs->setTabToolTip(index, plainTip(typing ? tr("%1 (edited, not applied yet)").arg(name) : name));
  for (const auto side : {QTabBar::LeftSide, QTabBar::RightSide})
    if (QWidget* const button = m_tabs->tabButton(index, side))
      button->setAccessibleName(plainLine(tr("Close %1").arg(name)));
}

void NodeTabs::show(const Ref& ref, const QString& page, TabKind kind) {
  Ref node = ref.node();
  // Bytes without a node belong to the innermost node that contains them.
  if (ref.at && node == Ref::file()) {
    const Ref inner = m_document.state()->locator->at(*ref.at);
    if (inner.kind == Ref::Kind::Module || inner.kind == Ref::Kind::Blob) node = inner;
  }
  // A part without its own bytes is shown in its module: no tab per field.
  std::optional<Ref::Part> part;
  if (!node.parts.empty() && !ref.at) {
    const library::ContentsRow* const row = m_contents.find(node);
    const PartKind partKind = node.parts.back().kind;
    if (partKind == PartKind::Field || (partKind == PartKind::Kernel && !(row && row->size))) {
      part = node.parts.back();
      node.parts.clear();
    }
  } else if (!node.parts.empty()) {
    node.parts.clear(); // bytes are shown among their neighbours
  }
  NodeView* const view = viewFor(node, kind);
  const int index = m_views->indexOf(view);
  {
    const QSignalBlocker quiet(m_tabs);
    m_tabs->setCurrentIndex(index);
  }
  m_views->setCurrentIndex(index);
  m_stepping = true; // one step in the history, whatever pages are passed
  if (ref.at)
    view->goToOffset(*ref.at, ref.size);
  else
    view->showPage(page);
  if (part) view->showPart(*part);
  m_stepping = false;
  Q_EMIT shown(part ? ref.node() : node, page.isEmpty() ? view->currentPage() : page, ref.at.has_value());
  remember(ref);
}

void NodeTabs::activate(int index) {
  if (index < 0 || index >= m_views->count()) return;
  m_views->setCurrentIndex(index);
  NodeView* const view = current();
  Q_EMIT selectionText({});
  if (!view) {
    Q_EMIT pageShown(m_views->currentWidget());
    remember(Place{Ref::file(), {}, m_views->currentWidget()});
    return;
  }
  Q_EMIT shown(view->ref(), view->currentPage(), false);
  remember(view->ref());
}

bool NodeTabs::canClose(int index) const {
  if (index < 0 || index >= m_views->count()) return false;
  const NodeView* const view = viewAt(index);
  return !view || view->ref() != Ref::file();
}

bool NodeTabs::canCloseCurrent() const { return canClose(m_tabs->currentIndex()); }

void NodeTabs::removeTab(int index) {
  QWidget* const view = m_views->widget(index);
  if (NodeView* const node = viewAt(index)) node->applyTyping();
  if (view == m_preview) m_preview = nullptr;
  m_views->removeWidget(view);
  forget(view);
  view->deleteLater();
  m_tabs->removeTab(index);
  showPreview();
}

void NodeTabs::close(int index) {
  if (!canClose(index)) return;
  {
    const QSignalBlocker quiet(m_tabs);
    removeTab(index);
  }
  activate(m_tabs->currentIndex());
  Q_EMIT changed();
}

void NodeTabs::closeCurrent() { close(m_tabs->currentIndex()); }

void NodeTabs::closeOthers(int index) {
  if (index < 0 || index >= m_views->count()) return;
  const QWidget* const kept = m_views->widget(index);
  {
    const QSignalBlocker quiet(m_tabs);
    for (int i = static_cast<int>(m_views->count()) - 1; i >= 0; --i)
      if (m_views->widget(i) != kept && canClose(i)) removeTab(i);
    m_tabs->setCurrentIndex(static_cast<int>(m_views->indexOf(kept)));
  }
  activate(m_tabs->currentIndex());
  Q_EMIT changed();
}

void NodeTabs::closeOthers() { closeOthers(m_tabs->currentIndex()); }

void NodeTabs::keep(int index) {
  if (index < 0 || !m_preview || m_views->indexOf(m_preview) != index) return;
  m_preview = nullptr;
  showPreview();
  Q_EMIT changed();
}

bool NodeTabs::isTyping() const {
  for (int i = 0; i < m_views->count(); ++i)
    if (const NodeView* const view = viewAt(i); view && view->isTyping()) return true;
  return false;
}

bool NodeTabs::isRefused() const {
  for (int i = 0; i < m_views->count(); ++i)
    if (const NodeView* const view = viewAt(i); view && view->isRefused()) return true;
  return false;
}

void NodeTabs::applyTyping() {
  for (int i = 0; i < m_views->count(); ++i)
    if (NodeView* const view = viewAt(i)) view->applyTyping();
}

bool NodeTabs::hasPreview() const { return m_preview != nullptr; }

void NodeTabs::keepPreview() {
  if (m_preview) keep(m_views->indexOf(m_preview));
}

void NodeTabs::updateList() {
  m_list->setVisible(m_tabs->count() > 1);
  m_list->setText(QString::number(m_tabs->count()));
  m_list->setAccessibleName(tr("List of all tabs"));
}

void NodeTabs::openList() {
  auto* const menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setAccessibleName(tr("Open tabs"));
  for (int i = 0; i < m_tabs->count(); ++i) {
    QWidget* const page = m_views->widget(i);
    QAction* const entry = menu->addAction(m_tabs->tabIcon(i), m_tabs->tabText(i));
    QFont font = menu->font();
    font.setItalic(i == m_tabs->preview());
    font.setBold(i == m_tabs->currentIndex());
    entry->setFont(font);
    connect(entry, &QAction::triggered, this, [this, page = QPointer<QWidget>(page)] {
      if (page) m_tabs->setCurrentIndex(m_views->indexOf(page));
    });
    if (i == m_tabs->currentIndex()) menu->setActiveAction(entry);
  }
  menu->popup(m_list->mapToGlobal(QPoint(m_list->width() - menu->sizeHint().width(), m_list->height())));
}

void NodeTabs::openMenu(int index, const QPoint& place) {
  if (index < 0) return;
  auto* const menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const auto add = [&](const QString& text, void (NodeTabs::*run)(int)) {
    connect(menu->addAction(text), &QAction::triggered, this,
            [this, run, page = QPointer<QWidget>(m_views->widget(index))] {
              if (page) (this->*run)(m_views->indexOf(page));
            });
  };
  if (index == m_tabs->preview()) add(tr("&Keep open"), &NodeTabs::keep);
  if (canClose(index)) add(tr("&Close"), &NodeTabs::close);
  bool others = false;
  for (int i = 0; i < m_tabs->count(); ++i) others |= i != index && canClose(i);
  if (others) add(tr("Close &others"), &NodeTabs::closeOthers);
  const NodeView* const view = viewAt(index);
  Q_EMIT menuOpening(*menu, view ? std::optional(view->ref()) : std::nullopt);
  menu->popup(place);
}

void NodeTabs::forget(const QWidget* page) {
  QVector<Place> kept;
  int at = -1;
  for (int i = 0; i < m_history.size(); ++i) {
    if (m_history[i].other != page && (kept.isEmpty() || !(kept.last() == m_history[i]))) kept.append(m_history[i]);
    if (i == m_at) at = static_cast<int>(kept.size()) - 1;
  }
  m_history = kept;
  m_at = at;
}

QVector<QWidget*> NodeTabs::pages() const {
  QVector<QWidget*> out;
  for (int i = 0; i < m_views->count(); ++i) out.append(m_views->widget(i));
  return out;
}

QVector<NodeTabs::Tab> NodeTabs::nodes() const {
  QVector<Tab> out;
  for (int i = 0; i < m_views->count(); ++i)
    if (const NodeView* const view = viewAt(i))
      out.append({view->ref(), view->currentPage(), view == m_preview, view == current()});
  return out;
}

void NodeTabs::forgetHistory() {
  if (m_at < 0) return;
  m_history = {m_history[m_at]};
  m_at = 0;
  Q_EMIT changed();
}

void NodeTabs::clear() {
  for (int index = count() - 1; index >= 0; --index) {
    QWidget* const view = m_views->widget(index);
    if (view->property(kKeptProperty).toBool()) continue;
    m_views->removeWidget(view);
    delete view;
    const QSignalBlocker quiet(m_tabs);
    m_tabs->removeTab(index);
  }
  m_preview = nullptr;
  showPreview();
  m_history.clear();
  m_at = -1;
}

void NodeTabs::refresh() {
  for (int i = 0; i < m_views->count(); ++i) {
    nameTab(i);
    if (NodeView* const view = viewAt(i)) view->refresh();
  }
}

void NodeTabs::refresh(const std::function<std::optional<Ref>(const Ref&)>& follow) {
  if (m_views->count() == 0) return;
  // --- 1. The history, without removed nodes. ---
  const bool placeRemoved = m_at >= 0 && !follow(m_history[m_at].ref);
  QVector<Place> kept;
  int at = -1;
  for (int i = 0; i < m_history.size(); ++i) {
    if (const auto ref = follow(m_history[i].ref)) {
      const Place place{*ref, m_history[i].page, m_history[i].other};
      if (kept.isEmpty() || !(kept.last() == place)) kept.append(place);
    }
    if (i == m_at) at = static_cast<int>(kept.size()) - 1;
  }
  // --- 2. The tabs. ---
  const QSignalBlocker quiet(m_tabs);
  m_stepping = true;
  for (int i = static_cast<int>(m_views->count()) - 1; i >= 0; --i) {
    NodeView* const view = viewAt(i);
    if (!view) continue;
    const auto ref = follow(view->ref());
    if (!ref && m_views->count() > 1) {
      if (view == m_preview) m_preview = nullptr;
      m_views->removeWidget(view);
      view->deleteLater();
      m_tabs->removeTab(i);
      continue;
    }
    view->refresh(ref.value_or(Ref::file()), follow);
    nameTab(i);
  }
  showPreview();
  m_views->setCurrentIndex(m_tabs->currentIndex());
  m_stepping = false;
  m_history = kept;
  m_at = qMin(at, static_cast<int>(m_history.size()) - 1);
  if (placeRemoved && current()) remember(current()->ref());
  Q_EMIT changed();
}

void NodeTabs::remember(const Ref& ref) {
  const NodeView* const view = current();
  if (view) remember(Place{ref, ref.at || !ref.parts.empty() ? QString() : view->currentPage(), nullptr});
}

void NodeTabs::remember(const Place& place) {
  if (m_stepping) return;
  const auto isSame = [&](const Place& before) {
    return before == place || (before.ref == place.ref && before.page.isEmpty() && before.other == place.other);
  };
  if (m_at >= 0 && isSame(m_history[m_at])) {
    m_history[m_at] = place;
  } else {
    m_history.resize(m_at + 1);
    m_history.append(place);
    m_at = static_cast<int>(m_history.size()) - 1;
  }
  Q_EMIT changed();
}

void NodeTabs::step(int by) {
  if (!canStep(by)) return;
  const int wanted = m_at + by;
  const Place place = m_history[wanted];
  const QVector<Place> kept = m_history;
  if (place.other)
    m_tabs->setCurrentIndex(m_views->indexOf(place.other));
  else
    show(place.ref, place.page);
  m_history = kept;
  m_at = wanted;
  Q_EMIT changed();
}

void NodeTabs::stepTab(int by) {
  const int count = qMax(1, m_tabs->count());
  m_tabs->setCurrentIndex((m_tabs->currentIndex() + by + count) % count);
}

} // namespace blobscope::ui
