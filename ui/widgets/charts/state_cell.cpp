#include "ui/widgets/charts/state_cell.h"

#include "ui/text/state_text.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/labels.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPainterPath>

namespace blobscope::ui {
namespace {

using State = view::ChecklistPage::State;

/// A path in a square of 16, as an icon.
QPainterPath shapeOf(State state) {
  QPainterPath path;
  if (state == State::Good) {
    path.moveTo(3.5, 8.5);
    path.lineTo(6.7, 11.7);
    path.lineTo(12.5, 4.8);
  } else if (state == State::Empty) {
    path.addEllipse(QPointF(8, 8), 4, 4);
  } else if (state == State::Crashes) {
    path.moveTo(9.5, 2);
    for (const QPointF& to :
         {QPointF(4, 9.2), QPointF(7.4, 9.2), QPointF(6.5, 14), QPointF(12, 6.6), QPointF(8.6, 6.6), QPointF(9.5, 2)})
      path.lineTo(to);
  }
  return path;
}

/// The sign in a legend, where no step is meant.
class Swatch : public QWidget {
public:
  Swatch(State state, QWidget* parent) : QWidget(parent), m_state(state) { setFixedSize(20, 14); }

protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    StateCell::paint(painter, QRectF(rect()), m_state, 0);
  }

private:
  State m_state;
};

} // namespace

Role StateCell::role(State state) {
  switch (state) {
  case State::Good: return Role::Ok;
  case State::Later: return Role::Warning;
  case State::Fails:
  case State::Crashes: return Role::Error;
  case State::Empty:
  case State::Unknown: return Role::Secondary;
  case State::NotNeeded: break;
  }
  return Role::Faint;
}

Role StateCell::background(State state) {
  switch (state) {
  case State::Good: return Role::OkBackground;
  case State::Later: return Role::WarningBackground;
  case State::Fails: return Role::ErrorBackground;
  case State::Crashes: return Role::Error;
  case State::Empty: return Role::Header;
  case State::Unknown:
  case State::NotNeeded: break;
  }
  return Role::Alternate;
}

QString StateCell::iconName(State state) {
  switch (state) {
  case State::Good: return QStringLiteral("ok");
  case State::Later: return QStringLiteral("warning");
  case State::Fails:
  case State::Crashes: return QStringLiteral("error");
  case State::Empty: return QStringLiteral("note");
  case State::Unknown: return QStringLiteral("question");
  case State::NotNeeded: break;
  }
  return {};
}

void StateCell::paint(QPainter& painter, const QRectF& box, State state, unsigned step) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme().color(background(state)));
  painter.drawRoundedRect(box, 3, 3);
  const QColor color = theme().color(state == State::Crashes ? Role::Base : role(state));
  const QPainterPath shape = shapeOf(state);
  if (shape.isEmpty()) {
    QFont font = textFont(TextRole::Secondary);
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(color);
    const bool numbered = state == State::Later || state == State::Fails;
    const QString sign = state == State::NotNeeded ? QStringLiteral("–")
                         : !numbered               ? QStringLiteral("?")
                         : step > 0                ? QString::number(step)
                                                   : QStringLiteral("N");
    painter.drawText(box, Qt::AlignCenter, sign);
  } else {
    const double size = std::min({box.height() - 2, box.width(), 16.0});
    painter.translate(box.center().x() - size / 2, box.center().y() - size / 2);
    painter.scale(size / 16, size / 16);
    if (state == State::Crashes)
      painter.setBrush(color);
    else
      painter.setBrush(Qt::NoBrush);
    painter.setPen(state == State::Crashes
                       ? QPen(Qt::NoPen)
                       : QPen(color, state == State::Good ? 1.8 : 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(shape);
  }
  painter.restore();
}

StateLegend::StateLegend(const std::vector<State>& states, QWidget* parent) : QWidget(parent) {
  auto* const flow = new FlowLayout(16, 4, this);
  for (const State state : states) {
    auto* const entry = new QWidget(this);
    auto* const row = new QHBoxLayout(entry);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    row->addWidget(new Swatch(state, entry));
    row->addWidget(new ThemeLabel(stateText(state, 0), TextRole::Chip, Role::Secondary, entry));
    flow->addWidget(entry);
  }
}

} // namespace blobscope::ui
