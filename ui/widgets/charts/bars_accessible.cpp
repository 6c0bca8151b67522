#include "ui/widgets/charts/bars_accessible.h"

#include "ui/text/plain_text.h"

#include <algorithm>

namespace blobscope::ui {
namespace {

QAccessibleInterface* makeBarsInterface(const QString&, QObject* object) {
  auto* const widget = qobject_cast<QWidget*>(object);
  return widget && dynamic_cast<AccessibleBars*>(widget) ? new BarsAccessible(widget) : nullptr;
}

} // namespace

void installAccessibleBars() { QAccessible::installFactory(makeBarsInterface); }

bool BarAccessible::isValid() const { return m_widget && m_bar < bars()->barCount(); }

QAccessibleInterface* BarAccessible::parent() const { return QAccessible::queryAccessibleInterface(m_widget.data()); }

QString BarAccessible::text(QAccessible::Text kind) const {
  return isValid() && kind == QAccessible::Name ? bars()->barText(m_bar) : QString();
}

QRect BarAccessible::rect() const {
  if (!isValid()) return {};
  const QRect place = bars()->barRect(m_bar);
  return {m_widget->mapToGlobal(place.topLeft()), place.size()};
}

QAccessible::State BarAccessible::state() const {
  QAccessible::State state;
  state.readOnly = true;
  state.invisible = !m_widget || !m_widget->isVisible();
  return state;
}

BarsAccessible::~BarsAccessible() {
  for (const QAccessible::Id id : m_children)
    if (id != 0) QAccessible::deleteAccessibleInterface(id);
}

QString BarsAccessible::text(QAccessible::Text kind) const {
  return kind == QAccessible::Value ? plainLine(bars().currentText()) : QAccessibleWidget::text(kind);
}

int BarsAccessible::childCount() const { return std::min(bars().barCount(), kMost); }

QAccessibleInterface* BarsAccessible::child(int index) const {
  if (index < 0 || index >= childCount()) return nullptr;
  const auto at = static_cast<std::size_t>(index);
  if (m_children.size() <= at) m_children.resize(at + 1, 0);
  if (m_children[at] == 0)
    m_children[at] = QAccessible::registerAccessibleInterface(new BarAccessible(widget(), index));
  return QAccessible::accessibleInterface(m_children[at]);
}

QAccessibleInterface* BarsAccessible::childAt(int x, int y) const {
  const QPoint place = widget()->mapFromGlobal(QPoint(x, y));
  for (int bar = 0; bar < childCount(); ++bar)
    if (bars().barRect(bar).contains(place)) return child(bar);
  return nullptr;
}

int BarsAccessible::indexOfChild(const QAccessibleInterface* child) const {
  const auto* const bar = dynamic_cast<const BarAccessible*>(child);
  return bar ? bar->bar() : -1;
}

} // namespace blobscope::ui
