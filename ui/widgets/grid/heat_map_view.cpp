#include "ui/widgets/grid/heat_map_view.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/axis.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace blobscope::ui {
namespace {

constexpr int kHeatLeft = 62, kHeatTop = 26, kHeatRight = 14, kHeatFoot = 46, kScaleBar = 10;
constexpr double kLargestValue = 48; ///< pixels; larger rectangles say nothing more
constexpr double kMarkedCell = 6;    ///< smallest rectangle with room for a corner or hatching
constexpr int kRequestMs = 30;

QString heatNumber(double number) { return QLocale(QLocale::English).toString(number, 'g', 4); }
QString heatCount(double number) { return toQt(groupedText(static_cast<uint64_t>(number))); }

} // namespace

HeatMapView::HeatMapView(QWidget* parent) : QWidget(parent) {
  setLayoutDirection(Qt::LeftToRight); // axes of numbers
  installAccessibleBars();
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setAccessibleName(tr("Heat map"));
  m_request.setSingleShot(true);
  m_request.setInterval(kRequestMs);
  connect(&m_request, &QTimer::timeout, this, [this] {
    if (!m_map || m_image) return;
    const view::GridRegion region = visible();
    const QRectF place = field();
    if (region.rows > 0 && region.columns > 0)
      Q_EMIT regionNeeded(region, static_cast<quint32>(std::max(1.0, place.height())),
                          static_cast<quint32>(std::max(1.0, place.width())));
  });
}

void HeatMapView::setSlice(std::shared_ptr<const view::GridSource> source, std::shared_ptr<const view::GridMap> map) {
  m_source = std::move(source);
  m_map = std::move(map);
  m_heat = nullptr;
  m_image = nullptr;
  m_picture = {};
  m_row = m_column = 0;
  showAll();
}

void HeatMapView::setTitles(const QString& rows, const QString& columns) {
  m_rowTitle = rows;
  m_columnTitle = columns;
  update();
}

void HeatMapView::setColors(const GridColors& colors) {
  m_colors = colors;
  m_picture = {};
  update();
}

void HeatMapView::setHeat(std::shared_ptr<const view::HeatMap> heat) {
  m_heat = std::move(heat);
  m_least = m_greatest = std::nullopt;
  for (std::size_t i = 0; m_heat && i < m_heat->cells.size(); ++i) {
    const view::HeatMap::Cell& cell = m_heat->cells[i];
    if (cell.empty) continue;
    if (!m_least || cell.least < m_heat->cells[*m_least].least) m_least = i;
    if (!m_greatest || cell.greatest > m_heat->cells[*m_greatest].greatest) m_greatest = i;
  }
  m_picture = {};
  update();
}

void HeatMapView::setImage(std::shared_ptr<const view::GridImage> image) {
  m_image = std::move(image);
  m_picture = {};
  m_heat = nullptr;
  showAll();
}

void HeatMapView::setFrame(const view::GridRegion& frame) {
  m_frame = frame;
  update();
}

void HeatMapView::setCurrent(uint64_t row, uint64_t column) {
  if (!m_map || row >= m_map->rows() || column >= m_map->columns()) return;
  m_row = row;
  m_column = column;
  // Moves the picture only as far as needed.
  const QRectF place = field();
  const double tall = place.height() / m_scaleY, wide = place.width() / m_scaleX;
  const auto at = static_cast<double>(row), over = static_cast<double>(column);
  const double top = m_top, left = m_left;
  if (at < m_top) m_top = at;
  if (at + 1 > m_top + tall) m_top = at + 1 - tall;
  if (over < m_left) m_left = over;
  if (over + 1 > m_left + wide) m_left = over + 1 - wide;
  clampPlace();
  if (top != m_top || left != m_left) moved();
  setAccessibleDescription(plainLine(currentText()));
  update();
}

// --- the visible part

QRectF HeatMapView::field() const {
  return {kHeatLeft, kHeatTop, std::max(40.0, width() - double{kHeatLeft} - kHeatRight),
          std::max(40.0, height() - double{kHeatTop} - kHeatFoot)};
}

double HeatMapView::fitX() const {
  const QRectF place = field();
  const double x = place.width() / std::max(columns(), 1.0), y = place.height() / std::max(rows(), 1.0);
  // Squares, unless a long side would make them too small to see.
  if (m_image || std::min(x, y) >= 2) return std::min({x, y, kLargestValue});
  return std::min(x, kLargestValue);
}

