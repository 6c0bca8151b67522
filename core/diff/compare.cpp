#include "core/diff/compare.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/diff/compare_modules.h"
#include "core/diff/host_items.h"
#include "core/diff/json_items.h"
#include "core/diff/same_bytes.h"
#include "core/diff/tree_builder.h"
#include "core/payloads/params/params.h"

#include <algorithm>
#include <unordered_map>

namespace blobscope::diff {
namespace {

using library::Package;
using library::PackageMember;

Error cancelled() { return Error(DiagnosticId::Cancelled, {}); }

bool isArchive(const Package& package) {
  return package.image.kind == container::Kind::Archive || !package.members.empty();
}

std::string containerText(const Package& package) {
  std::string out(container::formatTitle(package.image.format));
  if (package.image.kind != container::Kind::Other) out += " " + std::string(container::kindName(package.image.kind));
  return package.image.arch.empty() ? out : out + ", " + package.image.arch;
}

void collect(const Package& package, std::vector<const Package*>& out) {
  out.push_back(&package);
  for (const PackageMember& member : package.members)
    if (member.package) collect(*member.package, out);
}

/// Budget for both files together, with the memory limit of the larger one.
BudgetPtr budgetFor(const Package& a, const Package& b) {
  return Budget::forFile(a.bytes.size() + b.bytes.size(), std::max(a.budget->memoryLimit(), b.budget->memoryLimit()));
}

class Comparer {
public:
  Comparer(library::PackagePtr a, library::PackagePtr b, const CompareOptions& options, const SameBytes& same,
           Monitor& monitor, const FirstResults& first)
      : m_a(std::move(a)), m_b(std::move(b)), m_options(options), m_same(same), m_monitor(monitor), m_first(first),
        m_builder(options, same, monitor), m_modules(options, same, m_builder, budgetFor(*m_a, *m_b), monitor) {}

  Result<DiffTree> run() {
    const Package& a = *m_a;
    const Package& b = *m_b;
    if (isArchive(a) == isArchive(b)) {
      BLOBSCOPE_CHECK(comparePackages(a, b, DiffNode::kNoParent));
    } else {
      m_builder.addNote("one file is an archive: the modules and host functions of all its members are compared");
      std::vector<const Package*> allA, allB;
      collect(a, allA);
      collect(b, allB);
      BLOBSCOPE_CHECK(compareContent(allA, allB, DiffNode::kNoParent));
    }
    // Members before modules before the content of modules: what moved as a whole is reported once.
    BLOBSCOPE_CHECK(finishMembers());
    BLOBSCOPE_CHECK(m_modules.finish());
    for (const Topic topic : {Topic::Kernel, Topic::VmFunction, Topic::Tensor, Topic::HostFunction})
      BLOBSCOPE_CHECK(m_builder.matchUnmatched(topic, nullptr));
    BLOBSCOPE_CHECK(addRest(a, b));

    return withSides(m_builder.take());
  }

private:
  DiffTree withSides(DiffTree tree) const {
    tree.a = {m_a->path, m_a->bytes.size(), containerText(*m_a)};
    tree.b = {m_b->path, m_b->bytes.size(), containerText(*m_b)};
    tree.identical = m_same.identical();
    return tree;
  }

  /// Called between two parts of the work.
  void publishFirst() {
    if (m_first.due && m_first.due()) m_first.publish(withSides(m_builder.snapshot()));
  }

  /// A member without a partner.
  struct UnmatchedMember {
    const PackageMember* member;
    bool inA;
    uint32_t node;
  };

  Result<Done> comparePackages(const Package& a, const Package& b, uint32_t parent) {
    if (m_monitor.stopRequested()) return cancelled();
    BLOBSCOPE_CHECK(compareContent({&a}, {&b}, parent));
    if (m_options.container) BLOBSCOPE_CHECK(compareContainers(a, b, parent));
    if (!a.members.empty() || !b.members.empty()) return compareMembers(a, b, parent);
    return Done{};
  }

