#include "ui/models/contents_model.h"

#include "core/base/text.h"
#include "ui/text/core_text.h"
#include "ui/text/name_parts.h"
#include "ui/text/plain_text.h"
#include "ui/text/severity_text.h"

#include <QMimeData>

#include <algorithm>
#include <optional>
#include <utility>

namespace blobscope::ui {

namespace {

/// Maximum number of modules in one row: a crafted file could have any number of names in one row.
constexpr std::size_t kChain = 6;

bool isModule(const library::ContentsRow& row) { return row.kind == library::RowKind::Module; }

} // namespace

void ContentsModel::setRows(std::vector<library::ContentsRow> rows) {
  beginResetModel();
  m_rows = std::move(rows);
  m_children.assign(m_rows.size() + 1, {});
  m_position.assign(m_rows.size(), 0);
  m_head.resize(m_rows.size());
  m_changed.assign(m_rows.size(), false);
  m_shared.clear();
  for (uint32_t row = 0; row < m_rows.size(); ++row) {
    const uint32_t parent = m_rows[row].parent;
    m_head[row] = row;
    m_children[parent == library::ContentsRow::kNoParent ? m_rows.size() : parent].push_back(row);
  }
  findChains();
  for (const std::vector<uint32_t>& siblings : m_children)
    for (std::size_t i = 0; i < siblings.size(); ++i) m_position[siblings[i]] = static_cast<uint32_t>(i);
  endResetModel();
}

void ContentsModel::setChanged(const std::vector<Ref>& places) {
  m_changed.assign(m_rows.size(), false);
  for (const Ref& place : places) {
    // A node can have several rows.
    const auto mark = [&](const Ref& ref) {
      bool found = false;
      for (std::size_t row = 0; row < m_rows.size(); ++row)
        if (m_rows[row].page.empty() && m_rows[row].ref == ref) m_changed[row] = found = true;
      return found;
    };
    Ref module = place.node();
    if (mark(module) || module.parts.empty()) continue;
    module.parts.clear();
    mark(module);
  }
  if (!m_rows.empty()) Q_EMIT dataChanged(index(0, 0), index(0, 0));
}

bool ContentsModel::isChanged(uint32_t row) const {
  const auto chain = m_chains.find(row);
  if (chain == m_chains.end()) return m_changed[row];
  return std::ranges::any_of(chain->second.rows, [this](uint32_t part) { return m_changed[part]; });
}

void ContentsModel::findChains() {
  m_chains.clear();
  const auto onlyImport = [this](uint32_t row) -> std::optional<uint32_t> {
    std::optional<uint32_t> found;
    for (const uint32_t child : m_children[row]) {
      if (!isModule(m_rows[child])) continue;
      if (found) return std::nullopt;
      found = child;
    }
    return found && !m_rows[*found].shared ? found : std::nullopt;
  };
  for (uint32_t row = 0; row < m_rows.size(); ++row) {
    if (!isModule(m_rows[row]) || m_head[row] != row) continue;
    std::vector<uint32_t> chain = {row};
    for (auto next = onlyImport(row); next && chain.size() < kChain; next = onlyImport(*next)) chain.push_back(*next);
    if (chain.size() > 1) joinChain(chain);
  }
}

/// The groups of the last module come first: most users look for its kernels.
void ContentsModel::joinChain(const std::vector<uint32_t>& chain) {
  std::vector<uint32_t> groups, imports;
  for (auto part = chain.rbegin(); part != chain.rend(); ++part) {
    for (const uint32_t child : m_children[*part])
      if (!isModule(m_rows[child]))
        groups.push_back(child);
      else if (*part == chain.back())
        imports.push_back(child);
    m_children[*part].clear();
    m_head[*part] = chain.front();
  }
  groups.insert(groups.end(), imports.begin(), imports.end());
  m_children[chain.front()] = std::move(groups);
  m_chains.emplace(chain.front(), Chain{chain});
}

const std::vector<uint32_t>& ContentsModel::childrenOf(const QModelIndex& parent) const {
  return m_children[parent.isValid() ? parent.internalId() : m_rows.size()];
}

uint32_t ContentsModel::chosenIn(const QModelIndex& index) const {
  const auto row = static_cast<uint32_t>(index.internalId());
  const auto chain = m_chains.find(row);
  return chain == m_chains.end() ? row : chain->second.rows[chain->second.chosen];
}

QModelIndex ContentsModel::indexOf(uint32_t row) const {
  return createIndex(static_cast<int>(m_position[m_head[row]]), 0, m_head[row]);
}

const library::ContentsRow* ContentsModel::rowOf(const Ref& ref, const std::string& page) const {
  const auto found =
      std::ranges::find_if(m_rows, [&](const library::ContentsRow& row) { return row.ref == ref && row.page == page; });
  return found == m_rows.end() ? nullptr : &*found;
}

QModelIndex ContentsModel::find(const Ref& ref, const std::string& page) const {
  const library::ContentsRow* const row = rowOf(ref, page);
  return row ? indexOf(static_cast<uint32_t>(row - m_rows.data())) : QModelIndex();
}

void ContentsModel::choose(const Ref& module) {
  for (auto& [head, chain] : m_chains)
    for (std::size_t part = 0; part < chain.rows.size(); ++part)
      if (m_rows[chain.rows[part]].ref == module) setData(indexOf(head), static_cast<int>(part), PartRole);
}

bool ContentsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  const auto chain = m_chains.find(static_cast<uint32_t>(index.internalId()));
  const int part = value.toInt();
  if (role != PartRole || !index.isValid() || chain == m_chains.end() || part < 0 ||
      static_cast<std::size_t>(part) >= chain->second.rows.size())
    return false;
  if (chain->second.chosen == static_cast<std::size_t>(part)) return true;
  chain->second.chosen = static_cast<std::size_t>(part);
  Q_EMIT dataChanged(index, index);
  return true;
}

