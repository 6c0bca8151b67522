#include "ui/widgets/charts/coverage_bar.h"

#include "core/base/text.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMap>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <array>

namespace blobscope::ui {
namespace {

constexpr int kBarTop = 10, kBarHeight = 15, kLegendTop = 31, kLegendHeight = 16, kCoverageMargin = 12,
              kLegendName = 240, kStripGap = 5, kEntropyHeight = 22;
constexpr std::array kColors = {Role::KindDevice, Role::KindHost, Role::KindVm, Role::KindData, Role::KindContainer};

/// Modules and sections have names from the file; fields have identifiers, except for "other fields".
QString nameOf(const view::Span& span) {
  using enum view::Span::Owner;
  const bool fixed = span.unknown || span.owner == HostCode || span.owner == Tables || span.owner == Blob ||
                     (span.owner == Field && span.name.find(' ') != std::string::npos);
  return fixed ? coreText(span.name) : toQt(span.name);
}

void paintSpan(QPainter& painter, const QRectF& rect, const QColor& color, bool unknown) {
  if (!unknown) {
    QColor fill = color;
    fill.setAlphaF(0.65F);
    painter.fillRect(rect, fill);
    return;
  }
  painter.fillRect(rect, theme().color(Role::ErrorBackground));
  painter.fillRect(rect, QBrush(theme().color(Role::Error), Qt::BDiagPattern));
}

} // namespace

CoverageBar::CoverageBar(QWidget* parent) : QWidget(parent) {
  setLayoutDirection(Qt::LeftToRight); // an axis of bytes
  installAccessibleBars();
  setMouseTracking(true);
  setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setProperty("helpTopic", QStringLiteral("coverage"));
}

void CoverageBar::setSpans(std::vector<view::Span> spans, quint64 size, const std::vector<Role>& roles) {
  m_spans = std::move(spans);
  m_size = size;
  m_colors = roles;
  QMap<QString, quint64> bytes;
  for (const view::Span& span : m_spans) bytes[nameOf(span)] += span.extent.size;
  // The largest parts get the most distinct colours, the many small ones share the last.
  QStringList order = bytes.keys();
  std::stable_sort(order.begin(), order.end(), [&](const QString& a, const QString& b) { return bytes[a] > bytes[b]; });
  QStringList words;
  for (const view::Span& span : m_spans) {
    const QString name = nameOf(span);
    if (roles.empty())
      m_colors.push_back(kColors[qMin(static_cast<std::size_t>(order.indexOf(name)), kColors.size() - 1)]);
    if (words.size() < 12) words << tr("%1 %2").arg(name, bytesText(span.extent.size));
  }
  setAccessibleName(plainLine(tr("Coverage: %1").arg(words.join(QStringLiteral(", ")))));
  update();
}

void CoverageBar::setVisibleBytes(Extent bytes) {
  m_visible = bytes;
  update();
}

void CoverageBar::setEntropy(EntropyBlocks blocks) {
  m_entropy = std::move(blocks);
  float largest = 0;
  for (const float bits : m_entropy.bits) largest = std::max(largest, bits);
  const QString words = tr("Entropy: at most %1 bits per byte. The page Entropy lists all blocks.");
  setAccessibleDescription(plainLine(hasEntropy() ? words.arg(largest, 0, 'f', 1) : QString()));
  update();
}

void CoverageBar::expectEntropy() {
  m_hasStrip = true;
  updateGeometry();
}

QRectF CoverageBar::strip() const {
  const double top = kBarTop + (m_spans.empty() ? 0.0 : kBarHeight + kStripGap);
  return {bar().left(), top, bar().width(), m_hasStrip ? kEntropyHeight : 0.0};
}

double CoverageBar::axisBottom() const { return !m_hasStrip ? kLegendTop : strip().bottom() + 3; }

double CoverageBar::legendTop() const { return !m_hasStrip ? kLegendTop : strip().bottom() + 6; }

QString CoverageBar::entropyText(quint64 offset) const {
  const uint64_t block = m_entropy.blockAt(offset);
  if (block >= m_entropy.bits.size()) return {};
  const uint64_t from = block * m_entropy.blockSize, size = std::min<uint64_t>(m_entropy.blockSize, m_size - from);
  const QString bits = QLocale(QLocale::English).toString(static_cast<double>(m_entropy.bits[block]), 'f', 1);
  return m_entropy.isSampled ? tr("About %1 bits per byte: %2 at %3, of which a part was read")
                                   .arg(bits, bytesText(size), toQt(hexText(from)))
                             : tr("%1 bits per byte: %2 at %3").arg(bits, bytesText(size), toQt(hexText(from)));
}

void CoverageBar::paintEntropy(QPainter& painter) const {
  constexpr float kMost = 8, kDense = 7;
  const QRectF box = strip();
  const auto columns = static_cast<int>(box.width());
  const double blocks = static_cast<double>(m_size) / static_cast<double>(m_entropy.blockSize);
  QColor plain = theme().color(Role::Faint);
  plain.setAlphaF(0.55F);
  for (int column = 0; column < columns; ++column) {
    const auto block = static_cast<std::size_t>(column / box.width() * blocks);
    const float bits = m_entropy.bits[std::min(block, m_entropy.bits.size() - 1)];
    const double height = std::max(1.0, box.height() * static_cast<double>(bits / kMost));
    painter.fillRect(QRectF(box.left() + column, box.bottom() - height, 1, height),
                     bits >= kDense ? theme().color(Role::Warning) : plain);
  }
  painter.fillRect(QRectF(box.left(), box.bottom(), box.width(), 1), theme().color(Role::Rule));
}

QSize CoverageBar::sizeHint() const { return {400, static_cast<int>(legendTop()) + kLegendHeight + 8}; }

QRectF CoverageBar::bar() const {
  return {kCoverageMargin, kBarTop, qMax(1.0, width() - 2.0 * kCoverageMargin), kBarHeight};
}

double CoverageBar::xOf(quint64 offset) const {
  return m_size == 0 ? bar().left()
                     : bar().left() + bar().width() * static_cast<double>(offset) / static_cast<double>(m_size);
}

quint64 CoverageBar::offsetAt(double x) const {
  if (m_size == 0) return 0;
  const double share = qBound(0.0, (x - bar().left()) / bar().width(), 1.0);
  return qMin(static_cast<quint64>(share * static_cast<double>(m_size)), m_size - 1);
}

QString CoverageBar::barText(int bar) const {
  const view::Span& span = m_spans[static_cast<std::size_t>(bar)];
  return tr("%1: %2 at %3").arg(nameOf(span), bytesText(span.extent.size), toQt(hexText(span.extent.offset)));
}

QRect CoverageBar::barRect(int bar) const {
  const Extent& extent = m_spans[static_cast<std::size_t>(bar)].extent;
  const double from = xOf(extent.offset), to = qMax(xOf(extent.end()), from + 2);
  return QRectF(from, kBarTop, to - from, kBarHeight).toAlignedRect();
}

QColor CoverageBar::colorOf(std::size_t span) const { return theme().color(m_colors[span]); }

void CoverageBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setLayoutDirection(layoutDirection());
  const QRectF box = bar();
  for (std::size_t i = 0; i < m_spans.size(); ++i) {
    const double from = xOf(m_spans[i].extent.offset);
    // A part is at least two pixels wide, so that it is visible.
    const double to = qMax(xOf(m_spans[i].extent.end()), from + 2);
    paintSpan(painter, QRectF(from, box.top(), to - from - (to - from > 3 ? 1 : 0), box.height()), colorOf(i),
              m_spans[i].unknown);
  }
  if (hasEntropy()) paintEntropy(painter);
  if (m_visible.size > 0 && m_size > 0) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().color(Role::Text), 1.6));
    painter.setBrush(Qt::NoBrush);
    const double from = xOf(m_visible.offset), to = qMax(xOf(m_visible.end()), from + 6);
    const double bottom = !m_hasStrip ? box.bottom() + 3 : strip().bottom() + 2;
    painter.drawRoundedRect(QRectF(from, box.top() - 3, to - from, bottom - box.top() + 3), 2, 2);
    painter.setRenderHint(QPainter::Antialiasing, false);
  }
  // The legend: the largest parts first, unknown ones always.
  std::vector<std::size_t> order;
  QMap<QString, quint64> bytes;
  for (std::size_t i = 0; i < m_spans.size(); ++i) {
    const QString name = nameOf(m_spans[i]);
    if (!bytes.contains(name)) order.push_back(i);
    bytes[name] += m_spans[i].extent.size;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (m_spans[a].unknown != m_spans[b].unknown) return m_spans[a].unknown;
    return bytes[nameOf(m_spans[a])] > bytes[nameOf(m_spans[b])];
  });
  const QFont font = textFont(TextRole::Chip);
  const QFontMetrics metrics(font);
  painter.setFont(font);
  double x = kCoverageMargin;
  const double top = legendTop();
  const QString scale = hasEntropy() ? tr("bits per byte, 0 to 8") : QString();
  const int right = width() - kCoverageMargin - (scale.isEmpty() ? 0 : metrics.horizontalAdvance(scale) + 18);
  painter.setPen(theme().color(Role::Faint));
  painter.drawText(QRectF(0, top, width() - kCoverageMargin, kLegendHeight), Qt::AlignRight | Qt::AlignVCenter, scale);
  for (std::size_t at = 0; at < order.size(); ++at) {
    const view::Span& span = m_spans[order[at]];
    const QString size = QLocale(QLocale::English).toString(bytes[nameOf(span)]);
    const QString name = metrics.elidedText(nameOf(span), Qt::ElideMiddle, kLegendName);
    const int nameWidth = metrics.horizontalAdvance(name), sizeWidth = metrics.horizontalAdvance(size);
    const bool last = at + 1 == order.size();
    if (x + 15 + nameWidth + 6 + sizeWidth > right - (last ? 0 : 60)) {
      painter.setPen(theme().color(Role::Secondary));
      painter.drawText(QRectF(x, top, 100, kLegendHeight), Qt::AlignVCenter,
                       tr("%n more", nullptr, pluralCount(order.size() - at)));
      break;
    }
    paintSpan(painter, QRectF(x, top + 3, 10, 10), colorOf(order[at]), span.unknown);
    painter.setPen(theme().color(Role::Text));
    painter.drawText(QRectF(x + 15, top, nameWidth + 1, kLegendHeight), Qt::AlignVCenter, name);
    painter.setPen(theme().color(Role::Secondary));
    painter.drawText(QRectF(x + 21 + nameWidth, top, sizeWidth + 1, kLegendHeight), Qt::AlignVCenter, size);
    x += 15 + nameWidth + 6 + sizeWidth + 18;
  }
  if (hasFocus()) {
    painter.setPen(QPen(theme().color(Role::Accent), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(2, 2, -3, -3));
  }
}

