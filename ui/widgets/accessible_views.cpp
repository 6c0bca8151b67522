#include "ui/widgets/accessible_views.h"

#include "ui/widgets/hex/hex_accessible.h"
#include "ui/widgets/text/text_accessible.h"

#include <QAccessible>

namespace blobscope::ui {
namespace {

QAccessibleInterface* makeInterface(const QString&, QObject* object) {
  if (auto* view = qobject_cast<HexView*>(object)) return new HexViewAccessible(view);
  if (auto* view = qobject_cast<TextView*>(object)) return new TextViewAccessible(view);
  return nullptr;
}

} // namespace

void installAccessibleViews() { QAccessible::installFactory(makeInterface); }

void tellAccessibility(QWidget* view) {
  if (!QAccessible::isActive()) return;
  if (auto* hex = qobject_cast<HexView*>(view)) HexViewAccessible::tellMoved(hex);
  if (auto* text = qobject_cast<TextView*>(view)) TextViewAccessible::tellMoved(text);
}

} // namespace blobscope::ui
