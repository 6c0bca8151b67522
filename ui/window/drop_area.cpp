#include "ui/window/drop_area.h"

#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"

#include <QDropEvent>
#include <QMimeData>
#include <QPainter>
#include <QUrl>

#include <utility>

namespace blobscope::ui {

DropArea::DropArea(Choices choices, QWidget* window) : QWidget(window), m_make(std::move(choices)) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
  hide();
}

QStringList DropArea::pathsOf(const QMimeData& data) {
  QStringList paths;
  for (const QUrl& url : data.urls())
    if (url.isLocalFile()) paths << url.toLocalFile();
  return paths;
}

void DropArea::enter(QDropEvent& event) {
  if (event.source()) return; // a part of a file that is already open
  const QStringList paths = pathsOf(*event.mimeData());
  m_choices = paths.isEmpty() ? QVector<Choice>() : m_make(paths);
  if (m_choices.isEmpty()) return;
  setGeometry(parentWidget()->rect());
  m_active = choiceAt(event.position().toPoint());
  raise();
  show();
  event.acceptProposedAction();
}

void DropArea::move(QDropEvent& event) {
  if (!isVisible()) return;
  if (const int now = choiceAt(event.position().toPoint()); std::exchange(m_active, now) != now) update();
  event.acceptProposedAction();
}

void DropArea::drop(QDropEvent& event) {
  hide();
  if (event.source()) return;
  const QStringList paths = pathsOf(*event.mimeData());
  if (paths.isEmpty()) return;
  m_choices = m_make(paths);
  if (m_choices.isEmpty()) return;
  event.acceptProposedAction();
  m_choices[choiceAt(event.position().toPoint())].act();
}

QRect DropArea::rectOf(int choice) const {
  constexpr int kMargin = 24, kAreaGap = 16;
  const QRect inside = parentWidget()->rect().adjusted(kMargin, kMargin, -kMargin, -kMargin);
  const int count = static_cast<int>(m_choices.size());
  const int width = (inside.width() - (count - 1) * kAreaGap) / count;
  return {inside.left() + choice * (width + kAreaGap), inside.top(), width, inside.height()};
}

int DropArea::choiceAt(QPoint point) const {
  for (int i = 0; i + 1 < m_choices.size(); ++i)
    if (point.x() <= rectOf(i).right()) return i;
  return qMax(0, static_cast<int>(m_choices.size()) - 1);
}

void DropArea::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QColor veil = theme().color(Role::Window);
  veil.setAlpha(225);
  painter.fillRect(rect(), veil);
  for (int i = 0; i < m_choices.size(); ++i) {
    const QRect area = rectOf(i);
    const bool active = i == m_active;
    painter.setPen(QPen(theme().color(active ? Role::Accent : Role::ControlBorder), 2, Qt::DashLine));
    painter.setBrush(theme().color(active ? Role::Selection : Role::Base));
    painter.drawRoundedRect(QRectF(area).adjusted(1, 1, -1, -1), 8, 8);
    const QRect words = area.adjusted(24, 0, -24, 0);
    painter.setFont(textFont(TextRole::Heading));
    painter.setPen(theme().color(Role::Text));
    constexpr int kFlags = Qt::AlignHCenter | Qt::TextWordWrap | Qt::TextWrapAnywhere;
    const int middle = area.center().y();
    painter.drawText(QRect(words.left(), area.top(), words.width(), middle - area.top()), kFlags | Qt::AlignBottom,
                     m_choices[i].title);
    painter.setFont(textFont(TextRole::Body));
    painter.setPen(theme().color(Role::Secondary));
    painter.drawText(QRect(words.left(), middle + 8, words.width(), area.bottom() - middle - 8), kFlags | Qt::AlignTop,
                     m_choices[i].detail);
  }
}

} // namespace blobscope::ui