double HeatMapView::fitY() const {
  const QRectF place = field();
  const double x = place.width() / std::max(columns(), 1.0), y = place.height() / std::max(rows(), 1.0);
  if (m_image || std::min(x, y) >= 2) return std::min({x, y, kLargestValue});
  return std::min(y, kLargestValue);
}

double HeatMapView::magnification() const { return std::max(m_scaleX / fitX(), m_scaleY / fitY()); }

view::GridRegion HeatMapView::visible() const {
  view::GridRegion out;
  if (!m_map || m_scaleX <= 0 || m_scaleY <= 0) return out;
  const QRectF place = field();
  out.row = static_cast<uint64_t>(std::floor(m_top));
  out.column = static_cast<uint64_t>(std::floor(m_left));
  const auto end = [](double first, double pixels, double scale, uint64_t all) {
    return std::min(all, static_cast<uint64_t>(std::ceil(first + pixels / scale)));
  };
  out.rows = end(m_top, place.height(), m_scaleY, m_map->rows()) - std::min(out.row, m_map->rows());
  out.columns = end(m_left, place.width(), m_scaleX, m_map->columns()) - std::min(out.column, m_map->columns());
  return out;
}

void HeatMapView::clampPlace() {
  m_scaleX = std::clamp(m_scaleX, fitX(), std::max(fitX(), kLargestValue));
  m_scaleY = std::clamp(m_scaleY, fitY(), std::max(fitY(), kLargestValue));
  const QRectF place = field();
  m_left = std::clamp(m_left, 0.0, std::max(0.0, columns() - place.width() / m_scaleX));
  m_top = std::clamp(m_top, 0.0, std::max(0.0, rows() - place.height() / m_scaleY));
}

void HeatMapView::moved() {
  m_request.start();
  update();
  Q_EMIT zoomed();
}

void HeatMapView::showAll() {
  m_scaleX = m_scaleY = m_left = m_top = 0;
  clampPlace();
  moved();
}

void HeatMapView::setPlace(const Place& place) {
  m_scaleX = place.scaleX;
  m_scaleY = place.scaleY;
  m_left = place.left;
  m_top = place.top;
  clampPlace();
  moved();
}

void HeatMapView::zoomAround(double factor, QPointF point) {
  const QRectF place = field();
  const double column = m_left + (point.x() - place.left()) / m_scaleX,
               row = m_top + (point.y() - place.top()) / m_scaleY;
  // Stretched rectangles become squares as soon as they are large enough.
  m_scaleX *= factor;
  m_scaleY *= factor;
  clampPlace();
  m_left = column - (point.x() - place.left()) / m_scaleX;
  m_top = row - (point.y() - place.top()) / m_scaleY;
  clampPlace();
  moved();
}

void HeatMapView::zoom(int steps) {
  const QRectF current = rectOf(static_cast<double>(m_row), static_cast<double>(m_column), 1, 1);
  const QPointF center = field().contains(current.center()) ? current.center() : field().center();
  zoomAround(std::pow(1.5, steps), center);
}

QRectF HeatMapView::rectOf(double row, double column, double rowCount, double columnCount) const {
  const QRectF place = field();
  return {place.left() + (column - m_left) * m_scaleX, place.top() + (row - m_top) * m_scaleY, columnCount * m_scaleX,
          rowCount * m_scaleY};
}

std::optional<std::pair<uint64_t, uint64_t>> HeatMapView::valueAt(QPointF point) const {
  const QRectF place = field();
  if (!m_map || !place.contains(point)) return std::nullopt;
  const double row = m_top + (point.y() - place.top()) / m_scaleY,
               column = m_left + (point.x() - place.left()) / m_scaleX;
  if (row < 0 || column < 0 || row >= rows() || column >= columns()) return std::nullopt;
  return std::pair(static_cast<uint64_t>(row), static_cast<uint64_t>(column));
}

QString HeatMapView::textOf(uint64_t row, uint64_t column) const {
  if (!m_map || !m_source) return {};
  const uint64_t index = m_map->index(row, column);
  if (index == view::GridMap::kNone) return {};
  const QString value = toQt(m_source->text(index));
  return QStringLiteral("%1  %2").arg(toQt(view::placeText(m_map->place(row, column))),
                                      value.isEmpty() ? tr("not stored") : value);
}

