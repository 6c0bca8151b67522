#include "ui/widgets/hex/hex_view.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "ui/text/plain_text.h"
#include "ui/theme/content_text.h"
#include "ui/widgets/hex/hex_accessible.h"
#include "ui/widgets/hex/hex_painter.h"

#include <QAction>
#include <QContextMenuEvent>
#include <QFontMetricsF>
#include <QHelpEvent>
#include <QMenu>
#include <QPainter>
#include <QPromise>
#include <QThreadPool>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>

namespace blobscope::ui {
namespace {

constexpr double kOffsetGap = 14, kByteGap = 6.5, kTextGap = 10;
/// Segments of larger trees are built in another thread; 1,000,000 rows take 16 ms.
constexpr std::size_t kRowsAtOnce = 200'000;

/// "data = (\n    b"\x03\x40"\n)", sixteen bytes a line.
QString pythonBytes(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::size_t kInLine = 16;
  std::string out;
  out.reserve(bytes.size() * 5 + 64);
  out = "data = (\n";
  for (std::size_t i = 0; i < bytes.size() || i == 0; i += kInLine) {
    out += "    b\"";
    for (const char c : bytes.substr(i, kInLine)) {
      const auto byte = static_cast<uint8_t>(c);
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
    out += "\"\n";
  }
  out += ")\n";
  return QString::fromLatin1(out.data(), static_cast<qsizetype>(out.size()));
}

} // namespace

Role fieldRoleColor(FieldRole role) {
  switch (role) {
  case FieldRole::Length: return Role::FieldLength;
  case FieldRole::Text: return Role::FieldText;
  case FieldRole::TypeKey: return Role::FieldTypeKey;
  case FieldRole::Number: return Role::FieldNumber;
  case FieldRole::Offset: return Role::FieldOffset;
  case FieldRole::TypeCode: return Role::FieldTypeCode;
  case FieldRole::Payload: return Role::FieldPayload;
  case FieldRole::Unknown: return Role::Error;
  case FieldRole::Padding:
  case FieldRole::Structure: break;
  }
  return Role::FieldPadding;
}

QString fieldRoleName(FieldRole role) {
  switch (role) {
  case FieldRole::Length: return HexView::tr("length or count");
  case FieldRole::Text: return HexView::tr("text");
  case FieldRole::TypeKey: return HexView::tr("type key");
  case FieldRole::Number: return HexView::tr("number");
  case FieldRole::Offset: return HexView::tr("offset or reference");
  case FieldRole::TypeCode: return HexView::tr("type code");
  case FieldRole::Padding: return HexView::tr("padding");
  case FieldRole::Payload: return HexView::tr("payload");
  case FieldRole::Unknown: return HexView::tr("unknown");
  case FieldRole::Structure: break;
  }
  return HexView::tr("structure");
}

HexView::HexView(QWidget* parent)
    : RowView(
          nullptr,
          [this] {
            viewport()->update();
            emitChanges();
          },
          parent) {
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  viewport()->setMouseTracking(true);
  connect(&m_building, &QFutureWatcherBase::finished, this, [this] {
    if (!m_building.future().isResultReadyAt(0)) return;
    m_segments = m_building.result();
    viewport()->update();
  });
  measure();
  setBytes({});
}

HexView::~HexView() = default;

QAccessibleInterface* HexView::makeAccessible() { return new HexViewAccessible(this); }

void HexView::setBytes(Bytes bytes) {
  m_bytes = std::move(bytes);
  m_base = m_bytes.offset().value_or(0);
  m_lead = m_base % kColumns;
  m_hits.reset();
  m_currentHit.reset();
  m_damage.reset();
  m_opened = Bytes();
  m_marks.clear();
  m_typed.clear();
  m_halfTyped.reset();
  m_cursor = m_anchor = 0;
  m_reported.reset();
  m_reportedVisible.reset();
  setFields(nullptr);
  measure();
  m_scroll.setTop(0);
  updateRange();
  emitChanges();
}

void HexView::setOwners(std::vector<Owner> owners) {
  m_owners = std::move(owners);
  viewport()->update();
}

void HexView::setFields(std::shared_ptr<const FieldTree> fields, std::shared_ptr<const FieldSegments> segments) {
  m_building.setFuture({});
  m_fields = std::move(fields);
  m_segments = std::move(segments);
  m_field.reset();
  m_hover.reset();
  viewport()->update();
  if (!m_fields || m_segments) return;
  if (m_fields->rows.size() <= kRowsAtOnce) {
    m_segments = std::make_shared<FieldSegments>(*m_fields);
    return;
  }
  const auto promise = std::make_shared<QPromise<std::shared_ptr<const FieldSegments>>>();
  m_building.setFuture(promise->future());
  promise->start();
  QThreadPool::globalInstance()->start([promise, tree = m_fields] {
    // If memory runs out, there is no result, and the bytes are shown without fields.
    const auto done = withinMemory([&]() -> Result<Done> {
      promise->addResult(std::make_shared<const FieldSegments>(*tree));
      return Done{};
    });
    (void)done;
    promise->finish();
  });
}

void HexView::setDamage(std::optional<Extent> damage) {
  m_damage = damage;
  viewport()->update();
}

// ---------------------------------------------------------------------------------------------- geometry

void HexView::remeasure() {
  measure();
  updateRange();
}

void HexView::measure() {
  m_font = contentFont(TextRole::Code);
  m_headFont = contentFont(TextRole::Chip);
  m_headFont.setWeight(QFont::Normal);
  m_headCodeFont = m_font;
  if (m_headFont.pixelSize() > 0)
    m_headCodeFont.setPixelSize(m_headFont.pixelSize());
  else
    m_headCodeFont.setPointSizeF(m_headFont.pointSizeF());

  m_glyphs.setFont(m_font);
  const QFontMetricsF metrics(m_font);
  Geometry& g = m_geometry;
  g.cell = metrics.horizontalAdvance(QString(64, QLatin1Char('0'))) / 64;
  g.row = std::max(metrics::kHexLine, static_cast<int>(std::ceil(metrics.height())) + 6);
  g.baseline = static_cast<int>(std::round((g.row - 4 - metrics.height()) / 2 + metrics.ascent())) + 2;
  const uint64_t last = m_base + m_bytes.size();
  g.digits = 8;
  while (g.digits < 16 && last >> (4 * g.digits) != 0) g.digits += 2;
  g.left = kLeft + (m_whyNot ? kMarkWidth : 0);
  g.bytes = g.left + g.digits * g.cell + kOffsetGap;
  g.step = 2 * g.cell + kByteGap;
  g.text = g.bytes + kColumns * g.step + kGroupGap + kTextGap;
  g.width = g.text + kColumns * g.cell + kLeft;
}

void HexView::updateRange() {
  const QSize size = viewport()->size();
  const int rows = (size.height() - kTop) / m_geometry.row;
  m_scroll.setRange(rowCount(), static_cast<uint64_t>(std::max(rows, 1)));
  horizontalScrollBar()->setRange(0, std::max(0, static_cast<int>(std::ceil(m_geometry.width)) - size.width()));
  horizontalScrollBar()->setPageStep(size.width());
  horizontalScrollBar()->setSingleStep(static_cast<int>(m_geometry.step));
  viewport()->update();
}

Extent HexView::visibleBytes() const {
  const uint64_t start = m_scroll.top() * kColumns;
  const uint64_t from = std::min(start > m_lead ? start - m_lead : 0, m_bytes.size());
  const uint64_t span = m_scroll.visible() * kColumns - (start < m_lead ? m_lead - start : 0);
  return {from, std::min(span, m_bytes.size() - from)};
}

std::optional<uint64_t> HexView::offsetAt(QPointF point, bool nearest) const {
  if (m_bytes.empty()) return std::nullopt;
  const double x = point.x() + horizontalScrollBar()->value();
  const Geometry& g = m_geometry;
  int column = 0;
  bool inside = point.y() >= kTop - 3;
  if (x >= g.text - kTextGap / 2) {
    column = static_cast<int>((x - g.text) / g.cell);
    inside = inside && x >= g.text && column < kColumns;
  } else {
    const double half = g.byteX(8) - kGroupGap;
    column = static_cast<int>((x - g.bytes + kByteGap / 2 - (x >= half ? kGroupGap : 0)) / g.step);
    inside = inside && x >= g.bytes - kByteGap && column < kColumns;
  }
  const double row = static_cast<double>(m_scroll.top()) + std::floor((point.y() - kTop) / g.row);
  if (!nearest && (!inside || row < 0 || row >= static_cast<double>(rowCount()))) return std::nullopt;
  const auto boundRow = static_cast<uint64_t>(std::clamp(row, 0.0, static_cast<double>(rowCount() - 1)));
  const uint64_t place = boundRow * kColumns + static_cast<uint64_t>(std::clamp(column, 0, kColumns - 1));
  if (!nearest && (place < m_lead || place - m_lead >= m_bytes.size())) return std::nullopt;
  return std::min(place > m_lead ? place - m_lead : 0, m_bytes.size() - 1);
}

QRectF HexView::byteRect(uint64_t offset) const {
  const auto row = static_cast<double>(rowOf(offset)) - static_cast<double>(m_scroll.top());
  const double left = m_geometry.byteX(columnOf(offset)) - horizontalScrollBar()->value();
  return {left, kTop + row * m_geometry.row, 2 * m_geometry.cell, static_cast<double>(m_geometry.row)};
}

// ---------------------------------------------------------------------------------------------- fields and selection

std::optional<uint32_t> HexView::fieldAt(uint64_t offset) const {
  if (!m_segments || offset >= m_bytes.size()) return std::nullopt;
  const FieldSegments::Segment segment = m_segments->at(offset);
  if (segment.row == FieldSegments::kNoRow || !segment.bytes.contains(offset)) return std::nullopt;
  return segment.row;
}

QString HexView::describe(quint64 offset) const {
  if (offset >= m_bytes.size()) return tr("no bytes");
  const auto digits = [](uint8_t byte) { return hexDigits(std::string(1, static_cast<char>(byte))); };
  const std::string place = hexText(fileOffset(offset)) + ", " + digits(byteAt(offset));
  QString out = toQt(place);
  if (const std::optional<uint32_t> row = fieldAt(offset)) {
    const QString path = toQt(m_fields->shownPath(*row));
    out += tr(", field %1, %2").arg(path, fieldRoleName(m_segments->at(offset).role));
  } else if (m_segments) {
    out += tr(", no field");
  }
  if (m_damage && m_damage->contains(offset)) out += tr(", damaged");
  if (const auto opened = openedByte(offset)) out += tr(", changed, was %1").arg(toQt(digits(*opened)));
  for (const Mark& mark : m_marks)
    if (mark.bytes.contains(offset))
      out += mark.isNote ? tr(", note: %1").arg(mark.text) : tr(", bookmark %1").arg(mark.text);
  return out;
}

Extent HexView::selection() const {
  if (m_bytes.empty()) return {};
  const Extent between = RowView::selection();
  return {between.offset, between.size + 1}; // the cursor is on a byte
}

void HexView::setSelection(uint64_t anchor, uint64_t cursor, std::optional<uint32_t> field) {
  if (m_bytes.empty()) return;
  m_halfTyped.reset();
  m_anchor = std::min(anchor, m_bytes.size() - 1);
  m_cursor = std::min(cursor, m_bytes.size() - 1);
  m_field = field;
  viewport()->update();
  emitChanges();
}

void HexView::reveal(uint64_t offset) {
  m_scroll.reveal(rowOf(offset));
  const QRectF rect = byteRect(offset);
  QScrollBar* const bar = horizontalScrollBar();
  const int left = static_cast<int>(rect.left()), right = static_cast<int>(rect.right()), width = viewport()->width();
  if (left < 0) bar->setValue(bar->value() + left - kLeft);
  if (right > width) bar->setValue(bar->value() + right - width + kLeft);
}

void HexView::goTo(quint64 offset) {
  setSelection(offset, offset);
  reveal(m_cursor);
}

void HexView::select(quint64 offset, quint64 size) {
  selectBytes({offset, size}, std::nullopt);
  reveal(m_cursor);
}

void HexView::selectBytes(Extent wanted, std::optional<uint32_t> field) {
  if (m_bytes.empty()) return;
  const uint64_t from = std::min(wanted.offset, m_bytes.size() - 1);
  const uint64_t count = std::min(std::max<uint64_t>(wanted.size, 1), m_bytes.size() - from);
  // The cursor is at the start, so that moving continues from there.
  setSelection(from + count - 1, from, field);
}

void HexView::selectField(uint32_t row, bool activate) {
  if (!m_fields || row >= m_fields->rows.size()) return;
  const Field& field = m_fields->rows[row];
  selectBytes({field.offset, field.size}, row);
  reveal(m_cursor);
  if (activate) Q_EMIT fieldActivated(row);
}

void HexView::selectAll() {
  if (!m_bytes.empty()) setSelection(0, m_bytes.size() - 1);
}

void HexView::activateAt(uint64_t offset) {
  const std::optional<uint32_t> row = fieldAt(offset);
  if (!row) {
    goTo(offset);
    return;
  }
  const Field& field = m_fields->rows[*row];
  selectBytes({field.offset, field.size}, row); // without scrolling: the user is looking at it
  Q_EMIT fieldActivated(*row);
}

void HexView::moveField(int by) {
  if (!m_segments) return;
  const std::size_t at = m_segments->indexAt(m_cursor);
  const uint32_t row = m_segments->segment(at).row;
  // Goes to the next segment of another field.
  for (std::size_t i = at; by > 0 ? i + 1 < m_segments->count() : i > 0;) {
    by > 0 ? ++i : --i;
    const FieldSegments::Segment segment = m_segments->segment(i);
    if (segment.row == row || segment.row == FieldSegments::kNoRow) continue;
    selectField(segment.row, true);
    return;
  }
}

void HexView::emitChanges() {
  const Extent selected = selection(), visible = visibleBytes();
  if (m_reportedVisible != visible) {
    m_reportedVisible = visible;
    Q_EMIT visibleBytesChanged(visible.offset, visible.size);
  }
  if (m_reported == selected) return;
  m_reported = selected;
  Q_EMIT selectionChanged(selected.offset, selected.size);
  notifyAccessibility();
}

// ---------------------------------------------------------------------------------------------- copying, finds

QString HexView::textOf(Extent bytes, CopyForm form) const {
  std::string shown;
  if (!m_typed.empty())
    for (uint64_t i = 0; i < bytes.size; ++i) shown += static_cast<char>(byteAt(bytes.offset + i));
  const std::string_view view = m_typed.empty() ? m_bytes.slice(bytes.offset, bytes.size).view() : shown;
  if (form == CopyForm::Characters) return wholeToQt(view);
  if (form == CopyForm::Python) return pythonBytes(view);
  constexpr std::string_view kDigits = "0123456789abcdef";
  const bool array = form == CopyForm::CArray;
  std::string out;
  out.reserve(view.size() * (array ? 6 : 3) + 64);
  if (array) out = "static const unsigned char bytes[" + std::to_string(view.size()) + "] = {\n    ";
  for (std::size_t i = 0; i < view.size(); ++i) {
    const auto byte = static_cast<uint8_t>(view[i]);
    if (i > 0) out += i % kColumns == 0 ? (array ? ",\n    " : "\n") : (array ? ", " : " ");
    if (array) out += "0x";
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  if (array) out += "};\n";
  return QString::fromLatin1(out.data(), static_cast<qsizetype>(out.size()));
}

bool HexView::copy(CopyForm form) {
  const Extent selected = selection();
  const uint64_t characters = form == CopyForm::Hex      ? 3
                              : form == CopyForm::CArray ? 6
                              : form == CopyForm::Python ? 5
                                                         : 1;
  return selected.size > 0 && copyText(selected.size * characters, [&] { return textOf(selected, form); });
}

void HexView::showHits(std::shared_ptr<const FindHits> hits, std::optional<std::size_t> current) {
  m_hits = std::move(hits);
  m_currentHit = current;
  viewport()->update();
}

// ---------------------------------------------------------------------------------------------- events

bool HexView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Leave && m_hover) {
    m_hover.reset();
    viewport()->update();
  }
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const std::optional<uint64_t> offset = offsetAt(help->pos(), false);
    const std::optional<uint32_t> row = offset ? fieldAt(*offset) : std::nullopt;
    const bool isMarked = offset && (openedByte(*offset) || std::ranges::any_of(m_marks, [&](const Mark& mark) {
                                       return mark.bytes.contains(*offset);
                                     }));
    if (isMarked) {
      QToolTip::showText(help->globalPos(), plainTip(describe(*offset)), viewport());
      return true;
    }
    if (!row) {
      QToolTip::hideText();
      return true;
    }
    const Field& field = m_fields->rows[*row];
    const std::string value = m_fields->value(*row, 60);
    const QString text = tr("%1%2, %3 at %4")
                             .arg(toQt(m_fields->shownPath(*row)), value.empty() ? QString() : tr(" = ") + toQt(value),
                                  toQt(sizeText(field.size)), toQt(hexText(fileOffset(field.offset))));
    QToolTip::showText(help->globalPos(), plainTip(text), viewport());
    return true;
  }
  return RowView::viewportEvent(event);
}

