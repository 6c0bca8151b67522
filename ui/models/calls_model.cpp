#include "ui/models/calls_model.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"

#include <QLocale>

#include <algorithm>

namespace blobscope::ui {

CallsModel::CallsModel(view::CallsPagePtr page, QObject* parent) : QAbstractItemModel(parent), m_page(std::move(page)) {
  const std::size_t count = m_page->rows.size();
  m_children.resize(count + 1);
  m_parent.resize(count);
  m_position.resize(count);
  std::vector<uint32_t> above;
  for (uint32_t row = 0; row < count; ++row) {
    above.resize(std::min<std::size_t>(above.size(), m_page->rows[row].depth));
    m_parent[row] = above.empty() ? row : above.back();
    std::vector<uint32_t>& siblings = m_children[above.empty() ? 0 : above.back() + 1];
    m_position[row] = static_cast<uint32_t>(siblings.size());
    siblings.push_back(row);
    above.push_back(row);
  }
  setMeasure(Measure::Calls);
}

double CallsModel::measured(uint32_t row) const {
  const view::CallsPage::Row& one = m_page->rows[row];
  switch (m_measure) {
  case Measure::Flop: return one.flop.value_or(0);
  case Measure::Launches: return static_cast<double>(one.launches);
  case Measure::Code: return static_cast<double>(one.bytes.value_or(0));
  case Measure::Calls: break;
  }
  return one.kind == view::CallsPage::Kind::Builtins ? 0 : static_cast<double>(one.calls);
}

void CallsModel::setMeasure(Measure measure) {
  m_measure = measure;
  m_values.assign(m_page->rows.size(), 0);
  m_total = 0;
  // Rows below come after their row.
  for (auto row = static_cast<uint32_t>(m_values.size()); row-- > 0;) {
    const bool function = m_page->rows[row].kind == view::CallsPage::Kind::Function;
    if (measure != Measure::Calls || !function || childrenOf(row).empty()) m_values[row] = measured(row);
    if (measure == Measure::Calls && function)
      for (const uint32_t child : childrenOf(row)) m_values[row] += m_values[child];
  }
  for (const uint32_t root : roots()) m_total += m_values[root];
  if (m_total <= 0) m_total = 1;
  if (m_values.empty()) return;
  for (const std::vector<uint32_t>& siblings : m_children)
    if (!siblings.empty()) Q_EMIT dataChanged(indexOf(siblings.front(), Share), indexOf(siblings.back(), Share));
}

uint32_t CallsModel::rootOf(uint32_t row) const {
  while (m_parent[row] != row) row = m_parent[row];
  return row;
}

double CallsModel::share(uint32_t row) const {
  const double whole = m_values[rootOf(row)];
  return whole > 0 ? std::min(1.0, m_values[row] / whole) : 0;
}

QModelIndex CallsModel::indexOf(uint32_t row, int column) const {
  return createIndex(static_cast<int>(m_position[row]), column, row);
}

QModelIndex CallsModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  const std::size_t list = parent.isValid() ? CallsModel::row(parent) + std::size_t{1} : 0;
  return createIndex(row, column, m_children[list][static_cast<std::size_t>(row)]);
}

QModelIndex CallsModel::parent(const QModelIndex& index) const {
  if (!index.isValid() || m_parent[row(index)] == row(index)) return {};
  return indexOf(m_parent[row(index)]);
}

int CallsModel::rowCount(const QModelIndex& parent) const {
  if (parent.column() > 0) return 0;
  return static_cast<int>((parent.isValid() ? childrenOf(row(parent)) : roots()).size());
}

int CallsModel::columnCount(const QModelIndex&) const { return Columns; }

QString CallsModel::text(uint32_t row, int column) const {
  using Page = view::CallsPage;
  const Page::Row& one = m_page->rows[row];
  switch (column) {
  case Name: return toQt(one.name) + (one.recursive ? QStringLiteral(" ↻") : QString());
  case Calls: return toQt(Page::countText(one, one.calls));
  case Launches: return one.launches > 0 ? toQt(Page::countText(one, one.launches)) : QStringLiteral("–");
  case Flop: return toQt(Page::flopText(one));
  case Code: return one.bytes ? toQt(groupedText(*one.bytes)) : QStringLiteral("–");
  default: break;
  }
  return QLocale(QLocale::English).toString(100 * share(row), 'f', 1) + QStringLiteral(" %");
}

QVariant CallsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const uint32_t number = row(index);
  const view::CallsPage::Row& one = m_page->rows[number];
  if (role == Qt::DisplayRole) return text(number, index.column());
  if (role == Qt::ToolTipRole) return plainTip(text(number, index.column()));
  if (role == Qt::TextAlignmentRole && index.column() != Name) return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role == BarRole && index.column() == Share) return share(number);
  if (role != NumberRole) return {};
  switch (index.column()) {
  case Calls: return static_cast<double>(one.calls);
  case Launches: return static_cast<double>(one.launches);
  case Flop: return one.flop.value_or(-1);
  case Code: return one.bytes ? static_cast<double>(*one.bytes) : -1;
  case Share: return share(number);
  default: return {};
  }
}

QVariant CallsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section != Name) return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
  case Name: return tr("VM function, packed function, kernel");
  case Calls: return tr("Calls");
  case Launches: return tr("Launches");
  case Flop: return tr("FLOP, estimated");
  case Code: return tr("Code bytes");
  default: return tr("Share of function");
  }
}

} // namespace blobscope::ui
