#include "ui/models/diff_model.h"

#include "core/base/text.h"
#include "core/describe/comparison.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace blobscope::ui {
namespace {

using diff::DiffNode;
using diff::Status;
using diff::Topic;

/// More listed siblings than this, of a kind that isSmall() accepts, get a separate group row.
constexpr std::size_t kListed = 3;

/// Kinds with many nodes that are rarely the reason for a comparison.
bool isSmall(Topic topic) {
  return topic == Topic::Tensor || topic == Topic::Constant || topic == Topic::GraphNode || topic == Topic::Field ||
         topic == Topic::Section || topic == Topic::Symbol || topic == Topic::HostFunction;
}

/// Folds the case of ASCII letters only and reads only the displayed bytes: the filter examines a hundred thousand
/// nodes while the user types.
bool containsFolded(std::string_view text, std::string_view lowered) {
  text = text.substr(0, kShownBytes);
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::search(text.begin(), text.end(), lowered.begin(), lowered.end(),
                     [&](char a, char b) { return lower(a) == b; }) != text.end();
}

QString capitalised(QString text) {
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

library::RowKind rowKind(Topic topic, bool several) {
  using enum library::RowKind;
  switch (topic) {
  case Topic::Module: return Module;
  case Topic::Kernel: return several ? Kernels : Kernel;
  case Topic::VmFunction:
  case Topic::GraphNode: return several ? Functions : Function;
  case Topic::HostFunction: return several ? HostCode : HostFunction;
  case Topic::Tensor:
  case Topic::Constant: return several ? Constants : Constant;
  case Topic::Image: return Image;
  case Topic::Symbol: return Symbols;
  case Topic::Member: return Member;
  case Topic::Section:
  case Topic::Field: break;
  }
  return several ? Sections : Section;
}

QString percentText(uint64_t before, uint64_t after) {
  const double percent = (static_cast<double>(after) / static_cast<double>(before) - 1) * 100;
  const QString number = QString::number(std::abs(percent), std::abs(percent) < 0.1 ? 'g' : 'f', 1);
  return (percent < 0 ? QStringLiteral("−%1 %") : QStringLiteral("+%1 %")).arg(number);
}

} // namespace

QString nodeTitle(const DiffNode& node) {
  const bool number = !node.name.empty() &&
                      std::all_of(node.name.begin(), node.name.end(), [](char c) { return c >= '0' && c <= '9'; });
  return number
             ? capitalised(coreText(diff::topicName(node.topic))) + QLatin1Char(' ') + toQt(describe::shownName(node))
             : toQt(describe::shownName(node));
}

QString statusBadge(Status status) {
  constexpr std::array<const char16_t*, diff::kStatuses> kBadges = {u"", u"≠", u"+", u"−", u"~", u"↕"};
  return QString::fromUtf16(kBadges[static_cast<std::size_t>(status)]);
}

QString statusWord(Status status) { return coreText(describe::statusText(status)); }

QString sizeDifference(uint64_t before, uint64_t after) {
  if (before == after) return {};
  const uint64_t bytes = before < after ? after - before : before - after;
  return (before < after ? QStringLiteral("+") : QStringLiteral("−")) + toQt(shortSizeText(bytes));
}

void DiffModel::setCompared(ComparedPtr compared) {
  beginResetModel();
  m_compared = std::move(compared);
  rebuild();
  endResetModel();
}

void DiffModel::setFilter(const DiffFilter& filter) {
  if (filter == m_filter) return;
  beginResetModel();
  m_filter = filter;
  m_words.clear();
  for (const QString& word : m_filter.words) m_words.push_back(fromQt(word.toLower()));
  rebuild();
  endResetModel();
}

bool DiffModel::matches(const DiffNode& node) const {
  if (m_filter.kind && node.kind() != *m_filter.kind) return false;
  if (m_filter.words.isEmpty()) return true;
  return std::all_of(m_words.begin(), m_words.end(), [&](const std::string& word) {
    return containsFolded(node.name, word) || containsFolded(node.newName, word) || containsFolded(node.detail, word);
  });
}

uint32_t DiffModel::addRow(uint32_t parent, Row row) {
  const auto added = static_cast<uint32_t>(m_rows.size());
  row.parent = parent;
  row.position = static_cast<uint32_t>(m_rows[parent].children.size());
  m_rows[parent].children.push_back(added);
  m_rows.push_back(std::move(row));
  return added;
}

void DiffModel::rebuild() {
  m_rows.clear();
  m_rowOf.clear();
  if (!m_compared) return;
  const std::vector<DiffNode>& nodes = m_compared->tree.nodes;
  m_rowOf.assign(nodes.size(), kNone);
  m_children.assign(nodes.size(), {});
  m_shown.assign(nodes.size(), false);
  std::vector<uint32_t> roots;
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    const uint32_t parent = nodes[node].parent;
    (parent == DiffNode::kNoParent ? roots : m_children[parent]).push_back(node);
  }
  for (std::size_t node = nodes.size(); node-- > 0;) {
    if (!m_shown[node]) m_shown[node] = matches(nodes[node]);
    if (m_shown[node] && nodes[node].parent != DiffNode::kNoParent) m_shown[nodes[node].parent] = true;
  }
  Row root;
  root.status =
      m_compared->tree.equal() && m_compared->tree.a.size == m_compared->tree.b.size ? Status::Same : Status::Changed;
  if (m_compared->tree.identical) root.status = Status::Same;
  m_rows.push_back(std::move(root));
  addChildren(0, roots);
  m_children.clear();
  m_shown.clear();
}