void HexView::contextMenuEvent(QContextMenuEvent* event) {
  QMenu* const menu = makeMenu();
  menu->addAction(tr("Copy as hex"), QKeySequence::Copy, this, [this] { copy(CopyForm::Hex); });
  menu->addAction(tr("Copy as characters"), this, [this] { copy(CopyForm::Characters); });
  menu->addAction(tr("Copy as C array"), this, [this] { copy(CopyForm::CArray); });
  menu->addAction(tr("Copy as Python bytes"), this, [this] { copy(CopyForm::Python); });
  for (QAction* action : menu->actions()) action->setEnabled(!m_bytes.empty());
  menu->addSeparator();
  if (m_whyNot) {
    menu->addAction(tr("Paste hex over the bytes"), QKeySequence::Paste, this, &HexView::paste);
    QAction* const characters = menu->addAction(tr("Type characters"), this, [this](bool on) {
      m_typesText = on;
      m_halfTyped.reset();
      viewport()->update();
    });
    characters->setCheckable(true);
    characters->setChecked(m_typesText);
  }
  menu->addAction(tr("Select all"), QKeySequence::SelectAll, this, &HexView::selectAll);
  popUp(menu, *event, byteRect(m_cursor).bottomLeft().toPoint());
}

void HexView::keyPressEvent(QKeyEvent* event) {
  if (handleEditKey(*event) || handleTyping(*event)) return;
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  const std::optional<CaretKey> key = m_bytes.empty() ? std::nullopt : caretKey(*event);
  const std::optional<uint64_t> to = key ? moved(key->motion) : std::nullopt;
  if (!m_bytes.empty() && enter) {
    activateAt(m_cursor);
  } else if (to) {
    const auto page = static_cast<int64_t>(m_scroll.visible());
    m_scroll.moveBy(key->motion == Motion::PageUp ? -page : key->motion == Motion::PageDown ? page : 0);
    setSelection(key->extend ? m_anchor : *to, *to);
    reveal(m_cursor);
  } else if (key && !key->extend && m_segments) {
    moveField(key->motion == Motion::WordRight ? 1 : -1);
  } else {
    RowView::keyPressEvent(event);
  }
}

