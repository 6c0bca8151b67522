#include "core/diff/compare_modules.h"

#include "core/base/text.h"
#include "core/diff/json_items.h"
#include "core/diff/module_items.h"
#include "core/payloads/sniff.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace blobscope::diff {
namespace {

/// Maximum number of rows of a module's fields that are compared one by one.
constexpr std::size_t kFieldRows = 20'000;
/// A name that more modules than this define does not help to match them.
constexpr std::size_t kSharedName = 4;
/// Maximum number of pairs of modules with functions of the same name that are rated.
constexpr std::size_t kWeighed = 1'000'000;

Error cancelled() { return Error(DiagnosticId::Cancelled, {}); }

Item itemOf(const ModuleAt& at, std::string name) {
  Item item;
  item.name = std::move(name);
  item.content = at.module->payload;
  item.facts = {{"kind", escapedWhole(at.module->key.view())}};
  return item;
}

/// Chooses a name for each module. If there are several modules of a kind, the two that have the most function names in
/// common get the same name.
Result<Done> nameModules(const std::vector<ModuleAt>& a, const std::vector<ModuleAt>& b,
                         std::vector<std::string>& namesA, std::vector<std::string>& namesB, Monitor& monitor) {
  std::unordered_map<std::string_view, std::pair<uint32_t, uint32_t>> kinds;
  for (const ModuleAt& one : a) ++kinds[one.module->key.view()].first;
  for (const ModuleAt& one : b) ++kinds[one.module->key.view()].second;
  const auto isShared = [&](const ModuleAt& one) {
    const auto& [inA, inB] = kinds[one.module->key.view()];
    return inA > 0 && inB > 0 && inA + inB > 2;
  };
  for (const ModuleAt& one : a) namesA.emplace_back(one.module->key.view());
  for (const ModuleAt& one : b) namesB.emplace_back(one.module->key.view());

  std::unordered_map<std::string, std::pair<std::vector<uint32_t>, std::vector<uint32_t>>> owners;
  const auto collect = [&](const std::vector<ModuleAt>& list, bool inA) -> Result<Done> {
    for (uint32_t i = 0; i < list.size(); ++i) {
      if (monitor.stopRequested()) return cancelled();
      if (!isShared(list[i])) continue;
      for (const std::string& name : library::functionNames(*list[i].module)) {
        auto& [ofA, ofB] = owners[std::string(list[i].module->key.view()) + '\0' + name];
        std::vector<uint32_t>& own = inA ? ofA : ofB;
        if (own.size() <= kSharedName && (own.empty() || own.back() != i)) own.push_back(i);
      }
    }
    return Done{};
  };
  BLOBSCOPE_CHECK(collect(a, true));
  BLOBSCOPE_CHECK(collect(b, false));
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> common;
  for (const auto& [name, own] : owners) {
    if (own.first.size() > kSharedName || own.second.size() > kSharedName || common.size() >= kWeighed) continue;
    for (const uint32_t i : own.first)
      for (const uint32_t k : own.second) ++common[{i, k}];
  }
  struct Candidate {
    uint64_t functions;
    uint32_t a, b;
  };
  std::vector<Candidate> candidates;
  for (const auto& [pair, functions] : common) candidates.push_back({functions, pair.first, pair.second});
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& x, const Candidate& y) {
    if (x.functions != y.functions) return x.functions > y.functions;
    const auto low = [](const Candidate& one) { return std::min(one.a, one.b); };
    const auto high = [](const Candidate& one) { return std::max(one.a, one.b); };
    if (low(x) != low(y)) return low(x) < low(y);
    return high(x) < high(y);
  });
  std::vector<bool> takenA(a.size(), false), takenB(b.size(), false);
  for (const Candidate& one : candidates) {
    if (takenA[one.a] || takenB[one.b]) continue;
    takenA[one.a] = takenB[one.b] = true;
    // Digits would count as a counter.
    std::string mark(1, '\0');
    for (uint32_t rest = std::min(one.a, one.b) + 1; rest > 0; rest /= 16) mark += static_cast<char>('a' + rest % 16);
    for (uint32_t rest = std::max(one.a, one.b) + 1; rest > 0; rest /= 16) mark += static_cast<char>('A' + rest % 16);
    namesA[one.a] += mark;
    namesB[one.b] += mark;
  }
  return Done{};
}

