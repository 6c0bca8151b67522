#include "core/xref/pages.h"

#include "core/base/text.h"
#include "core/library/node.h"
#include "core/library/resolve.h"
#include "core/modules/calls.h"
#include "core/view/page_id.h"
#include "core/xref/functions.h"

#include <algorithm>
#include <memory>

namespace blobscope::xref {
namespace {

using library::Package;
using library::PackagePtr;
using FunctionsPtr = std::shared_ptr<const Functions>;

/// Rows of one group of the Details panel; the page has all of them.
constexpr std::size_t kDetailRows = 24;
/// Bytes of one signature and of one list of names in a cell.
constexpr std::size_t kCellBytes = 4'096, kNamesBytes = 400;

/// Names of a list, in at most about kNamesBytes.
template <class T, class NameOf> std::string joinedNames(const std::vector<T>& items, const NameOf& nameOf) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (out.size() > kNamesBytes) return out + ", … " + groupedText(items.size() - i) + " more";
    out += (i > 0 ? ", " : "") + escaped(nameOf(items[i]));
  }
  return out;
}

/// "(A: Tensor([n], float32), n: int32)"; "–" when nothing tells it.
std::string argumentsOf(const host::Signature& signature) {
  if (signature.source == host::Signature::Source::None) return "–";
  return escapedWithin(signature.text().substr(signature.function.size()), kCellBytes);
}

class HostTable final : public view::TableSource {
public:
  HostTable(FunctionsPtr functions, std::vector<uint32_t> rows)
      : m_functions(std::move(functions)), m_rows(std::move(rows)) {}
  std::vector<view::Column> columns() const override {
    return {{"name"}, {"signature"}, {"from"}, {"kernels"}, {"launch parameters"}, {"called by"}};
  }
  uint64_t rowCount() const override { return m_rows.size(); }
  std::string cell(uint64_t row, std::size_t column) const override {
    const HostFunction& function = m_functions->hosts[m_rows[row]];
    switch (column) {
    case 0: return escaped(function.signature.function);
    case 1: return argumentsOf(function.signature);
    case 2: return std::string(host::sourceName(function.signature.source));
    case 3:
      return joinedNames(function.launches, [&](const Link& link) { return m_functions->kernels[link.index].name; });
    case 4: return launchText(function);
    default: return joinedNames(function.calledBy, [&](uint32_t caller) { return m_functions->callers[caller].name; });
    }
  }
  std::optional<Ref> target(uint64_t row, const Ref&) const override { return m_functions->hosts[m_rows[row]].ref; }

private:
  /// Of all its kernels; what several share stands once.
  std::string launchText(const HostFunction& function) const {
    std::vector<std::string> texts;
    for (const Link& link : function.launches) {
      const std::string& text = m_functions->kernels[link.index].launch;
      if (texts.size() < 8 && std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
    }
    std::string out;
    for (const std::string& text : texts) out += (out.empty() ? "" : "; ") + text;
    return out;
  }

  FunctionsPtr m_functions;
  std::vector<uint32_t> m_rows;
};

/// One relation of a node to another.
struct Relation {
  std::string_view what; ///< "called by", a literal
  std::string name, detail;
  std::string_view known; ///< "by name", a literal
  std::optional<Ref> target;
};

class RelationTable final : public view::TableSource {
public:
  explicit RelationTable(std::vector<Relation> rows) : m_rows(std::move(rows)) {}
  std::vector<view::Column> columns() const override { return {{"relation"}, {"name"}, {"details"}, {"known"}}; }
  uint64_t rowCount() const override { return m_rows.size(); }
  std::string cell(uint64_t row, std::size_t column) const override {
    const Relation& relation = m_rows[row];
    switch (column) {
    case 0: return std::string(relation.what);
    case 1: return escaped(relation.name);
    case 2: return escapedWithin(relation.detail, kCellBytes);
    default: return std::string(relation.known);
    }
  }
  std::optional<Ref> target(uint64_t row, const Ref&) const override { return m_rows[row].target; }

private:
  std::vector<Relation> m_rows;
};

constexpr std::string_view kCode = "by its code", kName = "by name";

std::string timesText(uint64_t times) { return times == 1 ? std::string() : groupedText(times) + " times"; }

/// What a ref stands for among the functions, and what it is related to.
class Node {
public:
  Node(const Functions& functions, const Ref& ref)
      : m_all(functions), m_host(functions.findHost(ref)), m_kernel(functions.findKernel(ref)),
        m_caller(functions.findCaller(ref)) {}