  /// Compares modules, parameters and host functions.
  Result<Done> compareContent(const std::vector<const Package*>& a, const std::vector<const Package*>& b,
                              uint32_t parent) {
    BLOBSCOPE_CHECK(m_modules.compare(modulesOf(a), modulesOf(b), parent));
    publishFirst();
    noteEras(a, b);
    BLOBSCOPE_CHECK(compareParams(a, b, parent));
    publishFirst();
    BLOBSCOPE_CHECK(compareHostFunctions(a, b, parent));
    publishFirst();
    return Done{};
  }

  void noteEras(const std::vector<const Package*>& a, const std::vector<const Package*>& b) {
    const auto eraOf = [](const std::vector<const Package*>& packages) -> std::optional<library::Era> {
      for (const Package* const package : packages)
        for (const auto& blob : package->blobs) return blob->era;
      return std::nullopt;
    };
    const auto left = eraOf(a), right = eraOf(b);
    if (left && right && *left != *right)
      m_builder.addNote("the blobs have different eras: " + std::string(library::eraName(*left)) + " (" +
                        std::string(library::eraReleases(*left)) + ") and " + std::string(library::eraName(*right)) +
                        " (" + std::string(library::eraReleases(*right)) + ")");
  }

  Result<Done> compareParams(const std::vector<const Package*>& a, const std::vector<const Package*>& b,
                             uint32_t parent) {
    struct Param {
      Ref ref;
      std::shared_ptr<const payloads::Tensor> tensor;
    };
    const auto read = [&](const std::vector<const Package*>& packages, std::vector<Item>& out,
                          std::vector<Param>& list) -> Result<Done> {
      for (const Package* const package : packages) {
        if (package->kind() != "params") continue;
        const auto params = payloads::readParams(package->bytes);
        if (!params) continue; // already reported when the file was opened
        for (std::size_t i = 0; i < (*params)->names.size() && i < (*params)->tensors.size(); ++i) {
          if (i % 4'096 == 0 && m_monitor.stopRequested()) return cancelled();
          const payloads::Tensor& tensor = (*params)->tensors[i];
          Item item;
          item.name = (*params)->names[i].view();
          item.index = static_cast<uint32_t>(list.size());
          item.content = tensor.data;
          item.facts.emplace_back("type", tensor.typeText() + " " + tensor.shapeText());
          out.push_back(std::move(item));
          list.push_back({package->ref(Ref::named(Ref::Kind::Param, (*params)->names[i].view())),
                          std::shared_ptr<const payloads::Tensor>(*params, &tensor)});
        }
      }
      return Done{};
    };
    std::vector<Item> itemsA, itemsB;
    std::vector<Param> paramsA, paramsB;
    BLOBSCOPE_CHECK(read(a, itemsA, paramsA));
    BLOBSCOPE_CHECK(read(b, itemsB, paramsB));
    AlignRules rules;
    rules.similar = false;
    const auto refIn = [](const std::vector<Param>& list) {
      return [&list](const Item& item) { return list[item.index].ref; };
    };
    const auto describe = [&](const Item& x, const Item& y) {
      return m_builder.details().ofTensors(x, y, *paramsA[x.index].tensor, *paramsB[y.index].tensor,
                                           m_builder.tree().largestDifference);
    };
    BLOBSCOPE_TRY(equal, m_builder.addItems(Topic::Tensor, itemsA, itemsB, rules, parent, refIn(paramsA),
                                            refIn(paramsB), describe));
    (void)equal;
    return Done{};
  }

  Result<Done> compareHostFunctions(const std::vector<const Package*>& a, const std::vector<const Package*>& b,
                                    uint32_t parent) {
    // Machine code for different machines, or for the calling conventions of different systems, cannot be compared.
    std::vector<std::string> machines;
    uint64_t functions = 0;
    for (const auto* const side : {&a, &b})
      for (const Package* const package : *side) {
        if (package->host.functions.empty()) continue;
        ++functions;
        const std::string machine =
            container::formatTitle(package->image.format) == "COFF"
                ? "PE, " + package->image.arch
                : std::string(container::formatTitle(package->image.format)) + ", " + package->image.arch;
        if (std::find(machines.begin(), machines.end(), machine) == machines.end()) machines.push_back(machine);
      }
    if (functions == 0) return Done{};
    struct Owner {
      const Package* package;
      uint32_t symbol;
    };
    const bool code = m_options.hostCode && machines.size() == 1;
    if (machines.size() > 1)
      m_builder.addNote("host functions are compared by name only: their code is for different systems (" +
                        machines[0] + " and " + machines[1] + ")");
    std::vector<Item> itemsA, itemsB;
    std::vector<Owner> ownersA, ownersB;
    const auto take = [this](std::vector<Item> items, const Package* package, std::vector<Item>& out,
                             std::vector<Owner>& owners) -> Result<Done> {
      out.reserve(out.size() + items.size());
      for (Item& item : items) {
        if (owners.size() % 4'096 == 0 && m_monitor.stopRequested()) return cancelled();
        owners.push_back({package, item.index});
        item.index = static_cast<uint32_t>(owners.size() - 1);
        out.push_back(std::move(item));
      }
      return Done{};
    };
    if (a.size() == 1 && b.size() == 1) {
      BLOBSCOPE_TRY(identical, m_same.equal(a.front()->bytes, b.front()->bytes, m_monitor));
      BLOBSCOPE_TRY(tables, readHostFunctions(*a.front(), *b.front(), code, {m_options, m_same, identical}, m_monitor));
      BLOBSCOPE_CHECK(addSame(Topic::HostFunction, Ref::Kind::Host, *a.front(), *b.front(), tables.same, parent));
      BLOBSCOPE_CHECK(take(std::move(tables.a), a.front(), itemsA, ownersA));
      BLOBSCOPE_CHECK(take(std::move(tables.b), b.front(), itemsB, ownersB));
    } else {
      for (const bool inA : {true, false})
        for (const Package* const package : inA ? a : b) {
          BLOBSCOPE_TRY(items, readHostFunctions(*package, code, m_monitor));
          BLOBSCOPE_CHECK(take(std::move(items), package, inA ? itemsA : itemsB, inA ? ownersA : ownersB));
        }
    }
    AlignRules rules;
    rules.ordered = false; // the order in a symbol table is that of a hash
    rules.similar = code;
    const auto refIn = [](const std::vector<Owner>& owners) {
      return [&owners](const Item& item) {
        return owners[item.index].package->ref(Ref::named(Ref::Kind::Host, item.name));
      };
    };
    const auto describe = [&](const Item& x, const Item& y) {
      const Owner& left = ownersA[x.index];
      const Owner& right = ownersB[y.index];
      // The outermost packages keep their members alive.
      return m_builder.details().ofHostCode(x, y, library::PackagePtr(m_a, left.package), left.symbol,
                                            library::PackagePtr(m_b, right.package), right.symbol,
                                            m_options.masks.has(Mask::Addresses));
    };
    BLOBSCOPE_TRY(equal, m_builder.addItems(Topic::HostFunction, itemsA, itemsB, rules, parent, refIn(ownersA),
                                            refIn(ownersB), describe));
    (void)equal;
    return Done{};
  }

  /// Adds symbols that are the same, with the names that refs of that kind use.
  Result<Done> addSame(Topic topic, Ref::Kind kind, const Package& a, const Package& b,
                       const std::vector<std::pair<uint32_t, uint32_t>>& same, uint32_t parent) {
    if (!m_options.full) {
      m_builder.countSame(topic, same.size());
      return Done{};
    }
    std::unordered_map<uint32_t, std::string_view> names; // names of host functions are without their prefix
    if (kind == Ref::Kind::Host)
      for (const host::Function& function : a.host.functions) names.emplace(function.symbol, function.name);
    uint64_t steps = 0;
    for (const auto& [left, right] : same) {
      if (steps++ % 4'096 == 0 && m_monitor.stopRequested()) return cancelled();
      const std::string_view name = kind == Ref::Kind::Host ? names[left] : a.image.symbols[left].name;
      DiffNode node;
      node.topic = topic;
      node.parent = parent;
      node.name = name;
      node.a = a.ref(Ref::named(kind, name));
      node.b = b.ref(Ref::named(kind, name));
      m_builder.add(std::move(node));
    }
    return Done{};
  }

  /// Compares symbols and sections, which is possible only for containers with the same format.
  Result<Done> compareContainers(const Package& a, const Package& b, uint32_t parent) {
    if (a.image.format != b.image.format) {
      m_builder.addNote("sections and symbols are not compared: the containers have different formats (" +
                        containerText(a) + " and " + containerText(b) + ")");
      return Done{};
    }
    AlignRules rules;
    rules.ordered = rules.renamed = rules.similar = false;
    const auto refIn = [](const Package& package, Ref::Kind kind) {
      return [&package, kind](const Item& item) { return package.ref(Ref::named(kind, item.name)); };
    };
    BLOBSCOPE_TRY(equal, m_same.equal(a.bytes, b.bytes, m_monitor));
    BLOBSCOPE_TRY(symbols, readSymbols(a, b, {m_options, m_same, equal}, m_monitor));
    BLOBSCOPE_CHECK(addSame(Topic::Symbol, Ref::Kind::Symbol, a, b, symbols.same, parent));
    BLOBSCOPE_TRY(sectionsA, readSections(a, m_monitor));
    BLOBSCOPE_TRY(sectionsB, readSections(b, m_monitor));
    BLOBSCOPE_TRY(sectionsEqual, m_builder.addItems(Topic::Section, sectionsA, sectionsB, rules, parent,
                                                    refIn(a, Ref::Kind::Section), refIn(b, Ref::Kind::Section)));
    BLOBSCOPE_TRY(symbolsEqual, m_builder.addItems(Topic::Symbol, symbols.a, symbols.b, rules, parent,
                                                   refIn(a, Ref::Kind::Symbol), refIn(b, Ref::Kind::Symbol)));
    (void)sectionsEqual, (void)symbolsEqual;
    return Done{};
  }

  static Ref refOf(const Package& package, const PackageMember& member) {
    return member.package ? member.package->ref(Ref::file()) : package.ref(Ref::named(Ref::Kind::Member, member.name));
  }

  Result<Done> compareMembers(const Package& a, const Package& b, uint32_t parent) {
    const auto itemsOf = [](const Package& package) {
      std::vector<Item> out;
      for (uint32_t i = 0; i < package.members.size(); ++i) {
        Item item;
        item.name = package.members[i].name;
        item.index = i;
        item.content = package.members[i].stored->bytes;
        item.facts.emplace_back("role", std::string(package.members[i].role));
        if (!package.members[i].stored->note.empty())
          item.facts.emplace_back("note", escaped(package.members[i].stored->note));
        out.push_back(std::move(item));
      }
      return out;
    };
    const std::vector<Item> itemsA = itemsOf(a), itemsB = itemsOf(b);
    AlignRules rules;
    rules.ordered = m_options.order;
    BLOBSCOPE_TRY(alignment, align(itemsA, itemsB, rules, m_same, m_monitor));
    for (const Pair& pair : alignment.pairs) {
      if (m_monitor.stopRequested()) return cancelled();
      BLOBSCOPE_CHECK(addMemberPair(a, b, itemsA[pair.a], itemsB[pair.b], pair, parent));
    }
    const auto addUnmatched = [&](const Package& package, const std::vector<Item>& items,
                                  const std::vector<uint32_t>& indices, bool inA) {
      for (const uint32_t index : indices) {
        const PackageMember& member = package.members[items[index].index];
        DiffNode node;
        node.status = inA ? Status::Removed : Status::Added;
        node.topic = Topic::Member;
        node.parent = parent;
        (inA ? node.a : node.b) = refOf(package, member);
        node.name = member.name;
        node.detail = std::string(member.role) + ", " + countText(member.stored->bytes.size(), "byte");
        Item item = items[index];
        item.index = static_cast<uint32_t>(m_unmatched.size());
        const uint32_t number = m_builder.add(std::move(node));
        m_unmatched.push_back({&member, inA, number});
        if (!item.content.empty()) m_builder.offer(number, Topic::Member, std::move(item), inA);
      }
    };
    addUnmatched(a, itemsA, alignment.onlyA, true);
    addUnmatched(b, itemsB, alignment.onlyB, false);
    return Done{};
  }

  Result<Done> addMemberPair(const Package& a, const Package& b, const Item& left, const Item& right, const Pair& pair,
                             uint32_t parent) {
    const PackageMember& inA = a.members[left.index];
    const PackageMember& inB = b.members[right.index];
    DiffNode node;
    node.topic = Topic::Member;
    node.parent = parent;
    node.name = left.name;
    if (left.name != right.name) node.newName = right.name;
    node.a = refOf(a, inA);
    node.b = refOf(b, inB);
    if (!pair.sameContent) {
      node.status = Status::Changed;
      BLOBSCOPE_TRY(detail, m_builder.details().of(left, right));
      node.detail = std::move(detail.text);
    } else if (!pair.sameName && m_options.names) {
      const auto baseOf = [](std::string_view path) { return path.substr(path.find_last_of('/') + 1); };
      const bool moved = baseOf(left.name) == baseOf(right.name);
      node.status = moved ? Status::Moved : Status::Renamed;
      if (moved) node.detail = "different folder";
    } else if (pair.outOfOrder) {
      node.status = Status::Moved;
      node.detail = "different position";
    }
    const uint32_t index = m_builder.add(std::move(node));
    const uint64_t before = m_builder.differing();
    BLOBSCOPE_TRY(compared, compareInside(a, b, left, right, index));
    // What the options ignore may be the only difference.
    if (compared && !pair.sameContent && m_options.lenient() && m_builder.differing() == before)
      m_builder.changeStatus(index, Topic::Member, Status::Same, {});
    return Done{};
  }

  /// Compares the content of two members; returns whether anything but bytes was compared.
  Result<bool> compareInside(const Package& a, const Package& b, const Item& left, const Item& right, uint32_t node) {
    const PackageMember& inA = a.members[left.index];
    const PackageMember& inB = b.members[right.index];
    if (inA.package && inB.package) {
      BLOBSCOPE_CHECK(comparePackages(*inA.package, *inB.package, node));
      return inA.package->image.kind != container::Kind::Text;
    }
    BLOBSCOPE_TRY(equal, m_same.equal(left.content, right.content, m_monitor));
    if (equal) return false;
    BLOBSCOPE_TRY(valuesA, readJsonItems(left.content, m_options.masks, m_monitor));
    if (!valuesA) return false;
    BLOBSCOPE_TRY(valuesB, readJsonItems(right.content, m_options.masks, m_monitor));
    if (!valuesB) return false;
    const auto memberRef = [](const Package& package, const PackageMember& member) {
      return [ref = refOf(package, member)](const Item&) { return ref; };
    };
    AlignRules rules;
    rules.ordered = rules.renamed = rules.similar = false;
    BLOBSCOPE_TRY(nodesEqual, m_builder.addItems(Topic::GraphNode, valuesA->nodes, valuesB->nodes, {}, node,
                                                 memberRef(a, inA), memberRef(b, inB)));
    BLOBSCOPE_TRY(valuesEqual, m_builder.addItems(Topic::Field, valuesA->values, valuesB->values, rules, node,
                                                  memberRef(a, inA), memberRef(b, inB)));
    (void)nodesEqual, (void)valuesEqual;
    return true;
  }

  Result<Done> finishMembers() {
    std::vector<bool> matched(m_unmatched.size(), false);
    BLOBSCOPE_CHECK(m_builder.matchUnmatched(
        Topic::Member, [&](uint32_t, const Item& a, const Item& b) { matched[a.index] = matched[b.index] = true; }));
    for (std::size_t i = 0; i < m_unmatched.size(); ++i) {
      if (matched[i] || !m_unmatched[i].member->package) continue;
      std::vector<const Package*> all;
      collect(*m_unmatched[i].member->package, all);
      BLOBSCOPE_CHECK(m_modules.addUnmatched(modulesOf(all), m_unmatched[i].inA, m_unmatched[i].node));
    }
    return Done{};
  }

  /// What differs outside of all nodes.
  struct Rest {
    bool inArchive = false; ///< only headers and padding of an archive were compared, member by member
    uint64_t bytes = 0;     ///< that differ
    uint64_t onlyA = 0, onlyB = 0;
    uint64_t firstA = 0, firstB = 0; ///< offsets in the files
  };

  /// The bytes between the contents of members, and before the first and after the last: headers and padding. Empty
  /// when the contents do not follow one another in the file, as in a compressed one.
  static std::vector<Bytes> betweenMembers(const Package& package) {
    std::vector<Bytes> out;
    const auto base = reinterpret_cast<uintptr_t>(package.bytes.data());
    uint64_t end = 0;
    for (const PackageMember& member : package.members) {
      if (!member.stored) return {};
      const Bytes& content = member.stored->bytes;
      if (content.size() == 0) continue;
      const auto at = reinterpret_cast<uintptr_t>(content.data());
      if (at < base || at - base < end || at - base > package.bytes.size() ||
          content.size() > package.bytes.size() - (at - base))
        return {};
      out.push_back(package.bytes.slice(end, at - base - end));
      end = at - base + content.size();
    }
    if (!out.empty()) out.push_back(package.bytes.slice(end, package.bytes.size() - end));
    return out;
  }

  /// Headers of one member may be longer than those of its partner, so that bytes at the same offset say nothing.
  Result<Rest> countRest(const Package& a, const Package& b) const {
    Rest out;
    const std::vector<Bytes> left = betweenMembers(a), right = betweenMembers(b);
    if (left.empty() || left.size() != right.size()) {
      BLOBSCOPE_TRY(count, m_same.countDifferences(a.bytes, b.bytes, m_monitor));
      out.bytes = count.bytes;
      out.firstA = out.firstB = count.first.value_or(0);
      return out;
    }
    out.inArchive = true;
    bool found = false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      // The header of the member is at the end; after the last member there is only padding.
      const uint64_t size = std::min(left[i].size(), right[i].size());
      const bool last = i + 1 == left.size();
      const Bytes x = left[i].slice(last ? 0 : left[i].size() - size, size),
                  y = right[i].slice(last ? 0 : right[i].size() - size, size);
      BLOBSCOPE_TRY(count, m_same.countDifferences(x, y, m_monitor));
      out.bytes += count.bytes;
      out.onlyA += left[i].size() - size;
      out.onlyB += right[i].size() - size;
      if (found || (count.bytes == 0 && left[i].size() == right[i].size())) continue;
      found = true;
      const auto offset = [&](const Package& package, const Bytes& bytes) {
        return static_cast<uint64_t>(bytes.data() - package.bytes.data()) + count.first.value_or(last ? size : 0);
      };
      out.firstA = offset(a, x);
      out.firstB = offset(b, y);
    }
    return out;
  }

  /// Compares bytes that belong to no node: headers, padding, bytes after the last section. Reported when nothing else
  /// differs.
  Result<Done> addRest(const Package& a, const Package& b) {
    if (m_same.identical() || m_builder.differing() > 0 || a.image.format != b.image.format || m_options.lenient())
      return Done{};
    BLOBSCOPE_TRY(rest, countRest(a, b));
    DiffNode node;
    node.status = Status::Changed;
    node.topic = Topic::Section;
    node.name = rest.inArchive ? "headers and padding of the archive" : "bytes outside all nodes";
    node.a = Ref::bytesAt(std::min(rest.firstA, a.bytes.size()));
    node.b = Ref::bytesAt(std::min(rest.firstB, b.bytes.size()));
    std::vector<std::string> parts;
    if (rest.bytes > 0 || !rest.inArchive)
      parts.push_back(groupedText(rest.bytes) +
                      (rest.bytes == 1 ? " byte differs, at " : " bytes differ, the first at ") + hexText(rest.firstA));
    if (rest.onlyA > 0) parts.push_back(groupedText(rest.onlyA) + " bytes are only in the first file");
    if (rest.onlyB > 0) parts.push_back(groupedText(rest.onlyB) + " bytes are only in the second file");
    for (const std::string& part : parts) node.detail += (node.detail.empty() ? "" : "; ") + part;
    m_builder.add(std::move(node));
    return Done{};
  }

  library::PackagePtr m_a, m_b;
  const CompareOptions& m_options;
  const SameBytes& m_same;
  Monitor& m_monitor;
  const FirstResults& m_first;
  TreeBuilder m_builder;
  ModuleComparer m_modules;
  std::vector<UnmatchedMember> m_unmatched;
};

} // namespace

Result<DiffTree> compare(const library::PackagePtr& a, const library::PackagePtr& b, const CompareOptions& options,
                         Monitor& monitor, const FirstResults& first) {
  longWork("diff::compare");
  BLOBSCOPE_TRY(same, SameBytes::of(a->bytes, b->bytes, monitor));
  return Comparer(a, b, options, same, monitor, first).run();
}

} // namespace blobscope::diff
