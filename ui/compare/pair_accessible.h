#pragma once

#include "ui/compare/text_pair_view.h"

#include <QAccessibleTextInterface>
#include <QAccessibleWidget>

#include <vector>

namespace blobscope::ui {

/// A TextPairView for assistive technology: its text is what the visible rows say, with "-" before lines of A and "+"
/// before lines of B that differ.
class TextPairAccessible : public QAccessibleWidget, public QAccessibleTextInterface {
public:
  explicit TextPairAccessible(TextPairView* view);
  /// The current row has moved.
  static void tellMoved(TextPairView* view);

  void* interface_cast(QAccessible::InterfaceType type) override;
  QString text(QAccessible::Text kind) const override;
  QAccessible::State state() const override;

  void selection(int selectionIndex, int* startOffset, int* endOffset) const override;
  int selectionCount() const override { return 0; }
  void addSelection(int startOffset, int endOffset) override;
  void removeSelection(int) override {}
  void setSelection(int selectionIndex, int startOffset, int endOffset) override;
  int cursorPosition() const override;
  void setCursorPosition(int position) override;
  QString text(int startOffset, int endOffset) const override;
  int characterCount() const override;
  QRect characterRect(int offset) const override;
  int offsetAtPoint(const QPoint& point) const override;
  void scrollToSubstring(int startIndex, int endIndex) override;
  QString attributes(int offset, int* startOffset, int* endOffset) const override;

private:
  /// The visible rows as one string.
  struct Shown {
    QString text;
    std::vector<uint64_t> rows; ///< of each line of the text
    std::vector<int> starts;    ///< where each line begins
    std::size_t line(int offset) const;
  };
  Shown shown() const;
  TextPairView& view() const;
};

/// Makes the interface known; called by the view.
void installPairAccessible();

} // namespace blobscope::ui
