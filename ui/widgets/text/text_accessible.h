#pragma once

#include "ui/widgets/text/shown_text_accessible.h"
#include "ui/widgets/text/text_view.h"

#include <vector>

namespace blobscope::ui {

/// A TextView for assistive technology: its text is that of the visible lines.
class TextViewAccessible : public ShownTextAccessible {
public:
  explicit TextViewAccessible(TextView* view) : ShownTextAccessible(view) {}

  using ShownTextAccessible::text;
  QString text(QAccessible::Text kind) const override;
  QAccessible::State state() const override;

  void selection(int selectionIndex, int* startOffset, int* endOffset) const override;
  int selectionCount() const override;
  void removeSelection(int selectionIndex) override;
  void setSelection(int selectionIndex, int startOffset, int endOffset) override;
  int cursorPosition() const override;
  void setCursorPosition(int position) override;
  QRect characterRect(int offset) const override;
  int offsetAtPoint(const QPoint& point) const override;
  void scrollToSubstring(int startIndex, int endIndex) override;

private:
  /// The visible lines as one string.
  struct Shown {
    QString text;
    std::vector<uint64_t> offsets; ///< offset in the view's text of each UTF-16 unit, and of the end
    std::vector<QPoint> places;    ///< position of each unit in the viewport
    /// Returns the last unit that does not begin after the offset.
    int position(uint64_t offset) const;
    uint64_t offset(int position) const;
  };
  Shown shown() const;
  QString shownText() const override { return shown().text; }
  TextView& view() const;
};

} // namespace blobscope::ui
