#include "ui/widgets/charts/memory_chart.h"

#include "core/base/text.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/widgets/charts/axis.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace blobscope::ui {
namespace {

using view::PlanPage;

constexpr int kChartNames = 178, kChartEnd = 16, kChartHead = 30, kChartPlot = 158, kChartStrip = 22, kChartAxis = 26;
constexpr int kStorageHead = 28, kStorageRow = 30, kMostStorages = 40;

QString numberText(uint64_t value) { return toQt(groupedText(value)); }
QString amountText(uint64_t bytes) { return toQt(shortSizeText(bytes)); }

/// The colour mixed into the base, so that text is readable on it.
QColor tint(Role role, double strength) {
  const QColor over = theme().color(role), under = theme().color(Role::Base);
  const auto mix = [&](int a, int b) { return static_cast<int>(std::lround(a * strength + b * (1 - strength))); };
  return {mix(over.red(), under.red()), mix(over.green(), under.green()), mix(over.blue(), under.blue())};
}

bool isConstant(PlanPage::Kind kind) { return kind != PlanPage::Kind::InUse && kind != PlanPage::Kind::Reserved; }

} // namespace

MemoryChart::MemoryChart(QWidget* parent) : QWidget(parent) {
  setLayoutDirection(Qt::LeftToRight); // an axis of instructions
  installAccessibleBars();
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Memory over the instructions"));
}

Role MemoryChart::roleOf(PlanPage::Kind kind) {
  switch (kind) {
  case PlanPage::Kind::Weights: return Role::KindData;
  case PlanPage::Kind::Constants: return Role::KindContainer;
  case PlanPage::Kind::Arguments: return Role::KindDevice;
  case PlanPage::Kind::Cache: return Role::KindVm;
  default: return Role::KindHost;
  }
}

QString MemoryChart::textOf(const PlanPage::Part& part) {
  return tr("%1, %2").arg(coreText(part.name), part.bytes ? amountText(*part.bytes) : tr("not known"));
}

void MemoryChart::fill(QPainter& painter, const QRectF& place, PlanPage::Kind kind) {
  const bool hatched = kind == PlanPage::Kind::Reserved;
  painter.fillRect(place, tint(roleOf(kind), hatched ? 0.12 : 0.55));
  if (hatched) painter.fillRect(place, QBrush(tint(roleOf(kind), 0.45), Qt::BDiagPattern));
}

void MemoryChart::setPlan(view::PlanPagePtr plan) {
  const bool same = m_plan && m_plan->function == plan->function;
  m_plan = std::move(plan);
  if (!same || m_storage >= rows()) m_storage = -1;
  m_marked = same ? std::min(m_marked, m_plan->instructions) : m_plan->peakAt;
  describe();
  updateGeometry();
  update();
}

void MemoryChart::setToScale(bool toScale) {
  m_toScale = toScale;
  updateGeometry();
  update();
}

void MemoryChart::describe() {
  constexpr std::size_t kSpoken = 40;
  QStringList words = {tr("Peak of %1: %2 at instruction %3")
                           .arg(toQt(m_plan->function), amountText(m_plan->peak), numberText(m_plan->peakAt))};
  for (const PlanPage::Part& part : m_plan->parts) words << textOf(part);
  for (std::size_t i = 0; i < std::min(m_plan->storages.size(), kSpoken); ++i)
    words << storageText(static_cast<int>(i));
  setAccessibleDescription(plainLines(words.join(QStringLiteral("; "))));
}

std::vector<PlanPage::Part> MemoryChart::constantParts() const {
  std::vector<PlanPage::Part> out;
  if (m_plan)
    std::ranges::copy_if(m_plan->parts, std::back_inserter(out),
                         [](const PlanPage::Part& part) { return isConstant(part.kind); });
  std::ranges::reverse(out);
  return out;
}

int MemoryChart::rows() const {
  return m_plan ? static_cast<int>(std::min<std::size_t>(m_plan->storages.size(), kMostStorages)) : 0;
}

QRectF MemoryChart::plot() const {
  return QRectF(kChartNames, kChartHead, std::max(40, width() - kChartNames - kChartEnd), kChartPlot);
}
int MemoryChart::stripsTop() const { return kChartHead + kChartPlot + 6; }
int MemoryChart::storagesTop() const {
  const auto strips = m_toScale ? 0 : static_cast<int>(constantParts().size());
  return stripsTop() + strips * kChartStrip + kChartAxis;
}

QSize MemoryChart::sizeHint() const {
  const bool more = m_plan && m_plan->storages.size() > kMostStorages;
  return {900, storagesTop() + kStorageHead + (rows() + more) * kStorageRow + 8};
}
QSize MemoryChart::minimumSizeHint() const { return {420, sizeHint().height()}; }

