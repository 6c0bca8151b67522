#pragma once

#include "ui/compare/text_pair_view.h"
#include "ui/widgets/text/shown_text_accessible.h"

#include <vector>

namespace blobscope::ui {

/// A TextPairView for assistive technology: its text is that of the visible rows, with "-" before differing lines of A
/// and "+" before those of B.
class TextPairAccessible : public ShownTextAccessible {
public:
  explicit TextPairAccessible(TextPairView* view) : ShownTextAccessible(view) {}

  using ShownTextAccessible::text;
  QString text(QAccessible::Text kind) const override;

  void selection(int selectionIndex, int* startOffset, int* endOffset) const override;
  int selectionCount() const override { return 0; }
  void removeSelection(int) override {}
  void setSelection(int selectionIndex, int startOffset, int endOffset) override;
  int cursorPosition() const override;
  void setCursorPosition(int position) override;
  QRect characterRect(int offset) const override;
  int offsetAtPoint(const QPoint& point) const override;
  void scrollToSubstring(int startIndex, int endIndex) override;

private:
  /// The visible rows as one string.
  struct Shown {
    QString text;
    std::vector<uint64_t> rows; ///< row of each line of the text
    std::vector<int> starts;    ///< where each line begins
    std::size_t line(int offset) const;
  };
  Shown shown() const;
  QString shownText() const override { return shown().text; }
  TextPairView& view() const;
};

} // namespace blobscope::ui
