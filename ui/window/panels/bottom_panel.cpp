#include "ui/window/panels/bottom_panel.h"

#include "ui/text/plain_text.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/tool_button.h"

#include <QAbstractButton>
#include <QPainter>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace blobscope::ui {

/// A name in the strip with its badges.
class BottomPanel::Tab : public QAbstractButton {
public:
  Tab(const QString& name, QWidget* parent) : QAbstractButton(parent) {
    setText(name);
    setCheckable(true);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setBadges({});
  }
  void setBadges(const QVector<Badge>& badges) {
    m_badges = badges;
    QString name = text();
    for (const Badge& badge : badges) name += QStringLiteral(", ") + badge.text + QLatin1Char(' ') + badge.icon;
    setAccessibleName(plainLine(name));
    updateGeometry();
    update();
  }
  QSize sizeHint() const override {
    int width = 24 + boldMetrics().horizontalAdvance(text());
    for (const Badge& badge : m_badges) width += 8 + metrics::kIcon + 4 + fontMetrics().horizontalAdvance(badge.text);
    return {width, metrics::kStrip};
  }

protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const Theme& look = theme();
    if (underMouse()) painter.fillRect(rect(), look.color(Role::Header));
    if (isChecked()) painter.fillRect(QRect(0, height() - 2, width(), 2), look.color(Role::Accent));
    QFont font = this->font();
    font.setWeight(isChecked() ? QFont::DemiBold : QFont::Medium);
    painter.setFont(font);
    painter.setPen(look.color(isChecked() ? Role::Text : Role::Secondary));
    int x = 12;
    painter.drawText(placed(*this, QRect(x, 0, width() - x, height())), Qt::AlignVCenter, text());
    x += QFontMetrics(font).horizontalAdvance(text());
    painter.setFont(this->font());
    painter.setPen(look.color(Role::Text));
    for (const Badge& badge : m_badges) {
      x += 8;
      const QRect picture(x, (height() - metrics::kIcon) / 2, metrics::kIcon, metrics::kIcon);
      painter.drawPixmap(placed(*this, picture).topLeft(),
                         iconPixmap(badge.icon, static_cast<Role>(badge.role), metrics::kIcon, devicePixelRatioF()));
      x += metrics::kIcon + 4;
      painter.drawText(placed(*this, QRect(x, 0, width() - x, height())), Qt::AlignVCenter, badge.text);
      x += fontMetrics().horizontalAdvance(badge.text);
    }
    if (hasFocus()) {
      painter.setPen(look.color(Role::Accent));
      painter.drawRect(rect().adjusted(1, 1, -2, -2));
    }
  }

private:
  QFontMetrics boldMetrics() const {
    QFont font = this->font();
    font.setWeight(QFont::DemiBold);
    return QFontMetrics(font);
  }
  QVector<Badge> m_badges;
};

BottomPanel::BottomPanel(QWidget* parent) : QWidget(parent), m_stack(new QStackedWidget(this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(new Rule(Qt::Horizontal, this));
  m_strip = new QHBoxLayout;
  m_strip->setContentsMargins(0, 0, 8, 0);
  m_strip->setSpacing(0);
  m_strip->addStretch();
  m_close = toolButton(QStringLiteral("cancel"), tr("Close this panel"), this, [this] { closePanel(); });
  m_close->hide();
  m_strip->addWidget(m_close);
  layout->addLayout(m_strip);
  layout->addWidget(m_stack, 1);
  m_stack->hide();
}

void BottomPanel::addPanel(const QString& name, QWidget* panel) {
  auto* const tab = new Tab(name, this);
  m_tabs.insert(panel, tab);
  m_strip->insertWidget(m_stack->addWidget(panel), tab);
  connect(tab, &QAbstractButton::clicked, this,
          [this, panel] { isOpen() && current() == panel ? closePanel() : openPanel(panel); });
}

void BottomPanel::setBadges(QWidget* panel, const QVector<Badge>& badges) { m_tabs[panel]->setBadges(badges); }

void BottomPanel::openPanel(QWidget* panel) {
  m_stack->setCurrentWidget(panel);
  for (Tab* tab : std::as_const(m_tabs)) tab->setChecked(tab == m_tabs[panel]);
  if (isOpen()) return;
  m_stack->show();
  m_close->show();
  Q_EMIT toggled(true);
}

void BottomPanel::closePanel() {
  for (Tab* tab : std::as_const(m_tabs)) tab->setChecked(false);
  if (!isOpen()) return;
  m_stack->hide();
  m_close->hide();
  Q_EMIT toggled(false);
}

bool BottomPanel::isOpen() const { return !m_stack->isHidden(); }

QWidget* BottomPanel::current() const { return m_stack->currentWidget(); }

void BottomPanel::paintEvent(QPaintEvent*) { QPainter(this).fillRect(rect(), theme().color(Role::Window)); }

} // namespace blobscope::ui