  const host::Signature* signature() const {
    if (m_host) return &m_all.hosts[*m_host].signature;
    return m_caller ? &m_all.callers[*m_caller].signature : nullptr;
  }
  std::string result() const { return m_caller ? m_all.callers[*m_caller].result : std::string(); }

  std::vector<Relation> relations() const {
    std::vector<Relation> out;
    if (m_host) {
      const HostFunction& function = m_all.hosts[*m_host];
      for (const uint32_t caller : function.calledBy) out.push_back(calledBy(caller, *m_host));
      for (const Link& link : function.launches)
        out.push_back({"launches", m_all.kernels[link.index].name, kernelText(m_all.kernels[link.index]),
                       basisText(link.basis), m_all.kernels[link.index].ref});
      if (function.bytes) out.push_back({"bytes", function.bytes->shown(), "machine code", kCode, function.bytes});
    } else if (m_kernel) {
      const Kernel& kernel = m_all.kernels[*m_kernel];
      for (const Link& link : kernel.launchedBy) {
        const HostFunction& function = m_all.hosts[link.index];
        out.push_back({"launched by", function.signature.function, argumentsOf(function.signature),
                       basisText(link.basis), function.ref});
        for (const uint32_t caller : function.calledBy) out.push_back(calledBy(caller, link.index));
      }
      if (kernel.bytes) out.push_back({"bytes", kernel.bytes->shown(), kernel.resources, kCode, kernel.bytes});
    } else if (m_caller) {
      const Caller& caller = m_all.callers[*m_caller];
      for (const uint32_t other : caller.calledBy)
        out.push_back({"called by", m_all.callers[other].name, std::string(m_all.callers[other].kind), kCode,
                       m_all.callers[other].ref});
      if (caller.compiledAs)
        out.push_back({"compiled as", m_all.hosts[*caller.compiledAs].signature.function, "host function", kName,
                       m_all.hosts[*caller.compiledAs].ref});
      for (const Caller::Call& call : caller.calls) {
        Relation relation{"calls", call.name, timesText(call.times), {}, {}};
        if (call.host) {
          relation.target = m_all.hosts[*call.host].ref;
          relation.known = kName;
          relation.detail += (relation.detail.empty() ? "" : ", ") + argumentsOf(m_all.hosts[*call.host].signature);
        } else if (call.caller) {
          relation.target = m_all.callers[*call.caller].ref;
          relation.known = kCode;
        } else {
          relation.detail += std::string(relation.detail.empty() ? "" : ", ") + "not in this file";
        }
        out.push_back(std::move(relation));
      }
    }
    return out;
  }

private:
  Relation calledBy(uint32_t index, uint32_t host) const {
    const Caller& caller = m_all.callers[index];
    uint64_t times = 0;
    for (const Caller::Call& call : caller.calls)
      if (call.host == host) times += call.times;
    const std::string count = caller.compiledAs == host ? "its code" : timesText(times);
    return {"called by", caller.name, std::string(caller.kind) + (count.empty() ? "" : ", " + count), kName,
            caller.ref};
  }
  static std::string kernelText(const Kernel& kernel) {
    std::string out = kernel.moduleKey + ": " + kernel.arguments;
    if (!kernel.launch.empty()) out += "; " + kernel.launch;
    if (!kernel.resources.empty()) out += "; " + kernel.resources;
    return out;
  }

