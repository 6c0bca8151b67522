#include "ui/widgets/charts/treemap_view.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace blobscope::ui {
namespace {

using view::TreemapPage;

constexpr double kCellLabelWide = 46, kCellLabelHigh = 18;
constexpr double kPaleCell = 0.3;
constexpr int kDescribed = 40; ///< cells in the accessible description
constexpr qsizetype kNamesInCommon = 2'000;

/// The colour over the background.
QColor tint(Role role, double share) {
  QColor colour = theme().color(role);
  colour.setAlphaF(static_cast<float>(share));
  return colour;
}

} // namespace

TreemapView::TreemapView(view::TreemapPagePtr page, QWidget* parent) : QWidget(parent), m_page(std::move(page)) {
  setLayoutDirection(Qt::LeftToRight); // a picture
  installAccessibleBars();
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Treemap"));
  QStringList kernels;
  for (uint32_t i = 0; i < m_page->items.size(); ++i)
    if (m_page->isLeaf(i) && m_page->items[i].kind == Page::Kind::Kernel && kernels.size() < kNamesInCommon)
      kernels << toQt(m_page->items[i].name);
  m_affixes = commonAffixes(kernels);
}

Role TreemapView::roleOf(Page::Kind kind) {
  switch (kind) {
  case Page::Kind::Vm: return Role::KindVm;
  case Page::Kind::Kernel: return Role::KindDevice;
  case Page::Kind::HostCode: return Role::KindHost;
  case Page::Kind::Constants: return Role::KindData;
  case Page::Kind::Container:
  case Page::Kind::Tables: return Role::KindContainer;
  case Page::Kind::Unnamed: break;
  }
  return Role::KindUnknown;
}

QColor TreemapView::fillOf(Page::Kind kind, bool isFrame) {
  if (isFrame) return tint(roleOf(kind), theme().isDark() ? 0.20 : 0.12);
  return tint(roleOf(kind), theme().isDark() ? 0.38 : 0.30);
}

void TreemapView::setLevel(uint32_t item) {
  if (item >= m_page->items.size() || m_page->isLeaf(item)) return;
  m_level = item;
  arrange();
  Q_EMIT levelChanged(item);
}

void TreemapView::setCurrent(std::optional<uint32_t> item) {
  m_current = item;
  update();
}

void TreemapView::setMatches(std::optional<std::vector<bool>> matches) {
  m_matches = std::move(matches);
  update();
}

void TreemapView::arrange() {
  graph::TreemapOptions options;
  options.level = m_level;
  options.header = fontMetrics().height() + 5;
  m_cells = graph::layoutTreemap(*m_page, {1, 1, width() - 2.0, height() - 2.0}, options);
  QStringList words;
  for (std::size_t i = 0; i < m_cells.size() && words.size() < kDescribed; ++i)
    if (!m_cells[i].isFrame) words << cellText(i);
  setAccessibleDescription(plainLines(words.join(QStringLiteral("; "))));
  update();
}

std::optional<std::size_t> TreemapView::cellAt(QPointF place) const {
  // Cells follow the frames that contain them.
  for (std::size_t i = m_cells.size(); i > 0; --i) {
    const graph::Rect& box = m_cells[i - 1].place;
    if (QRectF(box.x, box.y, box.width, box.height).contains(place)) return i - 1;
  }
  return std::nullopt;
}

QString TreemapView::cellText(std::size_t cell) const {
  const graph::TreemapCell& shown = m_cells[cell];
  if (shown.merged == 0) return toQt(m_page->itemText(shown.item));
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < shown.merged; ++i) bytes += m_page->items[shown.item + i].bytes;
  return tr("%1 more, %2").arg(toQt(groupedText(shown.merged)), toQt(countText(bytes, "byte")));
}

QString TreemapView::currentText() const { return m_current ? toQt(m_page->itemText(*m_current)) : QString(); }

QRect TreemapView::barRect(int bar) const {
  const graph::Rect& box = m_cells[static_cast<std::size_t>(bar)].place;
  return QRectF(box.x, box.y, box.width, box.height).toRect();
}

std::optional<std::size_t> TreemapView::currentCell() const {
  if (!m_current) return std::nullopt;
  const auto found = std::ranges::find_if(m_cells, [this](const graph::TreemapCell& cell) {
    return cell.merged == 0 ? cell.item == *m_current : *m_current >= cell.item && *m_current < cell.item + cell.merged;
  });
  return found == m_cells.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - m_cells.begin()));
}