std::optional<uint64_t> HexView::moved(Motion motion) const {
  const uint64_t last = m_bytes.size() - 1, at = m_cursor;
  const uint64_t page = m_scroll.visible() * kColumns;
  const auto back = [at](uint64_t by) { return at > by ? at - by : 0; };
  const auto on = [at, last](uint64_t by) { return by < last - at ? at + by : last; };
  const auto column = static_cast<uint64_t>(columnOf(at));
  switch (motion) {
  case Motion::Left: return back(1);
  case Motion::Right: return on(1);
  case Motion::Up: return at >= kColumns ? at - kColumns : at;
  case Motion::Down: return last - at >= kColumns ? at + kColumns : at;
  case Motion::PageUp: return back(page);
  case Motion::PageDown: return on(page);
  case Motion::LineStart: return back(column);
  case Motion::LineEnd: return on(kColumns - 1 - column);
  case Motion::Start: return 0;
  case Motion::End: return last;
  case Motion::WordLeft:
  case Motion::WordRight: break;
  }
  return std::nullopt;
}

void HexView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const std::optional<uint64_t> offset = offsetAt(event->position(), false);
  if (!offset) return;
  if (event->modifiers() & Qt::ShiftModifier) {
    setSelection(m_anchor, *offset);
    return;
  }
  m_typesText = event->position().x() + horizontalScrollBar()->value() >= m_geometry.text - kTextGap / 2;
  m_pressed = offset;
  m_dragged = false;
  activateAt(*offset);
}