/// Returns what imports each module, as numbers that mean the same on both sides: numbers of pairs, or of blobs for
/// modules that the library itself imports. `_lib` is the library.
std::vector<std::vector<uint64_t>> importersOf(const std::vector<ModuleAt>& modules,
                                               const std::vector<uint32_t>& pairOf) {
  constexpr uint64_t kLibrary = uint64_t{1} << 32, kNoPartner = UINT64_MAX;
  std::vector<std::vector<uint64_t>> importers(modules.size());
  std::unordered_map<const library::Blob*, uint32_t> firstOf;
  for (uint32_t i = 0; i < modules.size(); ++i) firstOf.try_emplace(modules[i].blob, i);
  for (uint32_t i = 0; i < modules.size(); ++i) {
    const bool library = modules[i].module->isLibrary();
    const uint64_t number = library                   ? kLibrary + modules[i].blobNumber
                            : pairOf[i] == UINT32_MAX ? kNoPartner
                                                      : pairOf[i];
    for (const uint32_t child : modules[i].module->imports)
      if (const uint64_t place = uint64_t{firstOf[modules[i].blob]} + child; place < modules.size())
        importers[static_cast<std::size_t>(place)].push_back(number);
  }
  for (const auto& [blob, first] : firstOf)
    for (const uint32_t root : blob->roots())
      if (first + root < modules.size()) importers[first + root].push_back(kLibrary + modules[first].blobNumber);
  for (auto& list : importers) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return importers;
}

AlignRules byNameAlone() {
  AlignRules rules;
  rules.ordered = rules.renamed = rules.similar = false;
  return rules;
}

/// Turns "functions[12].name" into "functions[].name".
std::string withoutIndices(std::string_view path) {
  std::string out;
  bool inside = false;
  for (const char c : path) {
    if (c == ']') inside = false;
    if (!inside) out += c;
    if (c == '[') inside = true;
  }
  return out;
}

} // namespace

std::vector<ModuleAt> modulesOf(const std::vector<const library::Package*>& packages) {
  std::vector<ModuleAt> out;
  uint32_t number = 0;
  for (const library::Package* const package : packages)
    for (const auto& blob : package->blobs) {
      for (const library::ModulePtr& module : blob->modules) out.push_back({blob.get(), module.get(), number});
      ++number;
    }
  return out;
}

Result<Done> ModuleComparer::compare(const std::vector<ModuleAt>& a, const std::vector<ModuleAt>& b, uint32_t parent) {
  // --- 1. Partners. ---
  std::vector<std::string> namesA, namesB;
  BLOBSCOPE_CHECK(nameModules(a, b, namesA, namesB, m_monitor));
  std::vector<Item> itemsA, itemsB;
  for (std::size_t i = 0; i < a.size(); ++i) itemsA.push_back(itemOf(a[i], std::move(namesA[i])));
  for (std::size_t i = 0; i < b.size(); ++i) itemsB.push_back(itemOf(b[i], std::move(namesB[i])));
  AlignRules rules;
  rules.similar = false;
  rules.ordered = m_options.order;
  BLOBSCOPE_TRY(alignment, align(itemsA, itemsB, rules, m_same, m_monitor));

  // --- 2. Importers, as numbers of pairs. ---
  std::vector<uint32_t> pairOfA(a.size(), UINT32_MAX), pairOfB(b.size(), UINT32_MAX);
  for (uint32_t i = 0; i < alignment.pairs.size(); ++i)
    pairOfA[alignment.pairs[i].a] = pairOfB[alignment.pairs[i].b] = i;
  const auto importersA = importersOf(a, pairOfA), importersB = importersOf(b, pairOfB);

  // --- 3. Nodes. ---
  for (const Pair& pair : alignment.pairs) {
    if (m_monitor.stopRequested()) return cancelled();
    m_monitor.progress("comparing modules", pair.a, a.size());
    const bool otherParent = m_options.order && importersA[pair.a] != importersB[pair.b];
    BLOBSCOPE_CHECK(addPair(a[pair.a], b[pair.b], pair, otherParent, parent));
  }
  std::vector<ModuleAt> onlyA, onlyB;
  for (const uint32_t index : alignment.onlyA) onlyA.push_back(a[index]);
  for (const uint32_t index : alignment.onlyB) onlyB.push_back(b[index]);
  BLOBSCOPE_CHECK(addUnmatched(onlyA, true, parent));
  return addUnmatched(onlyB, false, parent);
}

