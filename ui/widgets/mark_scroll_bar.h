#pragma once

#include "ui/theme/theme.h"

#include <QScrollBar>

#include <vector>

namespace blobscope::ui {

/// A scroll bar with marks at given positions, drawn over it.
class MarkScrollBar : public QScrollBar {
  Q_OBJECT
public:
  explicit MarkScrollBar(Qt::Orientation orientation, QWidget* parent = nullptr) : QScrollBar(orientation, parent) {}

  struct Mark {
    double place; ///< 0 is the start, 1 the end of the scrolled content
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

/// Returns the corner between two scroll bars: empty, in the colour of the view.
QWidget* makeCorner(QWidget* parent);

} // namespace blobscope::ui