  const Functions& m_all;
  std::optional<uint32_t> m_host, m_kernel, m_caller;
};

view::Page signaturePage(const host::Signature* signature) {
  const std::string name = "Signature";
  if (!signature || signature->source == host::Signature::Source::None)
    return {name, view::NoticePage{"No text of the file tells what this function takes: its checks were left out when "
                                   "it was compiled, or it makes none."}};
  if (signature->parameters.empty()) return {name, view::NoticePage{"It takes no arguments."}};
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < signature->parameters.size(); ++i) {
    const host::Parameter& parameter = signature->parameters[i];
    rows.push_back({std::to_string(i), escaped(parameter.name), escapedWithin(parameter.text(), kCellBytes),
                    parameter.deviceType ? host::deviceTypeName(*parameter.deviceType) : "",
                    std::string(host::sourceName(signature->source))});
  }
  return view::tablePage(name, {{"argument", true}, {"name"}, {"type"}, {"device"}, {"from"}}, std::move(rows));
}

view::Page callsPage(const Node& node) {
  std::vector<Relation> relations = node.relations();
  if (relations.empty())
    return {"Calls",
            view::NoticePage{"Nothing in this file is known to call it, and it is not known to call anything."}};
  return {"Calls", view::TablePage{std::make_shared<RelationTable>(std::move(relations))}};
}

view::Page later(std::string name, const PackagePtr& package, std::function<view::Page(FunctionsPtr)> make) {
  return {std::move(name),
          view::LaterPage{"table", [package, make = std::move(make)](Monitor& monitor) -> Result<view::Page> {
                            BLOBSCOPE_TRY(functions, computeFunctions(package, monitor));
                            return make(std::make_shared<const Functions>(std::move(functions)));
                          }}};
}

bool hasFunctions(const PackagePtr& package) {
  bool any = false;
  library::forEachPackage(package, [&](const PackagePtr& inner) {
    any |= !inner->host.functions.empty();
    for (const auto& blob : inner->blobs) any |= !blob->modules.empty();
  });
  return any;
}

bool isHostFunction(const Package& package, const Ref& ref) {
  if (ref.at) return false;
  if (ref.kind == Ref::Kind::Host) return true;
  if (ref.kind != Ref::Kind::Symbol) return false;
  return std::any_of(package.host.functions.begin(), package.host.functions.end(), [&](const host::Function& function) {
    return package.image.symbols[function.symbol].name == ref.name;
  });
}

/// Whether the node is a kernel, a function of a virtual machine, or a module with a graph.
bool mayCall(const library::Resolved& found) {
  const Ref& ref = found.ref;
  if (!found.module || ref.at || ref.parts.size() > 1) return false;
  if (!ref.parts.empty()) return ref.parts[0].kind == PartKind::Kernel || ref.parts[0].kind == PartKind::Function;
  return modules::hasGraph(*found.module->body);
}

std::size_t placeOf(const view::PageList& pages, std::initializer_list<std::string_view> names) {
  const auto found = std::find_if(pages.begin(), pages.end(), [&](const view::Page& page) {
    return std::find(names.begin(), names.end(), page.name) != names.end();
  });
  return static_cast<std::size_t>(found - pages.begin());
}

void addRelations(view::Details& details, const std::vector<Relation>& relations, std::string_view what,
                  std::string title) {
  view::DetailGroup group{std::move(title), {}, {}, {}};
  std::size_t count = 0;
  for (const Relation& relation : relations) {
    if (relation.what != what || ++count > kDetailRows) continue;
    view::DetailRow row{escaped(relation.name), std::string(relation.known), false, relation.target, {}};
    if (row.value.empty()) row.value = relation.target ? "" : "not in this file";
    group.rows.push_back(std::move(row));
  }
  if (count > kDetailRows) group.note = groupedText(count - kDetailRows) + " more in Calls.";
  if (count > 0) details.push_back(std::move(group));
}

} // namespace

