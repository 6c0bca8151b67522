#include "ui/compare/byte_map.h"

#include "core/base/text.h"
#include "ui/compare/pair_painter.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace blobscope::ui {
namespace {
constexpr int kByteMapHeight = 34, kBar = 16, kMargin = 12;
constexpr double kSmallestPart = 2; ///< pixels, so that every part is visible
} // namespace

ByteMap::ByteMap(const diff::ByteDiff& bytes, QWidget* parent) : QWidget(parent), m_bytes(bytes) {
  installAccessibleBars();
  setFocusPolicy(Qt::StrongFocus);
  setLayoutDirection(Qt::LeftToRight); // an axis of bytes
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Map of the bytes that differ"));
  setAccessibleDescription(plainLines(
      m_bytes.differing == 1 ? tr("1 byte differs.")
                             : tr("%1 bytes differ in %n range(s).", nullptr, pluralCount(m_bytes.rangeCount))
                                   .arg(toQt(groupedText(m_bytes.differing)))));
}

QSize ByteMap::sizeHint() const { return {480, kByteMapHeight}; }
QSize ByteMap::minimumSizeHint() const { return {120, kByteMapHeight}; }

void ByteMap::setVisibleBytes(Extent bytes) {
  m_visible = bytes;
  update();
}

QRect ByteMap::bar() const { return {kMargin, (kByteMapHeight - kBar) / 2, std::max(width() - 2 * kMargin, 1), kBar}; }

double ByteMap::xOf(uint64_t offset) const {
  const QRect place = bar();
  return place.left() +
         place.width() * (static_cast<double>(offset) / static_cast<double>(std::max<uint64_t>(size(), 1)));
}

QString ByteMap::barText(int bar) const {
  const Extent& range = m_bytes.ranges[static_cast<std::size_t>(bar)];
  return tr("%1 differ at %2").arg(bytesText(range.size), toQt(hexText(range.offset)));
}

QRect ByteMap::barRect(int bar) const {
  const Extent& range = m_bytes.ranges[static_cast<std::size_t>(bar)];
  const double left = xOf(range.offset), right = std::max(xOf(range.end()), left + kSmallestPart);
  return QRectF(left, this->bar().top(), right - left, kBar).toAlignedRect();
}

void ByteMap::goTo(int x) {
  const QRect place = bar();
  const double share = std::clamp((x - place.left()) / static_cast<double>(place.width()), 0.0, 1.0);
  if (size() > 0)
    Q_EMIT wanted(std::min<uint64_t>(static_cast<uint64_t>(share * static_cast<double>(size())), size() - 1));
}

void ByteMap::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) goTo(event->position().toPoint().x());
}

void ByteMap::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) goTo(event->position().toPoint().x());
}

void ByteMap::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  if ((key != Qt::Key_Left && key != Qt::Key_Right) || m_bytes.map.empty() || m_bytes.bucketBytes == 0) {
    QWidget::keyPressEvent(event);
    return;
  }
  // Goes to the next bucket with a difference.
  auto at = static_cast<int64_t>(std::min<uint64_t>(m_visible.offset / m_bytes.bucketBytes, m_bytes.map.size() - 1));
  const int step = key == Qt::Key_Left ? -1 : 1;
  for (at += step; at >= 0 && at < static_cast<int64_t>(m_bytes.map.size()); at += step)
    if (m_bytes.map[static_cast<std::size_t>(at)] > 0) {
      // Goes to its first difference, as far as differences are listed.
      const uint64_t from = static_cast<uint64_t>(at) * m_bytes.bucketBytes;
      const auto range = std::partition_point(m_bytes.ranges.begin(), m_bytes.ranges.end(),
                                              [&](const Extent& r) { return r.end() <= from; });
      const bool inside = range != m_bytes.ranges.end() && range->offset < from + m_bytes.bucketBytes;
      Q_EMIT wanted(inside ? std::max(range->offset, from) : from);
      return;
    }
}

void ByteMap::focusInEvent(QFocusEvent*) { update(); }
void ByteMap::focusOutEvent(QFocusEvent*) { update(); }

void ByteMap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setLayoutDirection(layoutDirection());
  const Theme& look = theme();
  painter.fillRect(rect(), look.color(Role::Base));
  const QRect place = bar();
  painter.fillRect(place, look.color(Role::Header));
  const uint64_t shared = m_bytes.shared();
  for (std::size_t i = 0; i < m_bytes.map.size(); ++i) {
    const uint64_t from = i * m_bytes.bucketBytes;
    if (m_bytes.map[i] == 0 || from >= shared) continue;
    const double left = xOf(from), right = xOf(std::min(from + m_bytes.bucketBytes, shared));
    painter.fillRect(QRectF(left, place.top(), std::max(right - left, kSmallestPart), place.height()),
                     look.color(Role::Changed));
  }
  if (m_bytes.rest() > 0) {
    const int left = static_cast<int>(std::min(xOf(shared), place.right() + 1 - kSmallestPart));
    const QRect rest(left, place.top(), place.right() - left + 1, place.height());
    paintHatching(painter, rest);
    painter.fillRect(QRect(rest.left(), rest.bottom() - 1, rest.width(), 2),
                     look.color(m_bytes.sizeA > m_bytes.sizeB ? Role::Removed : Role::Added));
  }
  if (m_visible.size > 0) {
    const double left = xOf(m_visible.offset), right = std::max(xOf(m_visible.end()), left + 4);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(look.color(Role::Text), 1.4));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(left - 1, place.top() - 3, right - left + 2, place.height() + 6), 2, 2);
    painter.setRenderHint(QPainter::Antialiasing, false);
  }
  if (hasFocus()) {
    painter.setPen(look.color(Role::Accent));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(1, 1, -2, -2));
  }
}

} // namespace blobscope::ui