// ------------------------------------------------------------------------------------------- keys and mouse

void TreemapView::choose(uint32_t item) {
  setCurrent(item);
  QAccessibleValueChangeEvent changed(this, currentText());
  QAccessible::updateAccessibility(&changed);
  Q_EMIT chosen(item);
}

/// Shows what is directly below the level and contains the item; a leaf there is opened.
void TreemapView::goIn(uint32_t item) {
  uint32_t at = item;
  while (at != 0 && m_page->items[at].parent != m_level) at = m_page->items[at].parent;
  if (at == 0) return;
  if (m_page->isLeaf(at))
    Q_EMIT opened(at);
  else
    setLevel(at);
}

void TreemapView::step(int dx, int dy) {
  if (m_cells.empty()) return;
  const auto cell = currentCell();
  if (cell && !m_cells[*cell].isFrame) return choose(m_cells[graph::neighbourOf(m_cells, *cell, dx, dy)].item);
  // Nothing is selected, or a frame: its first cell.
  for (std::size_t i = cell.value_or(0); i < m_cells.size(); ++i)
    if (!m_cells[i].isFrame) return choose(m_cells[i].item);
}

void TreemapView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (m_current) goIn(*m_current);
    return;
  case Qt::Key_Backspace:
    if (m_level != 0) setLevel(m_page->items[m_level].parent);
    return;
  case Qt::Key_Home: return setLevel(0);
  case Qt::Key_Left: return step(-1, 0);
  case Qt::Key_Right: return step(1, 0);
  case Qt::Key_Up: return step(0, -1);
  case Qt::Key_Down: return step(0, 1);
  default: return QWidget::keyPressEvent(event);
  }
}

bool TreemapView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const auto cell = cellAt(help->pos());
  if (!cell) {
    QToolTip::hideText();
    return true;
  }
  const graph::TreemapCell& shown = m_cells[*cell];
  const uint32_t above = m_page->items[shown.item].parent;
  QStringList lines;
  if (shown.merged == 0 && above != 0) lines << toQt(m_page->pathAbove(shown.item));
  lines << cellText(*cell);
  if (shown.merged == 0 && above != 0)
    lines << tr("%1 of %2").arg(toQt(m_page->shareText(shown.item, above)), toQt(m_page->items[above].name));
  if (shown.merged == 0 && !m_page->items[shown.item].note.empty()) lines << toQt(m_page->items[shown.item].note);
  lines << tr("Enter goes in, Backspace goes out");
  QToolTip::showText(help->globalPos(), plainTip(lines.join(QLatin1Char('\n'))), this);
  return true;
}

void TreemapView::mousePressEvent(QMouseEvent* event) {
  if (const auto cell = cellAt(event->position())) choose(m_cells[*cell].item);
}

void TreemapView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const auto cell = cellAt(event->position()); cell && event->button() == Qt::LeftButton) goIn(m_cells[*cell].item);
}

void TreemapView::mouseMoveEvent(QMouseEvent* event) {
  const auto cell = cellAt(event->position());
  Q_EMIT pointed(cell ? m_cells[*cell].item : m_level);
}

void TreemapView::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  Q_EMIT pointed(m_level);
}

void TreemapView::contextMenuEvent(QContextMenuEvent* event) {
  auto cell = event->reason() == QContextMenuEvent::Mouse ? cellAt(event->pos()) : currentCell();
  if (!cell) return;
  const QPoint place = event->reason() == QContextMenuEvent::Mouse
                           ? event->globalPos()
                           : mapToGlobal(barRect(static_cast<int>(*cell)).center());
  Q_EMIT menuRequested(m_cells[*cell].item, place);
}

void TreemapView::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  update();
}

void TreemapView::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

// ------------------------------------------------------------------------------------------- painting

void TreemapView::resizeEvent(QResizeEvent*) { arrange(); }

bool TreemapView::isPale(const graph::TreemapCell& cell) const {
  if (!m_matches || cell.isFrame) return false;
  for (uint32_t i = 0; i < std::max(cell.merged, 1U); ++i)
    if ((*m_matches)[cell.item + i]) return false;
  return true;
}