QString HeatMapView::currentText() const { return textOf(m_row, m_column); }

QRect HeatMapView::barRect(int) const {
  return rectOf(static_cast<double>(m_row), static_cast<double>(m_column), 1, 1).toAlignedRect();
}

// --- mouse and keys

void HeatMapView::choose(uint64_t row, uint64_t column) {
  setCurrent(row, column);
  Q_EMIT chosen(row, column);
}

bool HeatMapView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  if (const auto at = valueAt(help->pos()))
    QToolTip::showText(help->globalPos(), plainTip(textOf(at->first, at->second)), this);
  else
    QToolTip::hideText();
  return true;
}

void HeatMapView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const bool whole = m_scaleX == 0 || magnification() <= 1.001;
  if (whole) m_scaleX = m_scaleY = 0;
  clampPlace();
  moved();
}

void HeatMapView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  m_drag = event->position();
  m_dragged = false;
}

void HeatMapView::mouseMoveEvent(QMouseEvent* event) {
  if (!m_drag) return;
  const QPointF step = event->position() - *m_drag;
  if (!m_dragged && step.manhattanLength() < 5) return;
  m_dragged = true;
  m_drag = event->position();
  m_left -= step.x() / m_scaleX;
  m_top -= step.y() / m_scaleY;
  clampPlace();
  moved();
}

void HeatMapView::mouseReleaseEvent(QMouseEvent* event) {
  const bool click = m_drag && !m_dragged;
  m_drag.reset();
  if (const auto at = valueAt(event->position()); click && at) choose(at->first, at->second);
}

void HeatMapView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (valueAt(event->position())) Q_EMIT activated();
}

void HeatMapView::wheelEvent(QWheelEvent* event) {
  const int turn = event->angleDelta().y();
  if (turn == 0) return;
  zoomAround(std::pow(1.25, turn / 120.0), event->position());
  event->accept();
}

void HeatMapView::keyPressEvent(QKeyEvent* event) {
  if (!m_map || m_map->rows() == 0 || m_map->columns() == 0) return QWidget::keyPressEvent(event);
  const uint64_t lastRow = m_map->rows() - 1, lastColumn = m_map->columns() - 1;
  switch (event->key()) {
  case Qt::Key_Left: choose(m_row, m_column == 0 ? 0 : m_column - 1); return;
  case Qt::Key_Right: choose(m_row, std::min(m_column + 1, lastColumn)); return;
  case Qt::Key_Up: choose(m_row == 0 ? 0 : m_row - 1, m_column); return;
  case Qt::Key_Down: choose(std::min(m_row + 1, lastRow), m_column); return;
  case Qt::Key_Plus:
  case Qt::Key_Equal: zoom(1); return;
  case Qt::Key_Minus: zoom(-1); return;
  case Qt::Key_0:
  case Qt::Key_Home: showAll(); return;
  case Qt::Key_Return:
  case Qt::Key_Enter: Q_EMIT activated(); return;
  default: QWidget::keyPressEvent(event);
  }
}

// --- painting

const QImage& HeatMapView::picture() {
  const bool dark = theme().isDark();
  if (!m_picture.isNull() && (m_image || dark == m_pictureDark)) return m_picture;
  m_pictureDark = dark;
  if (m_image) {
    m_picture = QImage(m_image->pixels.data(), static_cast<int>(m_image->width), static_cast<int>(m_image->height),
                       static_cast<qsizetype>(m_image->width) * 4, QImage::Format_RGBA8888)
                    .copy();
  } else if (m_heat && m_heat->rows > 0) {
    m_picture = QImage(static_cast<int>(m_heat->columns), static_cast<int>(m_heat->rows), QImage::Format_RGB32);
    const QRgb none = theme().color(Role::Header).rgb();
    for (uint32_t row = 0; row < m_heat->rows; ++row) {
      auto* const line = reinterpret_cast<QRgb*>(m_picture.scanLine(static_cast<int>(row)));
      for (uint32_t column = 0; column < m_heat->columns; ++column) {
        const view::HeatMap::Cell& cell = m_heat->at(row, column);
        const float extreme = std::fabs(cell.least) > std::fabs(cell.greatest) ? cell.least : cell.greatest;
        line[column] = cell.empty ? none : m_colors.of(static_cast<double>(m_extremes ? extreme : cell.mean));
      }
    }
  }
  return m_picture;
}