double MemoryChart::xOf(uint64_t instruction) const {
  const QRectF place = plot();
  const double all = std::max<double>(1, static_cast<double>(m_plan->instructions));
  return place.left() + std::min(1.0, static_cast<double>(instruction) / all) * place.width();
}

uint64_t MemoryChart::instructionAt(double x) const {
  const QRectF place = plot();
  const double share = std::clamp((x - place.left()) / place.width(), 0.0, 1.0);
  return static_cast<uint64_t>(share * static_cast<double>(m_plan->instructions));
}

int MemoryChart::storageAt(QPoint place) const {
  const int row = place.y() - storagesTop() - kStorageHead;
  return row >= 0 && row / kStorageRow < rows() ? row / kStorageRow : -1;
}

uint64_t MemoryChart::base() const {
  uint64_t sum = 0;
  if (m_toScale)
    for (const PlanPage::Part& part : constantParts()) sum += std::min(part.bytes.value_or(0), UINT64_MAX - sum);
  return sum;
}

double MemoryChart::yOf(uint64_t bytes) const {
  const QRectF place = plot();
  const double most = std::max(1.0, static_cast<double>(base()) + static_cast<double>(m_plan->reserved)) * 1.04;
  return place.bottom() - static_cast<double>(bytes) / most * place.height();
}

QString MemoryChart::stepText(uint64_t instruction) const {
  const auto after = std::ranges::upper_bound(m_plan->steps, instruction, std::less<>(), &PlanPage::Step::instruction);
  const PlanPage::Step step = after == m_plan->steps.begin() ? PlanPage::Step() : *(after - 1);
  return tr("Instruction %1: %2 reserved by storages, %3 in use")
      .arg(numberText(instruction), amountText(step.reserved), amountText(step.inUse));
}

QString MemoryChart::storageText(int storage) const {
  const PlanPage::Storage& one = m_plan->storages[static_cast<std::size_t>(storage)];
  QString text = tr("%1: %2, instructions %3 to %4")
                     .arg(toQt(one.name), one.bytes ? bytesText(*one.bytes) : tr("depends on %1").arg(toQt(one.size)),
                          numberText(one.first), numberText(one.last));
  text += QStringLiteral(", ") + tr("%n tensor(s)", nullptr, pluralCount(one.uses.size()));
  return one.holds.empty() ? text : text + QStringLiteral(", ") + toQt(one.holds);
}

QString MemoryChart::currentText() const {
  if (!m_plan) return {};
  return m_storage >= 0 ? storageText(m_storage) : stepText(m_marked);
}

QRect MemoryChart::barRect(int bar) const {
  return {0, storagesTop() + kStorageHead + bar * kStorageRow, width(), kStorageRow};
}

void MemoryChart::select(int storage) {
  m_storage = storage;
  update();
  QAccessibleValueChangeEvent changed(this, currentText());
  QAccessible::updateAccessibility(&changed);
  if (storage >= 0) Q_EMIT described(storageText(storage));
  Q_EMIT storageSelected(storage);
}

void MemoryChart::mark(uint64_t instruction) {
  m_marked = std::min(instruction, m_plan->instructions);
  update();
  QAccessibleValueChangeEvent changed(this, stepText(m_marked));
  QAccessible::updateAccessibility(&changed);
  Q_EMIT described(stepText(m_marked));
}

bool MemoryChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !m_plan) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const QRectF place = plot();
  const int storage = storageAt(help->pos());
  QString text;
  if (storage >= 0)
    text = storageText(storage);
  else if (help->pos().x() >= place.left() && help->pos().y() < storagesTop())
    text = stepText(instructionAt(help->pos().x()));
  QToolTip::showText(help->globalPos(), plainTip(text), this);
  return true;
}

void MemoryChart::mousePressEvent(QMouseEvent* event) {
  if (!m_plan || event->button() != Qt::LeftButton) return;
  const int storage = storageAt(event->pos());
  if (storage >= 0)
    select(storage);
  else if (event->pos().x() >= kChartNames && event->pos().y() < storagesTop())
    mark(instructionAt(event->pos().x()));
}

