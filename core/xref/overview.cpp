#include "core/xref/overview.h"

#include "core/base/text.h"
#include "core/view/page_id.h"
#include "core/xref/relations.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace blobscope::xref {
namespace {

/// The number of rows of one kind; a page of the node has all of them.
constexpr std::size_t kShown = 16;
/// The longest name in a label, in bytes.
constexpr std::size_t kLabelBytes = 120;

struct Fact {
  std::string label, value;
  std::optional<Ref> target = {};
};

class FactsTable final : public view::TableSource {
public:
  explicit FactsTable(std::vector<Fact> facts) : m_facts(std::move(facts)) {}
  std::vector<view::Column> columns() const override { return {{"fact"}, {"value"}}; }
  uint64_t rowCount() const override { return m_facts.size(); }
  std::string cell(uint64_t row, std::size_t column) const override {
    return column == 0 ? m_facts[row].label : m_facts[row].value;
  }
  std::optional<Ref> target(uint64_t row, const Ref&) const override { return m_facts[row].target; }

private:
  std::vector<Fact> m_facts;
};

/// Adds facts about one node.
class Describer {
public:
  Describer(const Functions& functions, const library::Resolved& node) : m_all(functions), m_node(node) {}

  std::vector<Fact> take(const view::TableSource& own) {
    m_node.module&& m_node.ref.parts.empty() ? module(*m_node.module) : function();
    for (uint64_t row = 0; row < own.rowCount(); ++row) m_facts.push_back({own.cell(row, 0), own.cell(row, 1)});
    return std::move(m_facts);
  }

private:
  void add(std::string label, std::string value, std::optional<Ref> target = {}) {
    m_facts.push_back({std::move(label), std::move(value), std::move(target)});
  }

  void module(const library::Module& module) {
    const uint64_t size = module.payload.size();
    if (size > 0) add("size", sizeText(size) + ", " + shareText(size, m_node.blob->bytes.size()) + " of the blob");
    if (module.isLibrary()) hostFunctions();
    kernels();
    vmFunctions();
    for (const modules::PartGroup& group : module.body->parts()) parts(group);
  }

  void hostFunctions() {
    uint64_t count = 0, bytes = 0, launching = 0;
    for (const HostFunction& function : m_all.hosts) {
      if (function.ref.members != m_node.ref.members) continue;
      ++count;
      if (function.bytes) bytes += function.bytes->size.value_or(0);
      if (!function.launches.empty()) ++launching;
    }
    std::string text = groupedText(count);
    if (bytes > 0) text += ", " + sizeText(bytes) + " of machine code";
    if (launching > 0) text += "; " + groupedText(launching) + (launching == 1 ? " launches" : " launch") + " kernels";
    add("host functions", std::move(text));
  }

  void kernels() {
    std::vector<const Kernel*> own;
    std::size_t launched = 0;
    for (const Kernel& kernel : m_all.kernels) {
      Ref module = kernel.ref;
      module.parts.clear();
      if (module != m_node.ref) continue;
      own.push_back(&kernel);
      if (!kernel.launchedBy.empty()) ++launched;
    }
    if (own.empty()) return;
    add("kernels", groupedText(own.size()) + ", " + (launched == own.size() ? "all" : groupedText(launched)) +
                       " launched by host functions of this file");
    for (std::size_t i = 0; i < std::min(own.size(), kShown); ++i) kernel(*own[i]);
    if (own.size() > kShown) add("", groupedText(own.size() - kShown) + " more on the page Functions");
  }
  void kernel(const Kernel& kernel) {
    std::string text = !kernel.resources.empty() ? kernel.resources : kernel.launch;
    if (kernel.launchedBy.empty())
      text += std::string(text.empty() ? "" : "; ") + "no host function of this file launches it";
    else
      text += std::string(text.empty() ? "" : "; ") + "launched by " +
              escapedWithin(m_all.hosts[kernel.launchedBy.front().index].signature.function, kLabelBytes) +
              moreText(kernel.launchedBy.size() - 1);
    add(escapedWithin(kernel.name, kLabelBytes), std::move(text), kernel.ref);
  }

