#include "ui/widgets/mark_scroll_bar.h"

#include <QPainter>

namespace blobscope::ui {
namespace {

constexpr int kScrollMarkHeight = 2, kMarkInset = 2;

class Corner : public QWidget {
public:
  using QWidget::QWidget;

protected:
  void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), theme().color(Role::Base)); }
};

} // namespace

QWidget* makeCorner(QWidget* parent) { return new Corner(parent); }

void MarkScrollBar::paintEvent(QPaintEvent* event) {
  QScrollBar::paintEvent(event);
  QPainter painter(this);
  const bool upright = orientation() == Qt::Vertical;
  const int length = (upright ? height() : width()) - kScrollMarkHeight;
  int last = -1;
  Role lastRole = Role::Count;
  for (const Mark& mark : m_marks) {
    const int at = static_cast<int>(length * mark.place);
    if (at == last && mark.role == lastRole) continue;
    last = at;
    lastRole = mark.role;
    const QRect rect = upright ? QRect(kMarkInset, at, width() - 2 * kMarkInset, kScrollMarkHeight)
                               : QRect(at, kMarkInset, kScrollMarkHeight, height() - 2 * kMarkInset);
    painter.fillRect(rect, theme().color(mark.role));
  }
}

} // namespace blobscope::ui
