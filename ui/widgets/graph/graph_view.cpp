#include "ui/widgets/graph/graph_view.h"

#include "core/graph/node_text.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace blobscope::ui {
namespace {

constexpr double kGraphMargin = 16, kZoomStep = 1.25;
/// The first scene is not shown smaller than this.
constexpr double kFirstZoom = 0.5;
constexpr int kNoteRoom = 80; // for the shape beside a box
constexpr int kMapWidth = 156, kMapHeight = 134, kOverlayGap = 12;
/// Smaller views show neither the map nor the legend.
constexpr int kOverlayWidth = 480, kOverlayHeight = 300;

/// Ignores the case of ASCII letters: a graph may have very many names.
bool containsText(std::string_view text, std::string_view lowered) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::search(text.begin(), text.end(), lowered.begin(), lowered.end(),
                     [&](char a, char b) { return lower(a) == b; }) != text.end();
}

QString legendTitle(graph::Colouring colouring) {
  switch (colouring) {
  case graph::Colouring::Bytes: return GraphView::tr("Colour: bytes");
  case graph::Colouring::Device: return GraphView::tr("Colour: device");
  case graph::Colouring::Mark: return GraphView::tr("Colour: difference");
  case graph::Colouring::Operator: break;
  }
  return GraphView::tr("Colour: operator");
}

} // namespace

GraphView::GraphView(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setLayoutDirection(Qt::LeftToRight); // edges lead to the right or down in every language
  setAccessibleName(tr("Graph"));
  installAccessibleBars();
}

void GraphView::setScene(std::shared_ptr<const view::GraphPage> page, std::shared_ptr<const graph::Scene> scene) {
  const std::optional<uint32_t> node =
      m_look.current && m_look.scene ? std::optional(m_look.scene->picture.boxes[*m_look.current].node) : std::nullopt;
  m_page = std::move(page);
  m_look.scene = std::move(scene);
  m_look.current.reset();
  m_look.found.clear();
  m_painter.setScene(m_look.scene.get());
  const graph::Picture& picture = m_look.scene->picture;
  std::vector<graph::Adjacency::Pair> next, previous;
  for (const graph::Picture::Edge& edge : picture.edges) {
    next.emplace_back(edge.from, edge.to);
    previous.emplace_back(edge.to, edge.from);
  }
  m_next = graph::Adjacency(picture.boxes.size(), next);
  m_previous = graph::Adjacency(picture.boxes.size(), previous);
  m_placeInOrder.assign(picture.boxes.size(), 0);
  for (uint32_t i = 0; i < m_look.scene->layout.order.size(); ++i) m_placeInOrder[m_look.scene->layout.order[i]] = i;
  if (node && picture.boxOf[*node] != graph::Picture::kNone) m_look.current = picture.boxOf[*node];
  setColouring(m_colouring);
  if (!m_wasShown || m_isFitted)
    showAll();
  else
    limitOrigin();
  if (m_look.current) reveal(*m_look.current);
  setAccessibleDescription(plainLine(toQt(graph::summaryText(*m_page, picture, m_look.scene->layout.layerCount()))));
}

void GraphView::setColouring(graph::Colouring colouring) {
  m_colouring = colouring;
  m_map = {};
  if (m_look.scene) m_look.colours = graph::coloursOf(*m_page, m_look.scene->picture, colouring);
  placeLegend();
  update();
}

// ------------------------------------------------------------------------------------------- selection

void GraphView::setCurrent(std::optional<uint32_t> box) {
  if (!m_look.scene) return;
  if (box) reveal(*box);
  if (m_look.current == box) return;
  m_look.current = box;
  update();
  if (box) {
    QAccessibleEvent focused(this, QAccessible::Focus);
    focused.setChild(static_cast<int>(*box));
    QAccessible::updateAccessibility(&focused);
  }
  Q_EMIT currentChanged();
}

bool GraphView::setCurrentNode(uint32_t node) {
  if (!m_look.scene || node >= m_look.scene->picture.boxOf.size()) return false;
  const uint32_t box = m_look.scene->picture.boxOf[node];
  if (box == graph::Picture::kNone) return false;
  setCurrent(box);
  return true;
}

void GraphView::find(const QString& text) {
  m_look.found.clear();
  if (m_look.scene && !text.isEmpty()) {
    const graph::Picture& picture = m_look.scene->picture;
    const std::string lowered = fromQt(text.toLower());
    m_look.found.assign(picture.boxes.size(), false);
    for (uint32_t node = 0; node < picture.boxOf.size(); ++node) {
      const uint32_t box = picture.boxOf[node];
      if (box == graph::Picture::kNone || m_look.found[box]) continue;
      m_look.found[box] =
          containsText(m_page->nodes[node].title, lowered) || containsText(m_page->nodes[node].name, lowered);
    }
  }
  update();
}

