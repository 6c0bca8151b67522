#include "ui/window/node_tabs.h"

#include "ui/pages/kind_look.h"
#include "ui/pages/node_view.h"
#include "ui/text/plain_text.h"
#include "ui/theme/icons.h"
#include "ui/window/panels/contents_panel.h"

#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

namespace blobscope::ui {

NodeTabs::NodeTabs(Document& document, const ContentsPanel& contents, QWidget* parent)
    : QWidget(parent), m_document(document), m_contents(contents), m_tabs(new QTabBar(this)),
      m_views(new QStackedWidget(this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  m_tabs->setTabsClosable(true);
  m_tabs->setDocumentMode(true);
  m_tabs->setElideMode(Qt::ElideMiddle);
  m_tabs->setExpanding(false);
  m_tabs->setUsesScrollButtons(true);
  m_tabs->setDrawBase(false);
  m_tabs->setFixedHeight(metrics::kTabs);
  m_tabs->setAutoFillBackground(true);
  m_tabs->setBackgroundRole(QPalette::Midlight);
  m_tabs->setAccessibleName(tr("Open nodes"));
  layout->addWidget(m_tabs);
  layout->addWidget(m_views, 1);
  connect(m_tabs, &QTabBar::currentChanged, this, &NodeTabs::activate);
  connect(m_tabs, &QTabBar::tabCloseRequested, this, &NodeTabs::close);
}

NodeView* NodeTabs::current() const { return qobject_cast<NodeView*>(m_views->currentWidget()); }

int NodeTabs::count() const { return m_views->count(); }

Ref NodeTabs::place() const { return m_at >= 0 ? m_history[m_at].ref : Ref::file(); }

NodeView* NodeTabs::viewFor(const Ref& node) {
  for (int i = 0; i < m_views->count(); ++i)
    if (NodeView* const view = viewAt(i); view && view->ref() == node) return view;
  auto* const view = new NodeView(m_document, node, m_views);
  connect(view, &NodeView::activated, this, &NodeTabs::activated);
  connect(view, &NodeView::nodeChosen, this, &NodeTabs::nodeChosen);
  connect(view, &NodeView::partChosen, this, &NodeTabs::partChosen);
  connect(view, &NodeView::fieldEdited, this, &NodeTabs::fieldEdited);
  connect(view, &NodeView::detailsChanged, this, &NodeTabs::detailsChanged);
  connect(view, &NodeView::selectionText, this, [this, view](const QString& text) {
    if (view == current()) Q_EMIT selectionText(text);
  });
  connect(view, &NodeView::message, this, &NodeTabs::message);
  connect(view, &NodeView::pageChanged, this, [this, view] {
    if (view != current()) return;
    // A page of the same node is a place of its own; what was selected on the page before is not.
    if (m_at < 0 || m_history[m_at].ref.node() == view->ref() || !m_history[m_at].page.isEmpty()) remember(view->ref());
  });
  const QSignalBlocker quiet(m_tabs); // the tab is shown when it is whole
  m_views->addWidget(view);
  nameTab(m_tabs->addTab({}));
  return view;
}

NodeView* NodeTabs::viewAt(int index) const { return qobject_cast<NodeView*>(m_views->widget(index)); }

QWidget* NodeTabs::otherPage() const { return current() ? nullptr : m_views->currentWidget(); }

void NodeTabs::showPage(QWidget* page, const QString& title, const QString& iconName) {
  {
    const QSignalBlocker quiet(m_tabs);
    m_views->addWidget(page);
    m_tabs->setTabIcon(m_tabs->addTab(plainAction(title)), icon(iconName, Role::Secondary));
    m_tabs->setCurrentIndex(m_tabs->count() - 1);
  }
  namePage(page, title);
  activate(m_tabs->currentIndex());
}

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
  const QString name = toQt(row ? row->name : node.shown());
  m_tabs->setTabText(index, plainAction(name));
  m_tabs->setTabIcon(index, icon(look.icon, look.role));
  m_tabs->setTabToolTip(index, plainTip(name));
  for (const auto side : {QTabBar::LeftSide, QTabBar::RightSide})
    if (QWidget* const button = m_tabs->tabButton(index, side))
      button->setAccessibleName(plainLine(tr("Close %1").arg(name)));
}

void NodeTabs::show(const Ref& ref, const QString& page) {
  Ref node = ref.node();
  // Bytes without a node belong to the innermost one that holds them.
  if (ref.at && node == Ref::file()) {
    const Ref inner = m_document.state()->locator->at(*ref.at);
    if (inner.kind == Ref::Kind::Module || inner.kind == Ref::Kind::Blob) node = inner;
  }
  // A part without bytes of its own is shown in its module: no tab per field.
  std::optional<Ref::Part> part;
  if (!node.parts.empty() && !ref.at) {
    const library::ContentsRow* const row = m_contents.find(node);
    const PartKind kind = node.parts.back().kind;
    if (kind == PartKind::Field || (kind == PartKind::Kernel && !(row && row->size))) {
      part = node.parts.back();
      node.parts.clear();
    }
  } else if (!node.parts.empty()) {
    node.parts.clear(); // bytes are shown among their neighbours
  }
  NodeView* const view = viewFor(node);
  const int index = m_views->indexOf(view);
  {
    const QSignalBlocker quiet(m_tabs);
    m_tabs->setCurrentIndex(index);
  }
  m_views->setCurrentIndex(index);
  m_stepping = true; // one step of the way back, whatever pages it passes
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
    Q_EMIT changed();
    return;
  }
  Q_EMIT shown(view->ref(), view->currentPage(), false);
  remember(view->ref());
}