Result<Done> addPages(const PackagePtr& package, const Ref& ref, view::PageList& pages) {
  BLOBSCOPE_TRY(found, library::resolve(*package, ref));
  const PackagePtr inner(package, found.package); // the outer package keeps the inner one
  const auto insert = [&](std::size_t at, view::Page page) {
    pages.insert(pages.begin() + static_cast<std::ptrdiff_t>(std::min(at, pages.size())), std::move(page));
  };
  if (ref.kind == Ref::Kind::File && !ref.at && hasFunctions(inner)) {
    const auto make = [members = ref.members](const FunctionsPtr& functions) -> view::Page {
      std::vector<uint32_t> rows;
      for (uint32_t i = 0; i < functions->hosts.size(); ++i) {
        const auto& own = functions->hosts[i].ref.members;
        if (own.size() >= members.size() && std::equal(members.begin(), members.end(), own.begin())) rows.push_back(i);
      }
      if (rows.empty())
        return {view::page_id::kFunctions,
                view::NoticePage{"The file has no host functions: all of its code is in its modules."}};
      return {view::page_id::kFunctions, view::TablePage{std::make_shared<HostTable>(functions, std::move(rows))}};
    };
    insert(placeOf(pages, {view::page_id::kProblems}) + 1, later(view::page_id::kFunctions, package, make));
  }
  const auto calls = [ref = found.ref](const FunctionsPtr& functions) { return callsPage(Node(*functions, ref)); };
  if (isHostFunction(*inner, ref)) {
    insert(1, later("Calls", package, calls));
    insert(1, later("Signature", package,
                    [ref](const FunctionsPtr& functions) { return signaturePage(Node(*functions, ref).signature()); }));
  } else if (mayCall(found)) {
    insert(std::max<std::size_t>(placeOf(pages, {view::page_id::kFields, view::page_id::kHex}), 1),
           later("Calls", package, calls)); // what is shown first stays
  }
  return Done{};
}

Result<Done> addDetails(const PackagePtr& package, const Ref& ref, view::Details& details, Monitor& monitor) {
  BLOBSCOPE_TRY(found, library::resolve(*package, ref));
  if (!isHostFunction(*found.package, ref) && !mayCall(found)) return Done{};
  BLOBSCOPE_TRY(functions, computeFunctions(package, monitor));
  const Node node(functions, found.ref);
  // Of functions of a virtual machine the panel tells it already.
  const bool told = std::any_of(details.begin(), details.end(),
                                [](const view::DetailGroup& group) { return group.title == "Signature"; });
  if (const host::Signature* const signature = told ? nullptr : node.signature()) {
    view::DetailGroup group{"Signature", {}, {}, {}};
    for (std::size_t i = 0; i < signature->parameters.size() && i < kDetailRows; ++i) {
      const host::Parameter& parameter = signature->parameters[i];
      group.rows.push_back({parameter.name.empty() ? std::to_string(i) : escaped(parameter.name),
                            escapedWithin(parameter.text(), kNamesBytes),
                            true,
                            {},
                            {}});
    }
    if (!node.result().empty())
      group.rows.push_back({"Result", escapedWithin(node.result(), kNamesBytes), true, {}, {}});
    if (signature->source == host::Signature::Source::None)
      group.note = "No text of the file tells it.";
    else if (signature->parameters.empty())
      group.note = "No arguments.";
    else if (signature->parameters.size() > kDetailRows)
      group.note = groupedText(signature->parameters.size() - kDetailRows) + " more in Signature.";
    if (!group.rows.empty() || !group.note.empty()) details.push_back(std::move(group));
  }
  const std::vector<Relation> relations = node.relations();
  addRelations(details, relations, "launched by", "Launched by");
  addRelations(details, relations, "called by", "Called by");
  addRelations(details, relations, "compiled as", "Compiled as");
  addRelations(details, relations, "launches", "Launches");
  addRelations(details, relations, "calls", "Calls");
  return Done{};
}

} // namespace blobscope::xref