std::size_t GraphView::foundCount() const {
  return static_cast<std::size_t>(std::count(m_look.found.begin(), m_look.found.end(), true));
}

bool GraphView::goToFound(bool backwards) {
  if (foundCount() == 0) return false;
  const std::vector<uint32_t>& order = m_look.scene->layout.order;
  const auto count = static_cast<int64_t>(order.size());
  int64_t at = m_look.current ? m_placeInOrder[*m_look.current] : (backwards ? 0 : -1);
  do at = (at + (backwards ? -1 : 1) + count) % count;
  while (!m_look.found[order[static_cast<std::size_t>(at)]]);
  setCurrent(order[static_cast<std::size_t>(at)]);
  return true;
}

std::optional<uint32_t> GraphView::boxAt(QPointF place) const {
  if (!m_look.scene) return std::nullopt;
  const QPointF point = m_look.toScene(place);
  const auto& boxes = m_look.scene->layout.boxes;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (QRectF(boxes[i].x, boxes[i].y, boxes[i].width, boxes[i].height).contains(point))
      return static_cast<uint32_t>(i);
  return std::nullopt;
}

/// Goes to the box at the other end of an edge, the nearest one, or to the neighbour in the layer.
void GraphView::follow(bool along, bool forwards) {
  const graph::Layout& layout = m_look.scene->layout;
  if (layout.order.empty()) return;
  if (!m_look.current) return setCurrent(layout.order.front());
  const uint32_t box = *m_look.current;
  if (!along) {
    const auto at = static_cast<int64_t>(m_placeInOrder[box]) + (forwards ? 1 : -1);
    if (at < 0 || at >= static_cast<int64_t>(layout.order.size())) return;
    const uint32_t other = layout.order[static_cast<std::size_t>(at)];
    if (layout.layers[other] == layout.layers[box]) setCurrent(other);
    return;
  }
  std::optional<uint32_t> nearest;
  const auto distance = [&](uint32_t other) {
    const graph::Rect &a = layout.boxes[box], &b = layout.boxes[other];
    return std::hypot(a.x + a.width / 2 - b.x - b.width / 2, a.y - b.y);
  };
  for (const uint32_t other : forwards ? m_next.of(box) : m_previous.of(box))
    if (other != box && (!nearest || distance(other) < distance(*nearest))) nearest = other;
  if (nearest) setCurrent(nearest);
}

// ------------------------------------------------------------------------------------------- place

QRectF GraphView::visiblePart() const { return {m_look.origin, QSizeF(size()) / m_look.zoom}; }

void GraphView::setZoom(double zoom, QPointF fixed) {
  if (!m_look.scene) return;
  const QPointF point = m_look.toScene(fixed);
  m_look.zoom = std::clamp(zoom, kMinimumZoom, kMaximumZoom);
  m_look.origin = point - fixed / m_look.zoom;
  m_isFitted = false;
  limitOrigin();
  update();
  Q_EMIT zoomChanged();
}

void GraphView::showAll() {
  if (!m_look.scene || width() < 2 || height() < 2) return;
  const graph::Layout& layout = m_look.scene->layout;

  const double fit = std::min({(width() - 2 * kGraphMargin) / std::max(layout.width, 1.0),
                               (height() - 2 * kGraphMargin) / std::max(layout.height, 1.0), 1.0});
  const bool first = !m_wasShown && isVisible();
  m_isFitted = !(first && fit < kFirstZoom);
  m_look.zoom = std::clamp(m_isFitted ? fit : 1.0, kMinimumZoom, kMaximumZoom);
  const QSizeF extent = QSizeF(size()) / m_look.zoom;
  if (m_isFitted) {
    m_look.origin = {(layout.width - extent.width()) / 2, (layout.height - extent.height()) / 2};
  } else {
    // The first box is where reading begins.
    const graph::Rect& start = layout.boxes[layout.order.front()];
    m_look.origin = m_look.scene->sideways ? QPointF(-kGraphMargin, start.y + start.height / 2 - extent.height() / 2)
                                           : QPointF(start.x + start.width / 2 - extent.width() / 2, -kGraphMargin);
    limitOrigin();
  }
  m_wasShown = m_wasShown || isVisible();
  placeLegend();
  update();
  Q_EMIT zoomChanged();
}

void GraphView::showCurrent() {
  if (!m_look.current) return showAll();
  const graph::Rect& box = m_look.scene->layout.boxes[*m_look.current];
  m_look.zoom = 1;
  m_isFitted = false;
  m_look.origin = QPointF(box.x + box.width / 2, box.y + box.height / 2) - QPointF(width(), height()) / 2;
  limitOrigin();
  update();
  Q_EMIT zoomChanged();
}