void DiffModel::addNodes(uint32_t row, const std::vector<uint32_t>& nodes) {
  for (const uint32_t node : nodes) {
    Row made;
    made.node = node;
    made.topic = m_compared->tree.nodes[node].topic;
    made.status = m_compared->tree.nodes[node].status;
    m_rowOf[node] = addRow(row, std::move(made));
    addChildren(m_rowOf[node], m_children[node]);
  }
}

void DiffModel::addChildren(uint32_t row, const std::vector<uint32_t>& nodes) {
  const std::vector<DiffNode>& all = m_compared->tree.nodes;
  // In order of appearance of the kinds; within a kind, first the nodes that differ, then those that are the same.
  std::vector<Topic> topics;
  std::array<std::vector<uint32_t>, diff::kTopics> differing, equal, listed;
  for (const uint32_t node : nodes) {
    if (!m_shown[node]) continue;
    const auto topic = static_cast<std::size_t>(all[node].topic);
    if (listed[topic].empty()) topics.push_back(all[node].topic);
    listed[topic].push_back(node);
    // A node that is the same may contain some that are not.
    bool same = all[node].status == Status::Same;
    for (const uint32_t child : m_children[node]) same = same && all[child].status == Status::Same;
    (same ? equal : differing)[topic].push_back(node);
  }
  std::stable_sort(topics.begin(), topics.end(), [](Topic x, Topic y) { return isSmall(x) < isSmall(y); });
  for (const Topic topic : topics) {
    const auto at = static_cast<std::size_t>(topic);
    uint32_t above = row;
    const std::size_t many = m_filter.changedOnly ? differing[at].size() : listed[at].size();
    if (isSmall(topic) && many > kListed) {
      Row group;
      group.topic = topic;
      group.count = static_cast<uint32_t>(many);
      group.status = differing[at].empty() ? Status::Same : all[differing[at].front()].status;
      for (const uint32_t node : differing[at])
        if (all[node].status != group.status) group.status = Status::Changed;
      above = addRow(row, std::move(group));
    }
    if (!m_filter.changedOnly) {
      addNodes(above, listed[at]);
      continue;
    }
    addNodes(above, differing[at]);
    if (equal[at].empty()) continue;
    Row folded;
    folded.topic = topic;
    folded.count = static_cast<uint32_t>(equal[at].size());
    addNodes(addRow(above, std::move(folded)), equal[at]);
  }
}

QModelIndex DiffModel::indexOf(uint32_t row) const {
  return createIndex(static_cast<int>(m_rows[row].position), 0, row);
}

QModelIndex DiffModel::find(uint32_t node) const {
  return node < m_rowOf.size() && m_rowOf[node] != kNone ? indexOf(m_rowOf[node]) : QModelIndex();
}

QModelIndex DiffModel::find(const std::optional<Ref>& a, const std::optional<Ref>& b) const {
  if (!m_compared || (!a && !b)) return {};
  if (a == Ref::file() && b == Ref::file()) return indexOf(0);
  const std::vector<DiffNode>& nodes = m_compared->tree.nodes;
  for (uint32_t node = 0; node < nodes.size(); ++node)
    if ((a && nodes[node].a == a) || (b && nodes[node].b == b)) return find(node);
  return {};
}

std::optional<Ref> DiffModel::ref(const QModelIndex& index, Side side) const {
  if (isRoot(index)) return Ref::file();
  const uint32_t found = node(index);
  if (found == kNone) return std::nullopt;
  const DiffNode& both = m_compared->tree.nodes[found];
  return side == Side::A ? both.a : both.b;
}

QModelIndex DiffModel::firstChange() const {
  for (uint32_t row = 1; row < m_rows.size(); ++row) {
    const Row& here = m_rows[row];
    if (here.node == kNone || here.status == Status::Same) continue;
    const bool below = std::any_of(here.children.begin(), here.children.end(),
                                   [&](uint32_t child) { return m_rows[child].status != Status::Same; });
    if (!below) return indexOf(row);
  }
  return {};
}

std::vector<diff::NodeKind> DiffModel::kinds() const {
  std::array<bool, diff::kNodeKinds> there{};
  if (m_compared)
    for (const DiffNode& node : m_compared->tree.nodes) there[static_cast<std::size_t>(node.kind())] = true;
  std::vector<diff::NodeKind> out;
  for (std::size_t kind = 0; kind < there.size(); ++kind)
    if (there[kind]) out.push_back(static_cast<diff::NodeKind>(kind));
  return out;
}

