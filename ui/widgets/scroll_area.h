#pragma once

#include <QScrollArea>

namespace blobscope::ui {

/// A scroll area without a frame whose edge shows when the keyboard has led to it.
class ScrollArea : public QScrollArea {
  Q_OBJECT
public:
  explicit ScrollArea(QWidget* parent = nullptr);

protected:
  bool event(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;

private:
  bool m_byKey = false; ///< got the focus by a key
};

} // namespace blobscope::ui