void MemoryChart::keyPressEvent(QKeyEvent* event) {
  if (!m_plan) return QWidget::keyPressEvent(event);
  const uint64_t step = event->modifiers() & Qt::ControlModifier ? std::max<uint64_t>(1, m_plan->instructions / 20) : 1;
  switch (event->key()) {
  case Qt::Key_Left: return mark(m_marked - std::min(step, m_marked));
  case Qt::Key_Right: return mark(m_marked + step);
  case Qt::Key_Home: return mark(0);
  case Qt::Key_End: return mark(m_plan->peakAt);
  case Qt::Key_Down:
    if (m_storage + 1 < rows()) select(m_storage + 1);
    return;
  case Qt::Key_Up:
    if (m_storage > 0) select(m_storage - 1);
    return;
  default: return QWidget::keyPressEvent(event);
  }
}

void MemoryChart::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  update();
}

void MemoryChart::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

void MemoryChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setLayoutDirection(layoutDirection());
  painter.fillRect(rect(), theme().color(Role::Base));
  if (!m_plan) return;
  painter.setFont(textFont(TextRole::Heading));
  painter.setPen(theme().color(Role::Text));
  painter.drawText(QRect(12, 0, kChartNames + 200, kChartHead - 6), Qt::AlignLeft | Qt::AlignVCenter,
                   tr("Memory over the instructions"));
  paintAxes(painter);
  paintAmounts(painter);
  paintStrips(painter);
  paintStorages(painter);
  paintPeak(painter);
  if (!hasFocus()) return;
  painter.setPen(QPen(theme().color(Role::Accent), 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
}

void MemoryChart::paintAxes(QPainter& painter) const {
  const QRectF place = plot();
  painter.setFont(textFont(TextRole::Secondary));
  // Lines at multiples of a power of two, so that the texts are short.
  const double most = static_cast<double>(base()) + static_cast<double>(m_plan->reserved);
  double step = 1;
  while (step * 4 < most) step *= 2;
  for (double at = 0; at <= most * 1.04; at += step) {
    const double y = yOf(static_cast<uint64_t>(at));
    painter.setPen(theme().color(Role::Rule));
    painter.drawLine(QPointF(place.left(), y), QPointF(place.right(), y));
    painter.setPen(theme().color(Role::Secondary));
    painter.drawText(QRectF(0, y - 10, kChartNames - 12, 20), Qt::AlignRight | Qt::AlignVCenter,
                     amountText(static_cast<uint64_t>(at)));
  }
  const double foot = storagesTop() - kChartAxis + 4;
  painter.drawText(QRectF(0, foot, kChartNames - 12, 18), Qt::AlignRight | Qt::AlignVCenter, tr("instruction"));
  const auto last = static_cast<double>(m_plan->instructions);
  for (const double at : axisTicks(0, std::max(1.0, last), std::max(1, static_cast<int>(place.width() / 110)))) {
    if (at != std::floor(at)) continue;
    const double x = xOf(static_cast<uint64_t>(at));
    painter.drawLine(QPointF(x, foot - 3), QPointF(x, foot + 1));
    const double left = std::min(x - 40, width() - 82.0);
    painter.drawText(QRectF(left, foot + 1, 80, 18), Qt::AlignHCenter | Qt::AlignVCenter,
                     numberText(static_cast<uint64_t>(at)));
  }
}

/// The amounts by column of pixels, the largest of each.
void MemoryChart::paintAmounts(QPainter& painter) const {
  const QRectF place = plot();
  const auto columns = static_cast<std::size_t>(place.width());
  std::vector<uint64_t> reserved(columns + 1), used(columns + 1);
  for (std::size_t i = 0; i < m_plan->steps.size(); ++i) {
    const PlanPage::Step& step = m_plan->steps[i];
    const uint64_t end = i + 1 < m_plan->steps.size() ? m_plan->steps[i + 1].instruction : m_plan->instructions;
    const auto from = static_cast<std::size_t>(xOf(step.instruction) - place.left());
    const auto to = std::max(from, static_cast<std::size_t>(xOf(end) - place.left()));
    for (std::size_t x = from; x <= std::min(to, columns); ++x) {
      reserved[x] = std::max(reserved[x], step.reserved);
      used[x] = std::max(used[x], step.inUse);
    }
  }
  uint64_t below = 0;
  if (m_toScale)
    for (const PlanPage::Part& part : constantParts()) {
      const uint64_t top = below + part.bytes.value_or(0);
      fill(painter, QRectF(QPointF(place.left(), yOf(top)), QPointF(place.right(), yOf(below))), part.kind);
      below = top;
    }
  const auto areaOf = [&](const std::vector<uint64_t>& amounts) {
    QPolygonF area;
    for (std::size_t x = 0; x <= columns; ++x)
      area << QPointF(place.left() + static_cast<double>(x), yOf(below + amounts[x]));
    return area;
  };
  const QPolygonF top = areaOf(reserved);
  const auto closed = [&](QPolygonF area) {
    area << QPointF(place.right(), yOf(below)) << QPointF(place.left(), yOf(below));
    return area;
  };
  painter.setPen(Qt::NoPen);
  painter.setBrush(tint(Role::KindHost, 0.12));
  painter.drawPolygon(closed(top));
  painter.setBrush(QBrush(tint(Role::KindHost, 0.35), Qt::BDiagPattern));
  painter.drawPolygon(closed(top));
  painter.setBrush(tint(Role::KindHost, 0.62));
  painter.drawPolygon(closed(areaOf(used)));
  painter.setPen(QPen(theme().color(Role::KindHost), 1.5));
  painter.drawPolyline(top);
}

void MemoryChart::paintStrips(QPainter& painter) const {
  if (m_toScale) return;
  const QRectF place = plot();
  // A wavy axis: the strips below have another scale.
  QPainterPath wave(QPointF(place.left() - 14, place.bottom() + 2));
  for (int i = 0; i < 4; ++i) wave.lineTo(place.left() - 10 + 4 * i, place.bottom() + (i % 2 == 0 ? 5 : -1));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme().color(Role::Secondary), 1.2));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(wave);
  painter.setRenderHint(QPainter::Antialiasing, false);
  int top = stripsTop();
  for (const PlanPage::Part& part : constantParts()) {
    const QRectF strip(place.left(), top, place.width(), kChartStrip - 2);
    if (part.bytes)
      fill(painter, strip, part.kind);
    else
      painter.fillRect(strip, QBrush(tint(roleOf(part.kind), 0.5), Qt::Dense6Pattern));
    painter.setFont(textFont(TextRole::Secondary));
    painter.setPen(theme().color(Role::Secondary));
    painter.drawText(QRectF(0, top, kChartNames - 12, kChartStrip - 2), Qt::AlignRight | Qt::AlignVCenter,
                     part.bytes ? amountText(*part.bytes) : tr("not known"));
    painter.setPen(theme().color(Role::Text));
    const QString text =
        part.bytes ? tr("%1, all the time").arg(textOf(part)) : tr("%1: %2").arg(coreText(part.name), toQt(part.note));
    painter.drawText(strip.adjusted(10, 0, -10, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(strip.width()) - 20));
    top += kChartStrip;
  }
}