bool CoverageBar::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* const help = static_cast<QHelpEvent*>(event);
    const quint64 offset = offsetAt(help->pos().x());
    if (hasEntropy() && help->pos().y() >= strip().top() && help->pos().y() < axisBottom()) {
      QToolTip::showText(help->globalPos(), plainTip(entropyText(offset)), this);
      return true;
    }
    for (const view::Span& span : m_spans)
      if (span.extent.contains(offset) && help->pos().y() < axisBottom())
        QToolTip::showText(
            help->globalPos(),
            plainTip(tr("%1: %2 at %3")
                         .arg(nameOf(span), toQt(sizeText(span.extent.size)), toQt(hexText(span.extent.offset)))),
            this);
    return true;
  }
  return QWidget::event(event);
}

void CoverageBar::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && event->position().y() < axisBottom())
    Q_EMIT jumped(offsetAt(event->position().x()));
}

void CoverageBar::mouseMoveEvent(QMouseEvent* event) {
  setCursor(event->position().y() < axisBottom() ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (event->buttons() & Qt::LeftButton) Q_EMIT jumped(offsetAt(event->position().x()));
}

void CoverageBar::keyPressEvent(QKeyEvent* event) {
  const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  if (step == 0 || m_spans.empty()) {
    QWidget::keyPressEvent(event);
    return;
  }
  const auto after = std::upper_bound(m_spans.begin(), m_spans.end(), m_visible.offset,
                                      [](quint64 at, const view::Span& span) { return at < span.extent.offset; });
  const auto now = after - m_spans.begin() - 1;
  const auto next = qBound<std::ptrdiff_t>(0, now + step, static_cast<std::ptrdiff_t>(m_spans.size()) - 1);
  Q_EMIT jumped(m_spans[static_cast<std::size_t>(next)].extent.offset);
}

} // namespace blobscope::ui