QModelIndex ContentsModel::index(int row, int column, const QModelIndex& parent) const {
  if (m_children.empty() || column != 0 || row < 0) return {};
  const auto& children = childrenOf(parent);
  if (static_cast<std::size_t>(row) >= children.size()) return {};
  return createIndex(row, 0, children[static_cast<std::size_t>(row)]);
}

QModelIndex ContentsModel::parent(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const uint32_t parent = m_rows[index.internalId()].parent;
  return parent == library::ContentsRow::kNoParent ? QModelIndex() : indexOf(parent);
}

int ContentsModel::rowCount(const QModelIndex& parent) const {
  if (m_children.empty() || parent.column() > 0) return 0;
  return static_cast<int>(childrenOf(parent).size());
}

int ContentsModel::columnCount(const QModelIndex&) const { return 1; }

namespace {

QString tipText(const library::ContentsRow& row, bool isChanged) {
  QString text = row.shared ? ContentsModel::tr("%1\nShared: more than one module imports it").arg(contentsName(row))
                            : contentsName(row);
  if (isChanged) text += QLatin1Char('\n') + ContentsModel::tr("It has unsaved changes.");
  return text;
}

} // namespace

QStringList ContentsModel::namesOf(uint32_t row) const {
  const auto chain = m_chains.find(row);
  if (chain == m_chains.end()) return {contentsName(m_rows[row])};
  QStringList names;
  for (const uint32_t part : chain->second.rows) names << contentsName(m_rows[part]);
  return names;
}

/// For a group below a chain, the text also names the module.
QString ContentsModel::detailOf(uint32_t row) const {
  if (m_chains.contains(row)) return {};
  const library::ContentsRow& one = m_rows[row];
  const uint32_t parent = one.parent;
  if (parent == library::ContentsRow::kNoParent || isModule(one) || !m_chains.contains(m_head[parent]))
    return toQt(one.detail);
  return tr("%1 in %2").arg(toQt(one.detail), contentsName(m_rows[parent]));
}

QStringList ContentsModel::sharedBeside(uint32_t row) const {
  const uint32_t parent = m_rows[row].parent;
  if (parent == library::ContentsRow::kNoParent) return {};
  const auto [shared, isNew] = m_shared.try_emplace(parent);
  if (isNew) {
    QStringList names;
    for (const uint32_t sibling : m_children[m_head[parent]])
      if (m_rows[sibling].parent == parent) names << contentsName(m_rows[sibling]);
    const Affixes affixes = commonAffixes(names);
    shared->second = {affixes.prefix, affixes.suffix};
  }
  return shared->second;
}