/// The line at the peak through both plots, and the marked instruction.
void MemoryChart::paintPeak(QPainter& painter) const {
  const QRectF place = plot();
  const double bottom = storagesTop() + kStorageHead + rows() * kStorageRow;
  painter.setRenderHint(QPainter::Antialiasing);
  if (m_marked != m_plan->peakAt) {
    painter.setPen(QPen(theme().color(Role::Secondary), 1, Qt::DashLine));
    painter.drawLine(QPointF(xOf(m_marked), place.top()), QPointF(xOf(m_marked), bottom));
  }
  const QColor accent = theme().color(Role::Accent);
  const double x = xOf(m_plan->peakAt), y = yOf(base() + m_plan->reserved);
  painter.setPen(QPen(accent, 1.5));
  painter.drawLine(QPointF(x, y), QPointF(x, bottom));
  painter.setBrush(theme().color(Role::Base));
  painter.drawEllipse(QPointF(x, y), 4, 4);
  painter.setRenderHint(QPainter::Antialiasing, false);
  QFont bold = textFont(TextRole::Secondary);
  bold.setWeight(QFont::DemiBold);
  painter.setFont(bold);
  const QString text =
      (m_plan->complete ? tr("peak %1, %2 of it in storages") : tr("peak at least %1, %2 of it in storages"))
          .arg(amountText(m_plan->peak), amountText(m_plan->reserved));
  const int wide = painter.fontMetrics().horizontalAdvance(text) + 8;
  const double left = x - wide - 8 > place.left() ? x - wide - 8 : std::min(x + 10, width() - 4.0 - wide);
  const QRectF label(left, y - 20, wide, 18);
  painter.fillRect(label, theme().color(Role::Base));
  painter.drawText(label, Qt::AlignCenter, text);
}

