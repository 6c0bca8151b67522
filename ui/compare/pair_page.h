#pragma once

#include "ui/session/comparison.h"

#include <QWidget>

namespace blobscope::ui {

/// One page of both sides. The view uses this interface for what a page can do.
class PairPage : public QWidget {
  Q_OBJECT
public:
  using QWidget::QWidget;
  virtual int changeCount() const { return 0; }
  /// Returns the change at or before the current position, -1 before the first one.
  virtual int currentChange() const { return -1; }
  /// Returns false when there is no further change.
  virtual bool goToNextChange(bool backwards) {
    Q_UNUSED(backwards)
    return false;
  }
  /// Goes to the first change, or to the last one.
  virtual void goToEnd(bool last) { Q_UNUSED(last) }
  /// Whether equal content can be folded, and whether lines can be wrapped.
  virtual bool canFold() const { return false; }
  virtual void setFolding(bool folding) { Q_UNUSED(folding) }
  virtual bool canWrap() const { return false; }
  virtual void setWrapping(bool wrapping) { Q_UNUSED(wrapping) }
  /// Opens the find bar, and goes to the next match; pages without a find bar do nothing.
  virtual void openFind() {}
  virtual void findNext(bool backwards) { Q_UNUSED(backwards) }

Q_SIGNALS:
  void changeMoved(int current, int count);
  /// A sentence for the user.
  void message(const QString& text);
  /// What is selected, in words.
  void selectionText(const QString& text);
};

/// Creates the widget for a page of the pair, compared or of one side only.
PairPage* createPairPage(Comparison& comparison, const NodePair& pair, const NodePair::Page& page, QWidget* parent);

} // namespace blobscope::ui