  void vmFunctions() {
    std::size_t count = 0;
    for (const Caller& caller : m_all.callers) {
      Ref module = caller.ref;
      module.parts.clear();
      if (module != m_node.ref || caller.ref.parts.empty() || ++count > kShown) continue;
      const auto inFile = std::count_if(caller.calls.begin(), caller.calls.end(),
                                        [](const Caller::Call& call) { return call.host || call.caller; });
      std::string text = caller.calls.empty()
                             ? "calls nothing"
                             : "calls " + groupedText(caller.calls.size()) +
                                   (caller.calls.size() == 1 ? " function, " : " functions, ") +
                                   groupedText(static_cast<uint64_t>(inFile)) + " of them in this file";
      if (!caller.calledBy.empty())
        text += "; called by " + escapedWithin(m_all.callers[caller.calledBy.front()].name, kLabelBytes) +
                moreText(caller.calledBy.size() - 1);
      add(escapedWithin(caller.name, kLabelBytes), std::move(text), caller.ref);
    }
    if (count > kShown) add("", groupedText(count - kShown) + " more on the page Functions");
  }

  /// Adds a row such as "13 with 1.2 KiB; the largest is number 6: float32[4, 3, 3, 3], 432 bytes".
  void parts(const modules::PartGroup& group) {
    uint64_t bytes = 0;
    const modules::Part* largest = nullptr;
    for (const modules::Part& part : group.parts) {
      bytes += part.size.value_or(0);
      if (part.size && (!largest || *part.size > *largest->size)) largest = &part;
    }
    if (bytes == 0) return;
    std::string label(group.title);
    label[0] = static_cast<char>(label[0] | 0x20);
    std::string text = groupedText(group.parts.size());
    if (group.parts.size() == 1)
      text += " with " + sizeText(bytes);
    else
      text += " with " + sizeText(bytes) + "; the largest is " + (parseNumber(largest->name) ? "number " : "") +
              escapedWithin(largest->name, kLabelBytes) + ": " +
              (largest->detail.empty() ? "" : largest->detail + ", ") + sizeText(*largest->size);
    add(std::move(label), std::move(text));
  }

  void function() {
    const RelatedNode related(m_all, m_node.ref);
    if (const host::Signature* const signature = related.signature();
        signature && signature->source != host::Signature::Source::None)
      add("signature", escapedWithin(signature->text(), kCellBytes));
    std::size_t shown = 0, left = 0;
    for (const Relation& relation : related.relations()) {
      if (relation.what != "bytes" && ++shown > kShown) {
        ++left;
        continue;
      }
      if (relation.what == "bytes") {
        add("code", relation.name, relation.target);
        continue;
      }
      std::string text(wordsOf(relation.what));
      if (!relation.detail.empty()) text += ": " + escapedWithin(relation.detail, kCellBytes);
      add(escapedWithin(relation.name, kLabelBytes), std::move(text), relation.target);
    }
    if (left > 0) add("", groupedText(left) + " more on the page Calls");
    if (shown == 0) add("calls", "nothing in this file is known to call it, or to be called or launched by it");
  }

  /// Returns the relation of another function to this one.
  static std::string_view wordsOf(std::string_view what) {
    if (what == "called by") return "calls this function";
    if (what == "launches") return "a kernel that this function launches";
    if (what == "compiled as") return "contains the code of this function";
    return what;
  }
  static std::string moreText(std::size_t more) { return more == 0 ? "" : " and " + groupedText(more) + " more"; }

  const Functions& m_all;
  const library::Resolved& m_node;
  std::vector<Fact> m_facts;
};

} // namespace

view::Page overviewPage(const Functions& functions, const library::Resolved& node, const view::TableSource& own) {
  return {view::page_id::kOverview,
          view::TablePage{std::make_shared<FactsTable>(Describer(functions, node).take(own)), true}};
}

} // namespace blobscope::xref