Result<Done> ModuleComparer::addPair(const ModuleAt& a, const ModuleAt& b, const Pair& pair, bool otherParent,
                                     uint32_t parent) {
  DiffNode node;
  node.topic = Topic::Module;
  node.parent = parent;
  node.a = a.ref();
  node.b = b.ref();
  node.name = a.module->key.view();
  if (a.module->key != b.module->key) node.newName = b.module->key.view();
  const std::string moved = otherParent ? "imported by another module" : "different position";
  if (!pair.sameContent) {
    node.status = Status::Changed;
    Item left = itemOf(a, {}), right = itemOf(b, {});
    const auto addFacts = [](const library::Module& module, Item& item) {
      if (!module.body->decoded()) item.facts.emplace_back("decoded", "no");
      if (const auto format = module.body->format()) item.facts.emplace_back("format", escapedWhole(format->view()));
      std::string content;
      for (const std::string& word : module.body->content()) content += (content.empty() ? "" : ", ") + word;
      if (!content.empty()) item.facts.emplace_back("content", content);
    };
    addFacts(*a.module, left);
    addFacts(*b.module, right);
    BLOBSCOPE_TRY(detail, m_builder.details().of(left, right));
    node.detail = std::move(detail.text);
    if (otherParent || pair.outOfOrder) node.detail += (node.detail.empty() ? "" : "; ") + moved;
  } else if (!node.newName.empty() && m_options.names) {
    node.status = Status::Renamed;
  } else if (otherParent || pair.outOfOrder) {
    node.status = Status::Moved;
    node.detail = moved;
  }
  const bool library = a.module->isLibrary() && node.status == Status::Same;
  if (library && !m_options.full) {
    m_builder.countSame(Topic::Module, 1);
    return Done{};
  }
  const uint32_t index = m_builder.add(std::move(node));
  if (pair.sameContent) return addSame(a, b, index);
  BLOBSCOPE_TRY(inside, addInside(a, b, index));
  if (inside == Inside::Different || otherParent || pair.outOfOrder || a.module->key != b.module->key) return Done{};
  // Generations store the same data in different forms; between libraries of one generation, only the order can differ.
  if (a.module->body->layout() != b.module->body->layout() || a.blob->era != b.blob->era || !m_options.order ||
      !m_options.names || !m_options.masks.empty() || inside == Inside::Renumbered)
    m_builder.changeStatus(index, Topic::Module, Status::Same, {});
  else
    m_builder.changeStatus(index, Topic::Module, Status::Moved, "same parts in a different order");
  return Done{};
}

Result<Done> ModuleComparer::addSame(const ModuleAt& a, const ModuleAt& b, uint32_t node) {
  if (!m_options.full || node == DiffNode::kNoParent) {
    const auto counts = countModuleItems(*a.module);
    for (std::size_t topic = 0; topic < kTopics; ++topic) m_builder.countSame(static_cast<Topic>(topic), counts[topic]);
    return Done{};
  }
  const auto addAll = [&](Topic topic, PartKind part, const std::string& name) {
    DiffNode same;
    same.topic = topic;
    same.parent = node;
    same.name = name;
    same.a = a.ref().part(part, name);
    same.b = b.ref().part(part, name);
    m_builder.add(std::move(same));
  };
  for (const modules::Kernel& kernel : a.module->body->kernels())
    addAll(Topic::Kernel, PartKind::Kernel, std::string(kernel.name.view()));
  for (const modules::PartGroup& group : a.module->body->parts())
    for (const modules::Part& part : group.parts)
      if (const auto topic = topicOf(group, part)) addAll(*topic, group.kind, part.name);
  return Done{};
}

Result<ModuleItems> ModuleComparer::readItems(const ModuleAt& at) {
  BLOBSCOPE_TRY(items, readModuleItems(*at.module, m_options, m_budget, m_monitor));
  if (!items.limit.empty())
    m_builder.addNote("not all images of module " + at.ref().toString() +
                      " were unpacked; the rest is compared as stored: " + items.limit);
  return items;
}