void MemoryChart::paintStorages(QPainter& painter) const {
  int top = storagesTop();
  painter.setPen(theme().color(Role::Rule));
  painter.drawLine(0, top, width(), top);
  painter.setFont(textFont(TextRole::Heading));
  painter.setPen(theme().color(Role::Text));
  const QString title = tr("Storages, largest first");
  const int wide = painter.fontMetrics().horizontalAdvance(title);
  painter.drawText(QRect(12, top + 2, width() - 24, kStorageHead - 2), Qt::AlignLeft | Qt::AlignVCenter, title);
  painter.setFont(textFont(TextRole::Secondary));
  painter.setPen(theme().color(Role::Secondary));
  const int left = std::max(kChartNames + 8, 12 + wide + 12);
  const QRect note(left, top + 2, std::max(0, width() - left - 12), kStorageHead - 2);
  painter.drawText(note, Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(
                       m_plan->storages.empty()
                           ? tr("This function makes no storages.")
                           : tr("Box: from its first to its last instruction; filled: how much of it is in use; below "
                                "the name: the function that fills it most"),
                       Qt::ElideRight, note.width()));
  top += kStorageHead;
  for (int i = 0; i < rows(); ++i, top += kStorageRow)
    paintStorage(painter, m_plan->storages[static_cast<std::size_t>(i)], top, i == m_storage);
  if (m_plan->storages.size() <= kMostStorages) return;
  uint64_t rest = 0;
  for (std::size_t i = kMostStorages; i < m_plan->storages.size(); ++i)
    rest += std::min(m_plan->storages[i].bytes.value_or(0), UINT64_MAX - rest);
  painter.setPen(theme().color(Role::Secondary));
  painter.drawText(
      QRect(12, top, width() - 24, kStorageRow), Qt::AlignLeft | Qt::AlignVCenter,
      tr("%n more storage(s) with %1 together", nullptr, pluralCount(m_plan->storages.size() - kMostStorages))
          .arg(amountText(rest)));
}

void MemoryChart::paintStorage(QPainter& painter, const PlanPage::Storage& storage, int top, bool selected) const {
  const QRect row(0, top, width(), kStorageRow);
  if (selected) painter.fillRect(row, theme().color(hasFocus() ? Role::Selection : Role::InactiveSelection));
  const Role role = storage.isCache ? Role::KindVm : Role::KindHost;
  painter.fillRect(QRect(12, top + 5, 8, 8), tint(role, 0.7));
  painter.setFont(textFont(TextRole::Secondary));
  painter.setPen(theme().color(Role::Text));
  const QString bytes = storage.bytes ? numberText(*storage.bytes) : tr("not known");
  const int wide = painter.fontMetrics().horizontalAdvance(bytes);
  const auto line = [&](const QString& text, int left, int y, int most) {
    painter.drawText(QRect(left, y, most, 15), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text, Qt::ElideMiddle, most));
  };
  line(toQt(storage.name), 26, top + 1, kChartNames - 38 - wide - 6);
  painter.drawText(QRect(0, top + 1, kChartNames - 12, 15), Qt::AlignRight | Qt::AlignVCenter, bytes);
  painter.setPen(theme().color(Role::Secondary));
  line(storage.bytes ? toQt(storage.holds) : tr("depends on %1").arg(toQt(storage.size)), 26, top + 15,
       kChartNames - 38);
  const double left = xOf(storage.first), right = std::max(left + 2, xOf(storage.last));
  const QRectF box(left, top + 4, right - left, kStorageRow - 9);
  painter.fillRect(box, tint(role, 0.14));
  if (storage.bytes && *storage.bytes > 0) paintUses(painter, storage, box, tint(role, 0.75));
  painter.setPen(tint(role, 0.9));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(box);
}

/// What is in use by column of pixels, the largest of each.
void MemoryChart::paintUses(QPainter& painter, const PlanPage::Storage& storage, const QRectF& box,
                            const QColor& color) const {
  const QRectF place = plot();
  const auto columns = static_cast<std::size_t>(place.width()) + 1;
  std::vector<double> shares(columns);
  std::size_t budget = 200'000; // columns; after that, each tensor has one
  for (const PlanPage::Use& use : storage.uses) {
    const double share = std::min(1.0, static_cast<double>(use.bytes) / static_cast<double>(*storage.bytes));
    const auto from = static_cast<std::size_t>(xOf(use.first) - place.left());
    auto to = std::max(from + 1, static_cast<std::size_t>(xOf(use.last + 1) - place.left()));
    if (to - from > budget) to = from + 1;
    budget -= std::min(budget, to - from);
    for (std::size_t x = from; x < std::min(to, columns); ++x) shares[x] = std::max(shares[x], share);
  }
  for (std::size_t from = 0; from < columns;) {
    std::size_t to = from + 1;
    while (to < columns && shares[to] == shares[from]) ++to;
    const double tall = shares[from] > 0 ? std::max(1.0, shares[from] * box.height()) : 0;
    const double left = place.left() + static_cast<double>(from);
    painter.fillRect(QRectF(left, box.bottom() - tall, static_cast<double>(to - from), tall), color);
    from = to;
  }
}

} // namespace blobscope::ui