QString TreemapView::fittedName(const Page::Item& item, const QFontMetricsF& metrics, double wide) const {
  QString name = toQt(item.name);
  if (item.kind == Page::Kind::Kernel && metrics.horizontalAdvance(name) > wide) {
    if (!m_affixes.suffix.isEmpty() && name.endsWith(m_affixes.suffix)) name.chop(m_affixes.suffix.size());
    if (name.size() > m_affixes.prefix.size() && name.startsWith(m_affixes.prefix))
      name.remove(0, m_affixes.prefix.size());
  }
  return metrics.elidedText(name, Qt::ElideMiddle, wide);
}

void TreemapView::paintWords(QPainter& painter, const graph::TreemapCell& cell, const QRectF& box) const {
  const TreemapPage::Item& item = m_page->items[cell.item];
  const bool fits = cell.isFrame ? cell.header > 0 : box.width() >= kCellLabelWide && box.height() >= kCellLabelHigh;
  if (!fits) return;
  QFont font = textFont(TextRole::Chip);
  font.setWeight(QFont::DemiBold);
  const QFontMetricsF bold(font);
  const double line = bold.height() + 1;
  QRectF room = box.adjusted(5, 3, -5, 0);
  room.setHeight(line);
  painter.setPen(theme().color(Role::Text));
  const QString size = toQt(shortSizeText(item.bytes));
  if (cell.isFrame) {
    const double side = bold.horizontalAdvance(size) + 10;
    const bool both = room.width() > side + 70;
    painter.setFont(font);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, fittedName(item, bold, room.width() - (both ? side : 0)));
    painter.setFont(textFont(TextRole::Chip));
    if (both) painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter, size);
    return;
  }
  // Numbers are shown whole or not at all.
  const QFont plain = textFont(TextRole::Chip);
  const QFontMetricsF metrics(plain);
  QStringList lines;
  if (cell.merged > 0) {
    lines << tr("%1 more").arg(toQt(groupedText(cell.merged)));
  } else {
    painter.setFont(font);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, fittedName(item, bold, room.width()));
    room.translate(0, line);
    lines << size << toQt(m_page->shareText(cell.item));
  }
  painter.setFont(plain);
  for (const QString& text : lines) {
    if (room.bottom() > box.bottom() + 1 || metrics.horizontalAdvance(text) > room.width()) return;
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, text);
    room.translate(0, line);
  }
}

void TreemapView::paintCell(QPainter& painter, const graph::TreemapCell& cell) const {
  const TreemapPage::Item& item = m_page->items[cell.item];
  const QRectF place(cell.place.x, cell.place.y, cell.place.width, cell.place.height);
  const double gap = std::min(place.width(), place.height()) > 4 ? 1 : 0;
  const QRectF box = place.adjusted(0, 0, -gap, -gap);
  const TreemapPage::Kind kind = cell.merged > 0 ? TreemapPage::Kind::Tables : item.kind;
  painter.setOpacity(isPale(cell) ? kPaleCell : 1);
  painter.fillRect(box, theme().color(Role::Base));
  painter.fillRect(box, fillOf(kind, cell.isFrame));
  if (kind == TreemapPage::Kind::Unnamed && !cell.isFrame) {
    painter.fillRect(box, QBrush(tint(Role::KindUnknown, 0.55), Qt::BDiagPattern));
  }
  if (cell.isFrame) {
    painter.setPen(tint(roleOf(kind), 0.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
  }
  paintWords(painter, cell, box);
  painter.setOpacity(1);
}

void TreemapView::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  painter.setLayoutDirection(layoutDirection());
  painter.fillRect(rect(), theme().color(Role::Base));
  const QRectF dirty = event->rect();
  for (const graph::TreemapCell& cell : m_cells)
    if (dirty.intersects(QRectF(cell.place.x, cell.place.y, cell.place.width, cell.place.height)))
      paintCell(painter, cell);
  if (const auto cell = currentCell()) {
    const graph::Rect& box = m_cells[*cell].place;
    painter.setPen(QPen(theme().color(Role::Accent), hasFocus() ? 2 : 1.4));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(box.x, box.y, box.width - 1, box.height - 1).adjusted(0.5, 0.5, -0.5, -0.5));
  }
}

} // namespace blobscope::ui