Result<ModuleComparer::Inside> ModuleComparer::addInside(const ModuleAt& a, const ModuleAt& b, uint32_t node) {
  BLOBSCOPE_TRY(itemsA, readItems(a));
  BLOBSCOPE_TRY(itemsB, readItems(b));
  bool same = true, renumbered = false;
  for (std::size_t number = 0; number < kTopics; ++number) {
    const auto topic = static_cast<Topic>(number);
    const ItemGroup* const left = itemsA.find(topic);
    const ItemGroup* const right = itemsB.find(topic);
    if (!left && !right) continue;
    const auto refOf = [](const ModuleAt& at, const ItemGroup* group) {
      const PartKind part = group ? group->part : PartKind::Kernel; // no item is requested without a group
      return [ref = at.ref(), part](const Item& item) { return ref.part(part, item.name); };
    };
    const ItemGroup& either = left ? *left : *right;
    TreeBuilder::Describe describe = nullptr;
    if (topic == Topic::Kernel)
      describe = [&](const Item& x, const Item& y) -> Result<PairDetail> {
        BLOBSCOPE_TRY(detail, m_builder.details().ofCode(x, y));
        renumbered = renumbered || detail.same;
        return detail;
      };
    if (topic == Topic::Tensor)
      describe = [&, part = either.part](const Item& x, const Item& y) -> Result<PairDetail> {
        const auto tensorOf = [&](const ModuleAt& at,
                                  const Item& item) -> Result<std::shared_ptr<const payloads::Tensor>> {
          auto content = at.module->body->part(part, item.index, m_monitor);
          if (content) return content->tensor;
          if (content.error().code() == ErrorCode::Cancelled) return content.takeError();
          return std::shared_ptr<const payloads::Tensor>();
        };
        BLOBSCOPE_TRY(tensorA, tensorOf(a, x));
        BLOBSCOPE_TRY(tensorB, tensorOf(b, y));
        if (!tensorA || !tensorB) return m_builder.details().of(x, y);
        return m_builder.details().ofTensors(x, y, *tensorA, *tensorB, m_builder.tree().largestDifference);
      };
    const std::vector<Item> none;
    BLOBSCOPE_TRY(equal,
                  m_builder.addItems(topic, left ? left->items : none, right ? right->items : none, either.rules, node,
                                     refOf(a, left ? left : right), refOf(b, right ? right : left), describe));
    same = same && equal;
  }
  if ((itemsA.sharedCode || itemsB.sharedCode) && (itemsA.find(Topic::Kernel) || itemsB.find(Topic::Kernel)))
    m_builder.addNote("the kernels of module " + a.ref().shown() + " '" + escaped(a.module->key.view()) +
                      "' share one image in which they cannot be separated: their names and arguments were compared, "
                      "and the image as a whole");
  BLOBSCOPE_TRY(fieldsEqual, addFields(a, b, itemsA, itemsB, !same, node));
  if (std::string note = m_builder.details().takeCodeNote(); !note.empty()) m_builder.addNote(std::move(note));
  const bool equal = same && fieldsEqual && a.module->body->decoded() && b.module->body->decoded();
  return equal ? (renumbered ? Inside::Renumbered : Inside::Same) : Inside::Different;
}