void GraphView::move(QPointF by) {
  m_look.origin += by / m_look.zoom;
  m_isFitted = false;
  limitOrigin();
  update();
}

/// At least half of the view, or the whole graph, stays visible.
void GraphView::limitOrigin() {
  if (!m_look.scene) return;
  const QSizeF extent = QSizeF(size()) / m_look.zoom;
  const auto limit = [](double origin, double content, double view) {
    const double room = view / 2;
    return std::clamp(origin, -room, std::max(content - view + room, -room));
  };
  m_look.origin = {limit(m_look.origin.x(), m_look.scene->layout.width, extent.width()),
                   limit(m_look.origin.y(), m_look.scene->layout.height, extent.height())};
}

void GraphView::reveal(uint32_t box) {
  const QRectF rect = m_look.boxRect(box), room = QRectF(this->rect()).adjusted(12, 12, -12, -12);
  if (room.contains(rect) || room.width() < 10 || room.height() < 10) return;
  QPointF by;
  if (rect.left() < room.left() || rect.right() > room.right()) by.setX(rect.center().x() - room.center().x());
  if (rect.top() < room.top() || rect.bottom() > room.bottom()) by.setY(rect.center().y() - room.center().y());
  move(by);
}

// ------------------------------------------------------------------------------------------- overlays

QRectF GraphView::mapPlace() const {
  if (!m_look.scene || width() < kOverlayWidth || height() < kOverlayHeight) return {};
  const graph::Layout& layout = m_look.scene->layout;
  if (visiblePart().contains(QRectF(0, 0, layout.width, layout.height))) return {};
  return {static_cast<double>(width() - kMapWidth - kOverlayGap),
          static_cast<double>(height() - kMapHeight - kOverlayGap), kMapWidth, kMapHeight};
}

QRectF GraphView::legendPlace() const {
  if (!m_look.scene || width() < kOverlayWidth || height() < kOverlayHeight) return {};
  const QSizeF size = GraphPainter::legendSize(m_look.colours, legendTitle(m_colouring));
  return {QPointF(m_legendAtRight ? width() - size.width() - kOverlayGap : kOverlayGap, kOverlayGap), size};
}

/// Puts the legend into the upper corner where it covers fewer boxes.
void GraphView::placeLegend() {
  if (!m_look.scene) return;
  const auto covered = [this](bool right) {
    m_legendAtRight = right;
    const QRectF place = legendPlace();
    std::size_t count = 0;
    for (std::size_t i = 0; i < m_look.scene->layout.boxes.size(); ++i)
      count += m_look.boxRect(i).adjusted(0, 0, kNoteRoom, 0).intersects(place);
    return count;
  };
  const std::size_t left = covered(false), right = covered(true);
  m_legendAtRight = right < left;
}

void GraphView::goToMapPoint(QPointF place) {
  const QTransform transform = GraphPainter::mapTransform(m_look.scene->layout, mapPlace());
  const QPointF centre = transform.inverted().map(place);
  m_look.origin = centre - QPointF(width(), height()) / m_look.zoom / 2;
  m_isFitted = false;
  limitOrigin();
  update();
}

void GraphView::paintOverlays(QPainter& painter) {
  painter.setRenderHint(QPainter::Antialiasing);
  if (const QRectF legend = legendPlace(); !legend.isEmpty())
    GraphPainter::paintLegend(painter, m_look.colours, legendTitle(m_colouring), legend);
  const QRectF place = mapPlace();
  if (place.isEmpty()) return;
  const double ratio = devicePixelRatioF();
  if (m_map.isNull() || m_map.devicePixelRatio() != ratio) {
    m_map = QPixmap((place.size() * ratio).toSize());
    m_map.setDevicePixelRatio(ratio);
    QPainter map(&m_map);
    GraphPainter::paintMap(map, m_look, QRectF(QPointF(), place.size()));
  }
  painter.drawPixmap(place.topLeft(), m_map);
  const QTransform transform = GraphPainter::mapTransform(m_look.scene->layout, place);
  QColor shade = theme().color(Role::Accent);
  shade.setAlphaF(0.1F);
  painter.setClipRect(place);
  painter.setBrush(shade);
  painter.setPen(QPen(theme().color(Role::Accent), 1.5));
  painter.drawRect(transform.mapRect(visiblePart()).intersected(place.adjusted(1, 1, -1, -1)));
  painter.setClipping(false);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme().color(Role::ControlBorder), 1));
  painter.drawRect(place.adjusted(0, 0, -1, -1));
}

// ------------------------------------------------------------------------------------------- events

void GraphView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme().color(Role::Base));
  if (!m_look.scene) return;
  if (!m_wasShown) showAll();
  m_look.focused = hasFocus();
  m_painter.paint(painter, m_look, size());
  paintOverlays(painter);
}

