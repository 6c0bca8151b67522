#pragma once

#include "ui/theme/theme.h"

#include <QScrollBar>

#include <vector>

namespace blobscope::ui {

/// A scroll bar with marks where something is, drawn over it.
class MarkScrollBar : public QScrollBar {
  Q_OBJECT
public:
  explicit MarkScrollBar(Qt::Orientation orientation, QWidget* parent = nullptr) : QScrollBar(orientation, parent) {}

  struct Mark {
    double place; ///< 0 is the start, 1 the end of what is scrolled over
    Role role;
  };
  /// Later marks are drawn over earlier ones.
  void setMarks(std::vector<Mark> marks) {
    m_marks = std::move(marks);
    update();
  }
  const std::vector<Mark>& marks() const { return m_marks; }

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  std::vector<Mark> m_marks;
};

/// What lies between two scroll bars: nothing, in the colour of the view.
QWidget* makeCorner(QWidget* parent);

} // namespace blobscope::ui