Result<bool> ModuleComparer::addFields(const ModuleAt& a, const ModuleAt& b, const ModuleItems& itemsA,
                                       const ModuleItems& itemsB, bool explained, uint32_t node) {
  bool complete = true, otherComplete = true;
  const std::vector<FieldRow> rowsA = fieldRowsOf(itemsA, kFieldRows, complete),
                              rowsB = fieldRowsOf(itemsB, kFieldRows, otherComplete);
  if (!complete || !otherComplete) {
    m_builder.addNote("the fields of module " + a.ref().shown() + " are too many to compare one by one");
    return false;
  }

  // --- 1. Graphs, node by node. ---
  bool same = true;
  std::vector<std::string> graphs;
  std::unordered_map<std::string_view, uint32_t> largeInB;
  for (const FieldRow& row : rowsB)
    if (row.large) largeInB.try_emplace(row.path, row.row);
  for (const FieldRow& row : rowsA) {
    const auto other = row.large ? largeInB.find(row.path) : largeInB.end();
    if (other == largeInB.end()) continue;
    const Bytes left = itemsA.tree->content(row.row), right = itemsB.tree->content(other->second);
    BLOBSCOPE_TRY(nodesA, readJsonItems(left, m_options.masks, m_monitor));
    if (!nodesA) continue;
    BLOBSCOPE_TRY(nodesB, readJsonItems(right, m_options.masks, m_monitor));
    if (!nodesB) continue;
    graphs.push_back(row.path);
    const auto refOf = [&](const ModuleAt& at) {
      return [ref = at.ref().part(PartKind::Field, row.path)](const Item&) { return ref; };
    };
    BLOBSCOPE_TRY(nodesEqual,
                  m_builder.addItems(Topic::GraphNode, nodesA->nodes, nodesB->nodes, {}, node, refOf(a), refOf(b)));
    BLOBSCOPE_TRY(valuesEqual, m_builder.addItems(Topic::Field, nodesA->values, nodesB->values, byNameAlone(), node,
                                                  refOf(a), refOf(b)));
    same = same && nodesEqual && valuesEqual;
  }

  // --- 2. All other fields. Items of lists are matched by content, since one more item moves all items after it. ---
  const auto addRows = [&](bool large, bool listed) -> Result<bool> {
    const auto itemsFrom = [&](const std::vector<FieldRow>& rows, const FieldTree& tree) {
      std::vector<Item> out;
      for (uint32_t i = 0; i < rows.size(); ++i) {
        const FieldRow& row = rows[i];
        const bool inList = row.path.find('[') != std::string::npos;
        if (row.large != large || inList != listed || std::find(graphs.begin(), graphs.end(), row.path) != graphs.end())
          continue;
        Item item;
        item.name = listed ? withoutIndices(row.path) : row.path;
        item.index = i;
        item.content = tree.content(row.row);
        if (large && payloads::sniff(item.content) == "ptx") item.language = "ptx";
        if (!large && listed)
          item.name += " = " + tree.value(row.row);
        else if (!large)
          item.shown = tree.value(row.row);
        out.push_back(std::move(item));
      }
      return out;
    };
    AlignRules rules = byNameAlone();
    rules.onlyEqual = listed;
    const auto refIn = [](const ModuleAt& at, const std::vector<FieldRow>& rows) {
      return [ref = at.ref(), &rows](const Item& item) { return ref.part(PartKind::Field, rows[item.index].path); };
    };
    const TreeBuilder::Describe describe = [&](const Item& x, const Item& y) {
      return large ? m_builder.details().ofCode(x, y) : m_builder.details().of(x, y);
    };
    return m_builder.addItems(Topic::Field, itemsFrom(rowsA, *itemsA.tree), itemsFrom(rowsB, *itemsB.tree), rules, node,
                              refIn(a, rowsA), refIn(b, rowsB), describe);
  };
  for (const bool large : {false, true}) {
    // Large fields contain what was already compared (unless none of it differs) and what masks hide.
    if (large && (explained || !same || !m_options.masks.empty())) break;
    for (const bool listed : {false, true}) {
      BLOBSCOPE_TRY(equal, addRows(large, listed));
      same = same && equal;
    }
  }
  return same;
}

Result<Done> ModuleComparer::addUnmatched(const std::vector<ModuleAt>& modules, bool inA, uint32_t parent) {
  for (const ModuleAt& at : modules) {
    if (m_monitor.stopRequested()) return cancelled();
    if (at.module->isLibrary()) continue; // the library itself; the generation that writes it does not matter
    DiffNode node;
    node.status = inA ? Status::Removed : Status::Added;
    node.topic = Topic::Module;
    node.parent = parent;
    (inA ? node.a : node.b) = at.ref();
    node.name = at.module->key.view();
    node.detail = countText(at.module->payload.size(), "byte");
    const uint32_t index = m_builder.add(std::move(node));
    Item item = itemOf(at, std::string(at.module->key.view()));
    item.index = static_cast<uint32_t>(m_unmatched.size());
    m_unmatched.push_back({at, inA, index});
    if (!item.content.empty()) m_builder.offer(index, Topic::Module, std::move(item), inA);
  }
  return Done{};
}

Result<Done> ModuleComparer::finish() {
  std::vector<bool> matched(m_unmatched.size(), false);
  Result<Done> inner = Done{};
  BLOBSCOPE_CHECK(m_builder.matchUnmatched(Topic::Module, [&](uint32_t node, const Item& a, const Item& b) {
    matched[a.index] = matched[b.index] = true;
    if (inner) inner = addSame(m_unmatched[a.index].at, m_unmatched[b.index].at, node);
  }));
  if (!inner) return inner;
  for (std::size_t i = 0; i < m_unmatched.size(); ++i) {
    if (matched[i]) continue;
    const UnmatchedModule& unmatched = m_unmatched[i];
    BLOBSCOPE_TRY(items, readItems(unmatched.at));
    for (const ItemGroup& group : items.groups)
      BLOBSCOPE_CHECK(
          m_builder.addUnmatched(group.topic, group.items, unmatched.inA, unmatched.node,
                                 [&](const Item& item) { return unmatched.at.ref().part(group.part, item.name); }));
  }
  return Done{};
}

} // namespace blobscope::diff
