#include "ui/widgets/text/shown_text_accessible.h"

namespace blobscope::ui {

void* ShownTextAccessible::interface_cast(QAccessible::InterfaceType type) {
  if (type == QAccessible::TextInterface) return static_cast<QAccessibleTextInterface*>(this);
  return QAccessibleWidget::interface_cast(type);
}

QAccessible::State ShownTextAccessible::state() const {
  QAccessible::State state = QAccessibleWidget::state();
  state.readOnly = true;
  state.multiLine = true;
  return state;
}

QString ShownTextAccessible::text(int startOffset, int endOffset) const {
  const QString text = shownText();
  const int end = endOffset < 0 ? static_cast<int>(text.size()) : endOffset;
  return text.mid(startOffset, end - startOffset);
}

QString ShownTextAccessible::attributes(int, int* startOffset, int* endOffset) const {
  *startOffset = 0;
  *endOffset = characterCount();
  return {};
}

} // namespace blobscope::ui
