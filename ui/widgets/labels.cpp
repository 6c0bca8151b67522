#include "ui/widgets/labels.h"

#include "ui/text/plain_text.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"

#include <QEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QStyle>

namespace blobscope::ui {
namespace {

/// Maximum width that a label requests from a layout; wider text is elided.
constexpr int kMaximumHintWidth = 600;

} // namespace

PlainLabel::PlainLabel(const QString& text, QWidget* parent) : QLabel(parent) {
  setTextFormat(Qt::PlainText);
  setText(text);
}

void PlainLabel::setText(const QString& text) { QLabel::setText(plainLines(text)); }

QSize PlainLabel::minimumSizeHint() const {
  QSize size = QLabel::minimumSizeHint();
  size.setWidth(std::min(size.width(), kMaximumHintWidth));
  return size;
}

void PlainLabel::paintEvent(QPaintEvent* event) {
  const QRect room = contentsRect();
  // The "&" that marks the shortcut of a label with a buddy takes no room.
  QString words = text();
  if (buddy()) words.remove(QLatin1Char('&'));
  const bool whole = wordWrap() || hasSelectedText() || words.contains(QLatin1Char('\n')) ||
                     fontMetrics().horizontalAdvance(words) <= room.width();
  if (whole) return QLabel::paintEvent(event);
  QPainter painter(this);
  style()->drawItemText(&painter, room, static_cast<int>(alignment()), palette(), isEnabled(),
                        fontMetrics().elidedText(words, Qt::ElideRight, room.width()), foregroundRole());
}

ThemeLabel::ThemeLabel(const QString& text, TextRole size, Role color, QWidget* parent)
    : PlainLabel(text, parent), m_color(color) {
  setFont(textFont(size));
  setTextInteractionFlags(Qt::TextSelectableByMouse);
  setFocusPolicy(Qt::NoFocus);
  setForegroundRole(QPalette::WindowText); // independent of the background around it
  updateColor();
}

void ThemeLabel::setRole(Role color) {
  m_color = color;
  updateColor();
}

void ThemeLabel::setElided() { setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); }

void ThemeLabel::updateColor() {
  const QColor color = theme().color(m_color);
  if (palette().color(QPalette::WindowText) == color) return;
  QPalette changed = palette();
  changed.setColor(QPalette::WindowText, color);
  setPalette(changed);
}

bool ThemeLabel::event(QEvent* event) {
  if (event->type() == QEvent::ApplicationPaletteChange || event->type() == QEvent::ParentChange) updateColor();
  return PlainLabel::event(event);
}

TermLabel::TermLabel(const QString& text, const QString& topic, const QString& sentence, QWidget* parent)
    : ThemeLabel(text, TextRole::Secondary, Role::Secondary, parent) {
  setToolTip(plainTip(sentence));
  setProperty("helpTopic", topic);
  setTextInteractionFlags(Qt::NoTextInteraction);
  setCursor(Qt::WhatsThisCursor);
  setFocusPolicy(Qt::TabFocus);
  setAccessibleDescription(plainLines(sentence));
}

void TermLabel::paintEvent(QPaintEvent* event) {
  ThemeLabel::paintEvent(event);
  QPainter painter(this);
  const int width = QFontMetrics(font()).horizontalAdvance(text());
  painter.setPen(QPen(theme().color(Role::ControlBorder), 1, Qt::DotLine));
  painter.drawLine(0, height() - 1, width, height() - 1);
  if (hasFocus()) {
    painter.setPen(QPen(theme().color(Role::Accent), 1));
    painter.drawRect(0, 0, width, height() - 1);
  }
}

IconLabel::IconLabel(QString name, Role role, int size, QWidget* parent)
    : QWidget(parent), m_name(std::move(name)), m_role(role), m_size(size) {
  setFixedSize(size, size);
}

void IconLabel::setIcon(const QString& name, Role role) {
  m_name = name;
  m_role = role;
  update();
}

void IconLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.drawPixmap(0, 0, iconPixmap(m_name, m_role, m_size, devicePixelRatioF()));
}

LinkButton::LinkButton(const QString& text, QWidget* parent) : QAbstractButton(parent) {
  setText(plainLine(text));
  setShortcut({}); // an ampersand in a name is not a shortcut
  setAccessibleName(plainLine(text));
  setCursor(Qt::PointingHandCursor);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_Hover);
  setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
}

void LinkButton::setCode(bool code) {
  m_size = code ? TextRole::Code : TextRole::Body;
  updateGeometry();
}

QSize LinkButton::sizeHint() const {
  const QFontMetrics metrics(textFont(m_size));
  return {metrics.horizontalAdvance(text()) + 2, metrics.height() + 2};
}

QSize LinkButton::minimumSizeHint() const { return {24, sizeHint().height()}; }

void LinkButton::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  QFont font = textFont(m_size);
  font.setUnderline(underMouse());
  painter.setFont(font);
  painter.setPen(theme().color(isEnabled() ? Role::Accent : Role::Faint));
  painter.drawText(rect().adjusted(1, 0, 0, 0), nameFlags(painter, Qt::AlignLeft | Qt::AlignVCenter),
                   QFontMetrics(font).elidedText(text(), Qt::ElideMiddle, width() - 1));
  if (hasFocus()) {
    painter.setPen(QPen(theme().color(Role::Accent), 1));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

void LinkButton::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
    click();
  else
    QAbstractButton::keyPressEvent(event);
}

Panel::Panel(Role background, std::optional<Role> bar, QWidget* parent)
    : QFrame(parent), m_background(background), m_bar(bar) {}

void Panel::setRoles(Role background, std::optional<Role> bar) {
  m_background = background;
  m_bar = bar;
  update();
}

void paintBar(QWidget& bar, Role background) {
  QPainter painter(&bar);
  painter.fillRect(bar.rect(), theme().color(background));
  painter.fillRect(QRect(0, bar.height() - 1, bar.width(), 1), theme().color(Role::Rule));
}

void Panel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const qreal radius = m_bar ? 0 : 6;
  painter.setRenderHint(QPainter::Antialiasing, radius > 0);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme().color(m_background));
  painter.drawRoundedRect(QRectF(rect()), radius, radius);
  if (m_bar)
    painter.fillRect(QStyle::visualRect(layoutDirection(), rect(), QRect(0, 0, 3, height())), theme().color(*m_bar));
}

Rule::Rule(Qt::Orientation orientation, QWidget* parent) : QWidget(parent) {
  if (orientation == Qt::Horizontal)
    setFixedHeight(1);
  else
    setFixedWidth(1);
}

void Rule::paintEvent(QPaintEvent*) { QPainter(this).fillRect(rect(), theme().color(Role::Rule)); }

} // namespace blobscope::ui
