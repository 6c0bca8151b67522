#pragma once

#include "ui/session/comparison.h"

#include <QWidget>

namespace blobscope::ui {

/// One page of both sides. What it can do beyond showing is asked through this interface.
class PairPage : public QWidget {
  Q_OBJECT
public:
  using QWidget::QWidget;
  virtual int changeCount() const { return 0; }
  /// The change at or before the current place, -1 before the first one.
  virtual int currentChange() const { return -1; }
  /// False when there is none further on.
  virtual bool goToNextChange(bool backwards) {
    Q_UNUSED(backwards)
    return false;
  }
  /// To the first change, or to the last one.
  virtual void goToEnd(bool last) { Q_UNUSED(last) }
  /// Whether what is equal can be folded away, and whether lines can be wrapped.
  virtual bool canFold() const { return false; }
  virtual void setFolding(bool folding) { Q_UNUSED(folding) }
  virtual bool canWrap() const { return false; }
  virtual void setWrapping(bool wrapping) { Q_UNUSED(wrapping) }
  /// Opens the bar to find in, and goes on to the next hit; pages without one do nothing.
  virtual void openFind() {}
  virtual void findNext(bool backwards) { Q_UNUSED(backwards) }

Q_SIGNALS:
  void changeMoved(int current, int count);
  /// A sentence for the user.
  void message(const QString& text);
  /// What is selected, in words.
  void selectionText(const QString& text);
};

/// The widget for a page of the pair, compared or of one side only.
PairPage* createPairPage(Comparison& comparison, const NodePair& pair, const NodePair::Page& page, QWidget* parent);

} // namespace blobscope::ui
