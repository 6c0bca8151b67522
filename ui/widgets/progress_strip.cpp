#include "ui/widgets/progress_strip.h"

#include "ui/text/plain_text.h"
#include "ui/widgets/labels.h"

#include <QHBoxLayout>
#include <QLocale>
#include <QPainter>

namespace blobscope::ui {
namespace {
constexpr int kStripHeight = 32, kStripBar = 3, kDelay = 150;
} // namespace

ProgressStrip::ProgressStrip(QWidget* parent)
    : QWidget(parent), m_text(new ThemeLabel({}, TextRole::Body, Role::Text, this)),
      m_cancel(new LinkButton(tr("Cancel"), this)) {
  setFixedHeight(kStripHeight);
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, kStripBar, 12, 0);
  layout->setSpacing(16);
  layout->addWidget(m_text);
  layout->addWidget(m_cancel);
  layout->addStretch();
  m_cancel->setToolTip(tr("Cancel (Esc)"));
  connect(m_cancel, &QAbstractButton::clicked, this, &ProgressStrip::cancelled);
  m_delay.setSingleShot(true);
  m_delay.setInterval(kDelay);
  connect(&m_delay, &QTimer::timeout, this, [this] { setVisible(m_busy); });
  hide();
}

void ProgressStrip::begin(const QString& what) {
  m_busy = true;
  m_share = -1;
  m_text->setText(what);
  setAccessibleName(plainLine(what));
  if (!isVisible()) m_delay.start();
  update();
}

void ProgressStrip::showProgress(const QString& what, quint64 done, quint64 total) {
  if (!m_busy) return;
  QString text = what;
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  if (total > 0) {
    m_share = qBound(0.0, static_cast<double>(done) / static_cast<double>(total), 1.0);
    const QLocale numbers(QLocale::English);
    text = tr("%1, %2 of %3").arg(text, numbers.toString(done), numbers.toString(total));
  }
  m_text->setText(text);
  setAccessibleName(plainLine(text));
  update();
}

void ProgressStrip::end() {
  m_busy = false;
  m_delay.stop();
  hide();
}

void ProgressStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme().color(Role::Base));
  painter.fillRect(QRect(0, 0, width(), kStripBar), theme().color(Role::Header));
  if (m_share >= 0) painter.fillRect(QRectF(0, 0, width() * m_share, kStripBar), theme().color(Role::Accent));
  painter.fillRect(QRect(0, height() - 1, width(), 1), theme().color(Role::Rule));
}

} // namespace blobscope::ui