void HexView::mouseMoveEvent(QMouseEvent* event) {
  if (!(event->buttons() & Qt::LeftButton) || !m_pressed) {
    const std::optional<uint64_t> offset = offsetAt(event->position(), false);
    const std::optional<uint32_t> hover = offset ? fieldAt(*offset) : std::nullopt;
    if (hover == m_hover) return;
    m_hover = hover;
    viewport()->update();
    return;
  }
  const std::optional<uint64_t> offset = offsetAt(event->position(), true);
  if (!offset || (*offset == *m_pressed && !m_dragged)) return;
  m_dragged = true;
  setSelection(*m_pressed, *offset);
  followDrag(event->position());
}

void HexView::mouseReleaseEvent(QMouseEvent*) {
  m_pressed.reset();
  endDrag();
}

void HexView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.setLayoutDirection(layoutDirection());
  HexPainter(*this, painter).paint();
}

void HexView::resizeEvent(QResizeEvent*) {
  updateRange();
  emitChanges();
}

void HexView::dragged(QPoint point) {
  scrollTowards(point.y(), kTop, viewport()->height(), m_geometry.row);
  if (const std::optional<uint64_t> offset = offsetAt(point, true); offset && m_pressed)
    setSelection(*m_pressed, *offset);
}

} // namespace blobscope::ui
