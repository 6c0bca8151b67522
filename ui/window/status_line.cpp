#include "ui/window/status_line.h"

#include "core/base/text.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/delegates.h"
#include "ui/widgets/labels.h"

#include <QHBoxLayout>
#include <QPainter>

namespace blobscope::ui {
namespace {

/// "Coverage", a bar, a share: the bytes of the blobs that have an owner.
class CoverageMeter : public QWidget {
  Q_DECLARE_TR_FUNCTIONS(blobscope::ui::CoverageMeter)
public:
  CoverageMeter(double share, bool damaged, QWidget* parent) : QWidget(parent), m_share(share), m_damaged(damaged) {
    setAccessibleName(plainLine(tr("Coverage %1").arg(words())));
    setToolTip(tr("Share of the blob's bytes that decoded fields describe; the rest is shown as bytes"));
    setProperty("helpTopic", QStringLiteral("coverage"));
    const QFontMetrics metrics(textFont(TextRole::Secondary));
    setFixedSize(metrics.horizontalAdvance(tr("Coverage")) + 8 + kBar + 8 + metrics.horizontalAdvance(words()) + 12,
                 24);
  }

protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(textFont(TextRole::Secondary));
    const int label = painter.fontMetrics().horizontalAdvance(tr("Coverage"));
    painter.setPen(theme().color(Role::Secondary));
    painter.drawText(placed(*this, QRect(0, 0, label + 2, height())), Qt::AlignVCenter, tr("Coverage"));
    painter.setPen(Qt::NoPen);
    const QRectF track(placed(*this, QRect(label + 8, 0, kBar, height())).left(), height() / 2.0 - 2.5, kBar, 5);
    painter.setBrush(theme().color(Role::Rule));
    painter.drawRoundedRect(track, 2, 2);
    painter.setBrush(theme().color(m_damaged ? Role::Error : m_share >= 1 ? Role::Ok : Role::Note));
    painter.drawRoundedRect(QRectF(track.topLeft(), QSizeF(qMax(3.0, kBar * m_share), 5)), 2, 2);
    painter.setPen(theme().color(Role::Text));
    const int left = label + 8 + kBar + 8;
    painter.drawText(placed(*this, QRect(left, 0, width() - left, height())), Qt::AlignVCenter, words());
  }

private:
  static constexpr int kBar = 62;
  QString words() const {
    // Never rounded up to 100 %.
    if (m_share >= 1) return QStringLiteral("100 %");
    return QStringLiteral("%1 %").arg(qMin(m_share * 100, 99.9), 0, 'f', 1);
  }
  double m_share;
  bool m_damaged;
};

} // namespace

StatusLine::StatusLine(QWidget* parent)
    : QWidget(parent), m_layout(new QHBoxLayout(this)),
      m_selection(new ThemeLabel({}, TextRole::Secondary, Role::Text, this)),
      m_hint(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)) {
  m_layout->setContentsMargins(12, 0, 12, 0);
  m_layout->setSpacing(0);
  m_layout->addWidget(m_selection);
  m_layout->addStretch(1);
  m_layout->addWidget(m_hint);
  setFixedHeight(metrics::kStatusBar - 1);
  setState(nullptr);
}

void StatusLine::setState(const Document::StatePtr& state) {
  delete m_items;
  delete m_coverage;
  m_coverage = nullptr;
  m_items = new QWidget(this);
  auto* const row = new QHBoxLayout(m_items);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  m_layout->insertWidget(0, m_items);
  m_parts.clear();
  const auto item = [&](const QString& label, const QString& value) {
    auto* const part = new QWidget(m_items);
    auto* const words = new QHBoxLayout(part);
    words->setContentsMargins(0, 0, 0, 0);
    words->setSpacing(5);
    if (!m_parts.isEmpty()) {
      auto* const rule = new Rule(Qt::Vertical, part);
      rule->setFixedHeight(14);
      words->addSpacing(5);
      words->addWidget(rule);
      words->addSpacing(5);
    }
    if (!label.isEmpty()) words->addWidget(new ThemeLabel(label, TextRole::Secondary, Role::Secondary, part));
    words->addWidget(new ThemeLabel(value, TextRole::Secondary, Role::Text, part));
    row->addWidget(part);
    m_parts.append(part);
  };
  if (!state) {
    item({}, tr("No file open"));
    setMinimumWidth(100);
    m_hint->setText(tr("F1 Help  ·  Ctrl+O Open  ·  Ctrl+K Find or go to"));
    m_selection->clear();
    return;
  }
  m_hint->clear();
  for (const library::Overview::Fact& fact : state->overview.facts)
    if (fact.label == "Container" || fact.label == "Format") item({}, toQt(fact.value));
  for (const library::Overview::Fact& fact : state->overview.facts)
    if (fact.label == "Executor" || fact.label == "Runtime") item(coreText(fact.label), toQt(fact.value));
  if (!state->package->image.arch.empty()) item(tr("Host machine"), toQt(state->package->image.arch));
  if (!state->package->blobs.empty()) {
    const library::Blob& blob = *state->package->blobs.front();
    item(tr("Era"), toQt(std::string(eraName(blob.era)) + " " + std::string(streamName(blob.cut.stream))));
  }
  if (state->package->host.abi) item(tr("Host ABI"), toQt(host::abiName(*state->package->host.abi)));
  if (state->overview.blobBytes > 0) {
    item(tr("Blob"), bytesText(state->overview.blobBytes));
    m_coverage =
        new CoverageMeter(static_cast<double>(state->overview.owned) / static_cast<double>(state->overview.blobBytes),
                          state->overview.worst == Severity::Error, this);
    m_layout->addWidget(m_coverage);
  }
  fit();
}

void StatusLine::fit() {
  int room = width() - 24 - (m_coverage ? m_coverage->width() + 12 : 0) - m_selection->sizeHint().width() -
             m_hint->sizeHint().width();
  for (int i = 0; i < m_parts.size(); ++i) {
    room -= m_parts[i]->sizeHint().width();
    m_parts[i]->setVisible(i == 0 || room >= 0);
  }
}

void StatusLine::resizeEvent(QResizeEvent*) { fit(); }

void StatusLine::setSelection(const QString& text) {
  m_selection->setText(text.isEmpty() ? QString() : QStringLiteral("   ·   ") + text);
  fit();
}

QString StatusLine::text() const {
  QString out;
  for (const ThemeLabel* label : m_items->findChildren<ThemeLabel*>()) out += label->text() + QLatin1Char(' ');
  return out + m_selection->text();
}

} // namespace blobscope::ui