void NodeTabs::close(int index) {
  if (index < 0) return;
  int nodes = 0;
  for (int i = 0; i < m_views->count(); ++i) nodes += viewAt(i) ? 1 : 0;
  if (viewAt(index) && nodes <= 1) return; // the last node stays: an empty middle says nothing
  QWidget* const view = m_views->widget(index);
  m_views->removeWidget(view);
  view->deleteLater();
  m_tabs->removeTab(index);
  activate(m_tabs->currentIndex());
  Q_EMIT changed();
}

void NodeTabs::closeCurrent() { close(m_tabs->currentIndex()); }

void NodeTabs::clear() {
  while (m_views->count() > 0) {
    QWidget* const view = m_views->widget(0);
    m_views->removeWidget(view);
    delete view;
    const QSignalBlocker quiet(m_tabs);
    m_tabs->removeTab(0);
  }
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
  // --- 1. The way back, without what is gone. ---
  const bool placeGone = m_at >= 0 && !follow(m_history[m_at].ref);
  QVector<Place> kept;
  int at = -1;
  for (int i = 0; i < m_history.size(); ++i) {
    if (const auto ref = follow(m_history[i].ref)) {
      const Place place{*ref, m_history[i].page};
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
      m_views->removeWidget(view);
      view->deleteLater();
      m_tabs->removeTab(i);
      continue;
    }
    view->setRef(ref.value_or(Ref::file()));
    nameTab(i);
    view->refresh();
  }
  m_views->setCurrentIndex(m_tabs->currentIndex());
  m_stepping = false;
  m_history = kept;
  m_at = qMin(at, static_cast<int>(m_history.size()) - 1);
  if (placeGone && current()) remember(current()->ref());
  Q_EMIT changed();
}

void NodeTabs::remember(const Ref& ref) {
  const NodeView* const view = current();
  if (!view || m_stepping) return;
  const Place place{ref, ref.at || !ref.parts.empty() ? QString() : view->currentPage()};
  if (m_at >= 0 && (m_history[m_at] == place || (m_history[m_at].ref == place.ref && m_history[m_at].page.isEmpty()))) {
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