QModelIndex DiffModel::index(int row, int column, const QModelIndex& parent) const {
  if (m_rows.empty() || column != 0 || row < 0) return {};
  if (!parent.isValid()) return row == 0 ? indexOf(0) : QModelIndex();
  const std::vector<uint32_t>& children = m_rows[parent.internalId()].children;
  return static_cast<std::size_t>(row) < children.size() ? indexOf(children[static_cast<std::size_t>(row)])
                                                         : QModelIndex();
}

QModelIndex DiffModel::parent(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const uint32_t parent = m_rows[index.internalId()].parent;
  return parent == kNone ? QModelIndex() : indexOf(parent);
}

int DiffModel::rowCount(const QModelIndex& parent) const {
  if (m_rows.empty() || parent.column() > 0) return 0;
  return parent.isValid() ? static_cast<int>(m_rows[parent.internalId()].children.size()) : 1;
}

int DiffModel::columnCount(const QModelIndex&) const { return 1; }

QString DiffModel::nameOf(const Row& row) const {
  if (row.count > 0) {
    const bool one = row.count == 1;
    const QString word = coreText(one ? diff::topicName(row.topic) : diff::topicPlural(row.topic));
    const QString count = toQt(groupedText(row.count));
    if (row.status == Status::Same && m_filter.changedOnly) return tr("%1 equal %2").arg(count, word);
    return row.status == Status::Same || row.status == Status::Changed ? capitalised(word)
                                                                       : tr("%1 %2").arg(count, word);
  }
  if (row.node != kNone) {
    const DiffNode& node = m_compared->tree.nodes[row.node];
    // A number alone has no meaning, so the title includes the kind.
    return node.newName.empty() ? nodeTitle(node) : nameToQt(node.name);
  }
  const auto fileName = [](const std::string& path) { return nameToQt(path.substr(path.find_last_of('/') + 1)); };
  QString a = fileName(m_compared->tree.a.path);
  const QString b = fileName(m_compared->tree.b.path);
  if (a == b) return a;
  // The common beginning of both names, if it is long enough for a name.
  qsizetype common = 0;
  while (common < a.size() && common < b.size() && a[common] == b[common]) ++common;
  while (common > 0 && !a[common - 1].isLetterOrNumber()) --common;
  return common >= 4 ? a.left(common) : tr("%1 and %2").arg(a, b);
}

QString DiffModel::differenceOf(const Row& row) const {
  if (row.parent == kNone) {
    const uint64_t a = m_compared->tree.a.size, b = m_compared->tree.b.size;
    return a == b || a == 0 ? QString() : percentText(a, b);
  }
  if (row.node == kNone) return {};
  const Compared::Node& facts = m_compared->nodes[row.node];
  return facts.sizeA && facts.sizeB ? sizeDifference(*facts.sizeA, *facts.sizeB) : QString();
}

QVariant DiffModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = m_rows[index.internalId()];
  const DiffNode* const node = row.node != kNone ? &m_compared->tree.nodes[row.node] : nullptr;
  switch (role) {
  case Qt::DisplayRole: return nameOf(row);
  case NewNameRole:
    return node && !node->newName.empty() && node->newName != node->name ? nameToQt(node->newName) : QString();
  case StatusRole: return static_cast<int>(row.status);
  case BadgeRole: return statusBadge(row.status);
  case DifferenceRole: return differenceOf(row);
  case DetailRole:
    if (row.count > 0 && (row.status == Status::Changed || !m_filter.changedOnly)) return toQt(groupedText(row.count));
    return node ? toQt(node->detail) : QString();
  case DimRole: return row.status == Status::Same && row.count > 0;
  case KindRole:
    if (row.parent == kNone) return static_cast<int>(library::RowKind::Library);
    return static_cast<int>(node ? m_compared->nodes[row.node].kind : rowKind(row.topic, true));
  case ModuleKeyRole: return node ? toQt(m_compared->nodes[row.node].moduleKey) : QString();
  case RefRole: return node ? toQt(describe::refOf(*node).shown()) : QString();
  case Qt::ToolTipRole:
  case Qt::AccessibleTextRole: {
    // The sign alone is not enough: the status is also a word.
    QString text = node ? nodeTitle(*node) : nameOf(row);
    if (row.count > 0 && row.status == Status::Same) return shownAs(role, text);
    text += QStringLiteral(", ") + statusWord(row.status);
    if (node && !node->detail.empty()) text += QStringLiteral(": ") + toQt(node->detail);
    if (node) {
      const Compared::Node& facts = m_compared->nodes[row.node];
      if (facts.sizeA && facts.sizeB && facts.sizeA != facts.sizeB)
        text += tr(", %1 → %2").arg(toQt(groupedText(*facts.sizeA)), bytesText(*facts.sizeB));
    }
    return shownAs(role, text);
  }
  default: return {};
  }
}

} // namespace blobscope::ui
