#pragma once

#include <QAccessibleTextInterface>
#include <QAccessibleWidget>

namespace blobscope::ui {

/// A view for assistive technology whose text is what is currently visible; positions count in that text.
class ShownTextAccessible : public QAccessibleWidget, public QAccessibleTextInterface {
public:
  void* interface_cast(QAccessible::InterfaceType type) override;
  QAccessible::State state() const override;

  using QAccessibleWidget::text;
  QString text(int startOffset, int endOffset) const override;
  int characterCount() const override { return static_cast<int>(shownText().size()); }
  void addSelection(int startOffset, int endOffset) override { setSelection(0, startOffset, endOffset); }
  QString attributes(int offset, int* startOffset, int* endOffset) const override;

protected:
  explicit ShownTextAccessible(QWidget* view) : QAccessibleWidget(view, QAccessible::EditableText) {}
  virtual QString shownText() const = 0;
};

} // namespace blobscope::ui