void HeatMapView::paintCells(QPainter& painter) {
  const QImage& drawn = picture();
  if (drawn.isNull()) return;
  if (m_image) {
    const bool small = m_scaleX * columns() < static_cast<double>(m_image->width);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, small);
    painter.drawImage(rectOf(0, 0, rows(), columns()), drawn);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    return;
  }
  const view::GridRegion& region = m_heat->region;
  painter.drawImage(rectOf(static_cast<double>(region.row), static_cast<double>(region.column),
                           static_cast<double>(region.rows), static_cast<double>(region.columns)),
                    drawn);
  // Each cell is one value, large enough for marks.
  if (m_heat->rows != region.rows || m_heat->columns != region.columns || std::min(m_scaleX, m_scaleY) < kMarkedCell)
    return;
  painter.setRenderHint(QPainter::Antialiasing);
  for (uint32_t row = 0; row < m_heat->rows; ++row)
    for (uint32_t column = 0; column < m_heat->columns; ++column) {
      const view::HeatMap::Cell& cell = m_heat->at(row, column);
      const bool beyond = !cell.empty && (static_cast<double>(cell.mean) < m_colors.low ||
                                          static_cast<double>(cell.mean) > m_colors.high);
      if (!cell.odd && !beyond) continue;
      const QRectF place =
          rectOf(static_cast<double>(region.row + row), static_cast<double>(region.column + column), 1, 1);
      if (cell.odd) {
        painter.fillRect(place, QBrush(theme().color(Role::Error), Qt::BDiagPattern));
      } else {
        const double side = std::min(place.width(), 12.0) / 2.5;
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme().color(Role::Base));
        painter.drawPolygon(
            QPolygonF({place.topRight(), place.topRight() - QPointF(side, 0), place.topRight() + QPointF(0, side)}));
      }
    }
  painter.setRenderHint(QPainter::Antialiasing, false);
}

/// Where several values share a pixel, their mean hides the extremes: frames around the least and the greatest.
void HeatMapView::paintExtremes(QPainter& painter) const {
  if (!m_heat || m_image || m_heat->cells.empty()) return;
  const view::GridRegion& region = m_heat->region;
  if (m_heat->rows == region.rows && m_heat->columns == region.columns) return;
  painter.setBrush(Qt::NoBrush);
  for (const auto& found : {m_least, m_greatest}) {
    if (!found) continue;
    const double row = static_cast<double>(region.row) + (static_cast<double>(*found / m_heat->columns) + 0.5) *
                                                             static_cast<double>(region.rows) / m_heat->rows;
    const double column = static_cast<double>(region.column) + (static_cast<double>(*found % m_heat->columns) + 0.5) *
                                                                   static_cast<double>(region.columns) /
                                                                   m_heat->columns;
    const QPointF at = rectOf(row, column, 0, 0).topLeft();
    painter.setPen(theme().color(Role::Base));
    painter.drawEllipse(at, 4.5, 4.5);
    painter.setPen(theme().color(Role::Text));
    painter.drawEllipse(at, 5.5, 5.5);
  }
}

void HeatMapView::paintMarks(QPainter& painter) const {
  const Theme& look = theme();
  painter.setBrush(Qt::NoBrush);
  if (m_frame.rows > 0 && m_frame.columns > 0) {
    painter.setPen(QPen(look.color(Role::Text), 1.5));
    painter.drawRect(rectOf(static_cast<double>(m_frame.row), static_cast<double>(m_frame.column),
                            static_cast<double>(m_frame.rows), static_cast<double>(m_frame.columns))
                         .adjusted(-1, -1, 1, 1));
  }
  QRectF current = rectOf(static_cast<double>(m_row), static_cast<double>(m_column), 1, 1);
  if (current.width() < 6 || current.height() < 6) current = QRectF(current.center() - QPointF(3, 3), QSizeF(6, 6));
  painter.setPen(QPen(look.color(Role::Base), 1));
  painter.drawRect(current.adjusted(-2, -2, 2, 2));
  painter.setPen(QPen(look.color(hasFocus() ? Role::Accent : Role::Text), 2));
  painter.drawRect(current.adjusted(-0.5, -0.5, 0.5, 0.5));
}

