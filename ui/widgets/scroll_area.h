#pragma once

#include <QScrollArea>

namespace blobscope::ui {

/// A scroll area without a frame, except when it got the focus by keyboard.
class ScrollArea : public QScrollArea {
  Q_OBJECT
public:
  explicit ScrollArea(QWidget* parent = nullptr);

protected:
  bool event(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;

private:
  bool m_byKey = false; ///< got the focus by keyboard
};

} // namespace blobscope::ui
