#include "ui/widgets/hex/hex_accessible.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"

#include <algorithm>

namespace blobscope::ui {

// ---------------------------------------------------------------------------------------------- a byte

std::optional<uint64_t> HexCellAccessible::offset() const {
  const uint64_t place =
      (m_view->m_scroll.top() + static_cast<uint64_t>(m_row)) * HexView::kColumns + static_cast<uint64_t>(m_column);
  if (place < m_view->m_lead || place - m_view->m_lead >= m_view->m_bytes.size()) return std::nullopt;
  return place - m_view->m_lead;
}

QAccessibleInterface* HexCellAccessible::parent() const { return QAccessible::queryAccessibleInterface(m_view.data()); }

QString HexCellAccessible::text(QAccessible::Text kind) const {
  if (!m_view || (kind != QAccessible::Name && kind != QAccessible::Value)) return {};
  const std::optional<uint64_t> byte = offset();
  return byte ? m_view->describe(*byte) : QString();
}

QRect HexCellAccessible::rect() const {
  if (!isValid()) return {};
  const QRect inside = m_view->byteRect(*offset()).toAlignedRect();
  return {m_view->viewport()->mapToGlobal(inside.topLeft()), inside.size()};
}

QAccessible::State HexCellAccessible::state() const {
  QAccessible::State state;
  state.readOnly = true;
  state.focusable = state.selectable = true;
  if (!isValid()) {
    state.invalid = state.invisible = true;
    return state;
  }
  state.selected = isSelected();
  state.focused = m_view->hasFocus() && m_view->cursor() == *offset();
  return state;
}

bool HexCellAccessible::isSelected() const { return isValid() && m_view->selection().contains(*offset()); }

void* HexCellAccessible::interface_cast(QAccessible::InterfaceType type) {
  return type == QAccessible::TableCellInterface ? static_cast<QAccessibleTableCellInterface*>(this) : nullptr;
}

// ---------------------------------------------------------------------------------------------- the view

HexViewAccessible::HexViewAccessible(HexView* view) : QAccessibleWidget(view, QAccessible::Table) {}

HexViewAccessible::~HexViewAccessible() {
  for (const QAccessible::Id id : m_cells)
    if (id != 0) QAccessible::deleteAccessibleInterface(id);
}

HexView& HexViewAccessible::view() const { return *static_cast<HexView*>(object()); }

void* HexViewAccessible::interface_cast(QAccessible::InterfaceType type) {
  if (type == QAccessible::TableInterface) return static_cast<QAccessibleTableInterface*>(this);
  return QAccessibleWidget::interface_cast(type);
}

QString HexViewAccessible::text(QAccessible::Text kind) const {
  if (kind == QAccessible::Value) return view().describe(view().cursor());
  QString own = QAccessibleWidget::text(kind);
  if (kind == QAccessible::Name && own.isEmpty()) return HexView::tr("Bytes");
  if (kind == QAccessible::Description && own.isEmpty()) {
    const Extent selected = view().selection();
    if (selected.size > 1)
      return HexView::tr("%1 selected at %2")
          .arg(toQt(sizeText(selected.size)), toQt(hexText(view().fileOffset(selected.offset))));
  }
  return own;
}

QAccessible::State HexViewAccessible::state() const {
  QAccessible::State state = QAccessibleWidget::state();
  state.readOnly = true;
  state.extSelectable = true;
  return state;
}

int HexViewAccessible::rowCount() const {
  const HexView& hex = view();
  const uint64_t rows = hex.rowCount(), top = hex.m_scroll.top();
  return static_cast<int>(std::min(hex.m_scroll.visible(), rows - std::min(top, rows)));
}

QAccessibleInterface* HexViewAccessible::child(int index) const {
  if (index < 0 || index >= childCount()) return nullptr;
  const auto at = static_cast<std::size_t>(index);
  if (m_cells.size() <= at) m_cells.resize(static_cast<std::size_t>(childCount()), 0);
  if (m_cells[at] == 0)
    m_cells[at] = QAccessible::registerAccessibleInterface(
        new HexCellAccessible(&view(), index / HexView::kColumns, index % HexView::kColumns));
  return QAccessible::accessibleInterface(m_cells[at]);
}

QAccessibleInterface* HexViewAccessible::childAt(int x, int y) const {
  const std::optional<uint64_t> offset = view().offsetAt(view().viewport()->mapFromGlobal(QPoint(x, y)), false);
  if (!offset) return nullptr;
  return cellAt(static_cast<int>(view().rowOf(*offset) - view().m_scroll.top()), view().columnOf(*offset));
}

int HexViewAccessible::indexOfChild(const QAccessibleInterface* child) const {
  const auto* cell = dynamic_cast<const HexCellAccessible*>(child);
  return cell ? cell->rowIndex() * HexView::kColumns + cell->columnIndex() : -1;
}

std::optional<int> HexViewAccessible::cursorIndex() const {
  const HexView& hex = view();
  const uint64_t row = hex.rowOf(hex.cursor()), top = hex.m_scroll.top();
  if (hex.m_bytes.empty() || row < top || row - top >= static_cast<uint64_t>(rowCount())) return std::nullopt;
  return static_cast<int>(row - top) * HexView::kColumns + hex.columnOf(hex.cursor());
}

QAccessibleInterface* HexViewAccessible::focusChild() const {
  const std::optional<int> index = cursorIndex();
  return index ? child(*index) : nullptr;
}

QAccessibleInterface* HexViewAccessible::cellAt(int row, int column) const {
  return column < 0 || column >= HexView::kColumns ? nullptr : child(row * HexView::kColumns + column);
}

QList<QAccessibleInterface*> HexViewAccessible::selectedCells() const {
  QList<QAccessibleInterface*> cells;
  for (int i = 0; i < childCount(); ++i) {
    auto* cell = static_cast<HexCellAccessible*>(child(i));
    if (cell->isSelected()) cells << cell;
  }
  return cells;
}

QString HexViewAccessible::columnDescription(int column) const { return QString::number(column, 16); }

QString HexViewAccessible::rowDescription(int row) const {
  const uint64_t start = (view().m_scroll.top() + static_cast<uint64_t>(row)) * HexView::kColumns;
  return toQt(hexText(view().m_base - view().m_lead + start));
}

} // namespace blobscope::ui