void HeatMapView::paintAxes(QPainter& painter) const {
  const Theme& look = theme();
  const QRectF place = field();
  const QRectF used = rectOf(0, 0, rows(), columns()).intersected(place);
  painter.setFont(textFont(TextRole::Chip));
  const QFontMetrics metrics(painter.font());
  painter.setPen(look.color(Role::ControlBorder));
  painter.drawRect(used.adjusted(-0.5, -0.5, 0.5, 0.5));
  painter.setPen(look.color(Role::Secondary));
  const view::GridRegion shown = visible();
  const auto first = static_cast<double>(shown.column), top = static_cast<double>(shown.row);
  const QString title = plainLine(m_columnTitle);
  painter.drawText(QRectF(used.left(), 0, place.width(), 13), Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(title, Qt::ElideRight, static_cast<int>(place.width())));
  double free = -1;
  const int columnSteps = std::max(1, static_cast<int>(used.width() / 70)),
            rowSteps = std::max(1, static_cast<int>(used.height() / 44));
  for (const double tick : axisTicks(first, first + static_cast<double>(shown.columns) - 1, columnSteps)) {
    if (tick != std::floor(tick)) continue;
    const QString text = heatCount(tick);
    const double x = std::max(used.left(), rectOf(0, tick + 0.5, 0, 0).left() - metrics.horizontalAdvance(text) / 2.0);
    if (x < free || x + metrics.horizontalAdvance(text) > width()) continue;
    painter.drawText(QPointF(x, kHeatTop - 4), text);
    free = x + metrics.horizontalAdvance(text) + 8;
  }
  for (const double tick : axisTicks(top, top + static_cast<double>(shown.rows) - 1, rowSteps)) {
    if (tick != std::floor(tick)) continue;
    const double y = rectOf(tick + 0.5, 0, 0, 0).top();
    painter.drawText(QRectF(16, y - 8, kHeatLeft - 22, 16), Qt::AlignRight | Qt::AlignVCenter, heatCount(tick));
  }
  painter.save();
  painter.translate(2, used.center().y());
  painter.rotate(-90);
  const double room = std::max(used.height(), 120.0);
  painter.drawText(QRectF(-room / 2, 0, room, 14), Qt::AlignCenter,
                   metrics.elidedText(plainLine(m_rowTitle), Qt::ElideRight, static_cast<int>(room)));
  painter.restore();
}

void HeatMapView::paintScale(QPainter& painter) const {
  const Theme& look = theme();
  const QRectF place = field();
  const QRectF bar(place.left(), height() - kHeatFoot + 16, place.width(), kScaleBar);
  painter.setFont(textFont(TextRole::Chip));
  painter.setPen(look.color(Role::Secondary));
  if (m_image) {
    painter.drawText(QRectF(bar.left(), bar.top(), bar.width(), 20), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("Colours from %1 to %2").arg(heatNumber(m_image->low), heatNumber(m_image->high)));
    return;
  }
  if (!m_heat) return;
  QImage ramp(256, 1, QImage::Format_RGB32);
  for (int i = 0; i < 256; ++i) reinterpret_cast<QRgb*>(ramp.scanLine(0))[i] = m_colors.at(i / 255.0);
  painter.drawImage(bar, ramp);
  for (int i = 0; i <= 4; ++i) {
    const double share = i / 4.0, value = m_colors.low * (1 - share) + m_colors.high * share;
    const QString text = heatNumber(std::fabs(value) < (m_colors.high - m_colors.low) * 1e-9 ? 0 : value);
    const double wide = painter.fontMetrics().horizontalAdvance(text);
    const double x = std::clamp(bar.left() + share * bar.width() - wide / 2, bar.left(), bar.right() - wide);
    painter.drawText(QPointF(x, bar.bottom() + 14), text);
  }
}

void HeatMapView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& look = theme();
  painter.fillRect(rect(), look.color(Role::Base));
  if (!m_map || m_map->rows() == 0 || m_map->columns() == 0) return;
  painter.save();
  painter.setClipRect(field().adjusted(-2, -2, 2, 2));
  paintCells(painter);
  paintExtremes(painter);
  paintMarks(painter);
  painter.restore();
  paintAxes(painter);
  paintScale(painter);
  if (hasFocus()) {
    painter.setPen(look.color(Role::Accent));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

} // namespace blobscope::ui
