#pragma once

#include <QScrollArea>

namespace blobscope::ui {

/// A scroll area without a frame whose edge shows when it has the keyboard.
class ScrollArea : public QScrollArea {
  Q_OBJECT
public:
  explicit ScrollArea(QWidget* parent = nullptr);

protected:
  bool event(QEvent* event) override;
};

} // namespace blobscope::ui