void GraphView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (m_isFitted) return showAll();
  limitOrigin();
  placeLegend();
}

void GraphView::changeEvent(QEvent* event) {
  m_map = {}; // the palette may be another one
  QWidget::changeEvent(event);
}

bool GraphView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const auto box = boxAt(help->pos());
  if (!box || mapPlace().contains(help->pos())) {
    QToolTip::hideText();
    return true;
  }
  const view::GraphPage::Node& node = m_page->nodes[m_look.scene->picture.boxes[*box].node];
  QToolTip::showText(help->globalPos(), plainTip(toQt(node.name) + QLatin1Char('\n') + barText(static_cast<int>(*box))),
                     this);
  return true;
}

void GraphView::keyPressEvent(QKeyEvent* event) {
  if (!m_look.scene || event->modifiers() & (Qt::AltModifier | Qt::MetaModifier)) return QWidget::keyPressEvent(event);
  const bool sideways = m_look.scene->sideways;
  const QPointF middle(width() / 2.0, height() / 2.0);
  switch (event->key()) {
  case Qt::Key_Up: return follow(!sideways, false);
  case Qt::Key_Down: return follow(!sideways, true);
  case Qt::Key_Left: return follow(sideways, false);
  case Qt::Key_Right: return follow(sideways, true);
  case Qt::Key_PageUp: return move({0, -height() * 0.8});
  case Qt::Key_PageDown: return move({0, height() * 0.8});
  case Qt::Key_Plus:
  case Qt::Key_Equal: return setZoom(zoom() * kZoomStep, middle);
  case Qt::Key_Minus: return setZoom(zoom() / kZoomStep, middle);
  case Qt::Key_0: return setZoom(1, middle);
  case Qt::Key_Home: return showAll();
  case Qt::Key_Z: return showCurrent();
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (m_look.current) Q_EMIT opened(*m_look.current);
    return;
  case Qt::Key_Backspace:
    if (m_look.current) Q_EMIT closed(*m_look.current);
    return;
  default: QWidget::keyPressEvent(event);
  }
}

void GraphView::mousePressEvent(QMouseEvent* event) {
  if (!m_look.scene || event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  m_pressed = m_dragged = event->position();
  m_isDragging = false;
  m_isInMap = mapPlace().contains(event->position());
  if (m_isInMap) return goToMapPoint(event->position());
  if (const auto box = boxAt(event->position())) setCurrent(box);
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
  if (!m_pressed) return;
  if (m_isInMap) return goToMapPoint(event->position());
  if (!m_isDragging && (event->position() - *m_pressed).manhattanLength() < QApplication::startDragDistance()) return;
  m_isDragging = true;
  setCursor(Qt::ClosedHandCursor);
  move(m_dragged - event->position());
  m_dragged = event->position();
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
  // A click beside the boxes selects none.
  if (m_pressed && !m_isDragging && !m_isInMap && !boxAt(event->position())) setCurrent(std::nullopt);
  m_pressed.reset();
  m_isDragging = m_isInMap = false;
  unsetCursor();
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || mapPlace().contains(event->position())) return;
  if (const auto box = boxAt(event->position())) Q_EMIT opened(*box);
}

void GraphView::wheelEvent(QWheelEvent* event) {
  event->accept();
  const QPointF turned = event->angleDelta();
  if (event->modifiers() & Qt::ControlModifier)
    return setZoom(zoom() * std::pow(kZoomStep, turned.y() / 120.0), event->position());
  const QPointF pixels = event->pixelDelta().isNull() ? turned / 2 : QPointF(event->pixelDelta());
  move(event->modifiers() & Qt::ShiftModifier ? QPointF(-pixels.y(), -pixels.x()) : -pixels);
}

void GraphView::contextMenuEvent(QContextMenuEvent* event) {
  if (event->reason() == QContextMenuEvent::Mouse)
    if (const auto box = boxAt(event->pos())) setCurrent(box);
  if (m_look.current) Q_EMIT menuRequested(event->globalPos());
}

int GraphView::barCount() const {
  return m_look.scene ? static_cast<int>(std::min<std::size_t>(m_look.scene->picture.boxes.size(), INT32_MAX)) : 0;
}
QString GraphView::barText(int bar) const {
  return toQt(graph::boxText(*m_page, m_look.scene->picture, static_cast<uint32_t>(bar)));
}
QString GraphView::currentText() const {
  return m_look.current ? barText(static_cast<int>(*m_look.current)) : QString();
}
QRect GraphView::barRect(int bar) const { return m_look.boxRect(static_cast<std::size_t>(bar)).toAlignedRect(); }

} // namespace blobscope::ui