QVariant ContentsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const auto first = static_cast<uint32_t>(index.internalId());
  const library::ContentsRow& row = m_rows[chosenIn(index)];
  const auto chain = m_chains.find(first);
  switch (role) {
  case Qt::DisplayRole: return nameOf(first);
  case Qt::ToolTipRole: return plainTip(tipText(row, isChanged(first)));
  case TipTextRole: return tipText(row, isChanged(first));
  case Qt::AccessibleTextRole: {
    // Nothing is shown by colour or icon alone: severity and size are part of the text.
    QString text = nameOf(first);
    if (chain != m_chains.end()) text += tr(", %1 is selected").arg(contentsName(row));
    if (const QString detail = detailOf(first); !detail.isEmpty()) text += QStringLiteral(", ") + detail;
    if (row.size) text += QStringLiteral(", ") + toQt(sizeText(*row.size));
    if (m_rows[first].worst) text += QStringLiteral(", ") + severityWord(*m_rows[first].worst);
    if (isChanged(first)) text += QStringLiteral(", ") + tr("changed");
    return text;
  }
  case DetailRole: return detailOf(first);
  case SizeRole: return row.size && chain == m_chains.end() ? QVariant(static_cast<qulonglong>(*row.size)) : QVariant();
  case SeverityRole: return m_rows[first].worst ? QVariant(static_cast<int>(*m_rows[first].worst)) : QVariant();
  case KindRole: return static_cast<int>(row.kind);
  case ModuleKeyRole: return toQt(row.moduleKey);
  case RefRole: return toQt(row.ref.shown());
  case PageRole: return toQt(row.page);
  case ChainRole: return chain == m_chains.end() ? QVariant() : namesOf(first);
  case SharedRole: return sharedBeside(first);
  case ChangedRole: return isChanged(first);
  case PartRole: return chain == m_chains.end() ? QVariant() : QVariant(static_cast<int>(chain->second.chosen));
  default: return {};
  }
}

namespace {

const QString kRefs = QStringLiteral("application/x-blobscope-module");

/// Parses "REF" or "REF PARENT": what is dragged, and from where.
std::pair<std::optional<Ref>, std::optional<Ref>> draggedRefs(const QMimeData& data) {
  const QList<QByteArray> words = data.data(kRefs).split(' ');
  return {Ref::parse(words.value(0).toStdString()),
          words.size() > 1 ? Ref::parse(words[1].toStdString()) : std::nullopt};
}

} // namespace

bool ContentsModel::isPart(const QModelIndex& index) const {
  const library::ContentsRow& one = row(index);
  return one.size.has_value() && one.kind != library::RowKind::Folder;
}

Qt::ItemFlags ContentsModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractItemModel::flags(index);
  if (!index.isValid()) return flags;
  if (isPart(index)) flags |= Qt::ItemIsDragEnabled;
  if (row(index).kind != library::RowKind::Module) return flags;
  if (row(index).ref.module != 0) flags |= Qt::ItemIsDragEnabled;
  return flags | Qt::ItemIsDropEnabled;
}

QStringList ContentsModel::mimeTypes() const { return {kRefs}; }

QMimeData* ContentsModel::mimeData(const QModelIndexList& indexes) const {
  if (indexes.isEmpty() || row(indexes.first()).kind != library::RowKind::Module) return nullptr;
  QByteArray words = QByteArray::fromStdString(row(indexes.first()).ref.toString());
  const QModelIndex above = indexes.first().parent();
  if (above.isValid() && row(above).kind == library::RowKind::Module)
    words += ' ' + QByteArray::fromStdString(row(above).ref.toString());
  auto* const data = new QMimeData;
  data->setData(kRefs, words);
  return data;
}

bool ContentsModel::canDropMimeData(const QMimeData* data, Qt::DropAction, int, int, const QModelIndex& parent) const {
  if (!data->hasFormat(kRefs) || !parent.isValid() || row(parent).kind != library::RowKind::Module) return false;
  const auto [module, from] = draggedRefs(*data);
  const Ref& onto = row(parent).ref;
  return module && *module != onto && module->prefix == onto.prefix && module->members == onto.members;
}

bool ContentsModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                                 const QModelIndex& parent) {
  if (!canDropMimeData(data, action, row, column, parent)) return false;
  const auto [module, from] = draggedRefs(*data);
  Q_EMIT moduleDropped(*module, this->row(parent).ref, action == Qt::MoveAction && from ? *from : Ref::file());
  return false; // the edit updates the rows
}

QString contentsName(const library::ContentsRow& row) {
  using enum library::RowKind;
  switch (row.kind) {
  case Blob:
  case Kernels:
  case Functions:
  case Constants:
  case Images:
  case HostCode:
  case Symbols:
  case Sections:
  case More: return coreText(row.name);
  default: return toQt(row.name); // from the file
  }
}

} // namespace blobscope::ui
