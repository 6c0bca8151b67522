#include "core/xref/pages.h"

#include "core/base/text.h"
#include "core/library/node.h"
#include "core/library/resolve.h"
#include "core/modules/calls.h"
#include "core/view/page_id.h"
#include "core/xref/call_graph.h"
#include "core/xref/functions.h"
#include "core/xref/host_table.h"
#include "core/xref/overview.h"
#include "core/xref/relations.h"

#include <algorithm>
#include <memory>

namespace blobscope::xref {
namespace {

using library::Package;
using library::PackagePtr;
using FunctionsPtr = std::shared_ptr<const Functions>;

/// The number of rows of one group of the Details panel; the page has all of them.
constexpr std::size_t kDetailRows = 24;
/// The longest value in the Details panel, in bytes.
constexpr std::size_t kValueBytes = 400;

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

view::Page signaturePage(const host::Signature* signature) {
  const std::string name = "Signature";
  if (!signature || signature->source == host::Signature::Source::None)
    return {name, view::NoticePage{
                      "No message in the file states the parameters of this function. The function has no checks, or "
                      "they were omitted when it was compiled."}};
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

view::Page callsPage(const RelatedNode& node) {
  std::vector<Relation> relations = node.relations();
  if (relations.empty())
    return {"Calls",
            view::NoticePage{"Nothing in this file is known to call it, and it is not known to call anything."}};
  return {"Calls", view::TablePage{std::make_shared<RelationTable>(std::move(relations))}};
}

using Make = std::function<Result<view::Page>(const FunctionsPtr&, Monitor&)>;

view::Page later(std::string name, const PackagePtr& package, Make make, std::string kind = "table") {
  return {
      std::move(name),
      view::DeferredPage{std::move(kind), [package, make = std::move(make)](Monitor& monitor) -> Result<view::Page> {
                           BLOBSCOPE_TRY(functions, computeFunctions(package, monitor));
                           return make(std::make_shared<const Functions>(std::move(functions)), monitor);
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

/// Adds facts about functions to the page "Overview".
void describeLater(const PackagePtr& package, const library::Resolved& found, view::PageList& pages) {
  const auto page = std::find_if(pages.begin(), pages.end(), [](const view::Page& one) {
    return one.name == view::page_id::kOverview && std::holds_alternative<view::TablePage>(one.content);
  });
  if (page == pages.end()) return;
  const auto own = std::get<view::TablePage>(page->content).source;
  *page = later(view::page_id::kOverview, package, [found, own](const FunctionsPtr& functions, Monitor&) {
    return Result<view::Page>(overviewPage(*functions, found, *own));
  });
}

/// Makes the nodes of graphs open what they call.
void linkLater(const PackagePtr& package, const Ref& node, view::PageList& pages) {
  for (view::Page& page : pages) {
    const auto* const own = std::get_if<view::DeferredPage>(&page.content);
    if (!own || own->kind != "graph") continue;
    const Make make = [unlinked = *own, node](const FunctionsPtr& functions, Monitor& monitor) -> Result<view::Page> {
      BLOBSCOPE_TRY(made, unlinked.make(monitor));
      if (auto* const graph = std::get_if<view::GraphPage>(&made.content)) linkGraph(*graph, *functions, node);
      return made;
    };
    page = later(page.name, package, make, "graph");
  }
}

void addRelations(view::Details& details, const std::vector<Relation>& relations, std::string_view what,
                  std::string title) {
  view::DetailGroup group{std::move(title), {}, {}, {}};
  std::size_t count = 0;
  for (const Relation& relation : relations) {
    if (relation.what != what || ++count > kDetailRows) continue;
    view::DetailRow row{{}, escaped(relation.name), false, relation.target, {}};
    row.note = relation.target ? relation.known : "not in this file";
    group.rows.push_back(std::move(row));
  }
  if (count > kDetailRows) group.note = groupedText(count - kDetailRows) + " more in Calls.";
  if (count > 0) details.push_back(std::move(group));
}

} // namespace

Result<Done> addPages(const PackagePtr& package, const Ref& ref, view::PageList& pages,
                      const library::ReadSignatures& read) {
  BLOBSCOPE_TRY(found, library::resolve(*package, ref));
  const PackagePtr inner(package, found.package); // the outer package keeps the inner one
  const auto insert = [&](std::size_t at, view::Page page) {
    pages.insert(pages.begin() + static_cast<std::ptrdiff_t>(std::min(at, pages.size())), std::move(page));
  };
  if (ref.kind == Ref::Kind::File && !ref.at && hasFunctions(inner)) {
    const auto make = [package, read, members = ref.members](const FunctionsPtr& functions,
                                                             Monitor& monitor) -> Result<view::Page> {
      std::vector<uint32_t> rows;
      for (uint32_t i = 0; i < functions->hosts.size(); ++i) {
        const auto& own = functions->hosts[i].ref.members;
        if (own.size() >= members.size() && std::equal(members.begin(), members.end(), own.begin())) rows.push_back(i);
      }
      if (!rows.empty()) return hostFunctionsPage(package, functions, std::move(rows), read, monitor);
      return view::Page{view::page_id::kFunctions,
                        view::NoticePage{"The file has no host functions: all of its code is in its modules."}};
    };
    insert(view::placeOf(pages, {view::page_id::kProblems}) + 1, later(view::page_id::kFunctions, package, make));
  }
  const Make calls = [ref = found.ref](const FunctionsPtr& functions, Monitor&) -> Result<view::Page> {
    return callsPage(RelatedNode(*functions, ref));
  };
  if (ref.kind == Ref::Kind::File && !ref.at && hasFunctions(inner)) {
    const auto make = [members = ref.members](const FunctionsPtr& functions, Monitor&) -> Result<view::Page> {
      view::GraphPage graph = callGraph(*functions, members);
      if (graph.nodes.empty())
        return view::Page{view::page_id::kCallGraph, view::NoticePage{"The file has no functions and no kernels."}};
      return view::Page{view::page_id::kCallGraph, std::move(graph)};
    };
    insert(view::placeOf(pages, {view::page_id::kFunctions}) + 1,
           later(view::page_id::kCallGraph, package, make, "graph"));
  }
  if (found.module && !ref.at) linkLater(package, found.ref, pages);
  const bool isHost = isHostFunction(*inner, ref);
  if (isHost || (found.module && found.ref.parts.empty() && !ref.at)) describeLater(package, found, pages);
  if (isHost) {
    insert(1, later("Calls", package, calls));
    const Make signature = [ref](const FunctionsPtr& functions, Monitor&) -> Result<view::Page> {
      return signaturePage(RelatedNode(*functions, ref).signature());
    };
    insert(1, later("Signature", package, signature));
  } else if (mayCall(found)) {
    insert(std::max<std::size_t>(view::placeOf(pages, {view::page_id::kFields, view::page_id::kHex}), 1),
           later("Calls", package, calls)); // the first page stays the first
  }
  return Done{};
}

Result<Done> addDetails(const PackagePtr& package, const Ref& ref, view::Details& details, Monitor& monitor) {
  BLOBSCOPE_TRY(found, library::resolve(*package, ref));
  if (!isHostFunction(*found.package, ref) && !mayCall(found)) return Done{};
  BLOBSCOPE_TRY(functions, computeFunctions(package, monitor));
  const RelatedNode node(functions, found.ref);
  // For functions of a virtual machine, the panel already shows the signature.
  const bool alreadyShown = std::any_of(details.begin(), details.end(),
                                        [](const view::DetailGroup& group) { return group.title == "Signature"; });
  if (const host::Signature* const signature = alreadyShown ? nullptr : node.signature()) {
    view::DetailGroup group{"Signature", {}, {}, {}};
    for (std::size_t i = 0; i < signature->parameters.size() && i < kDetailRows; ++i) {
      const host::Parameter& parameter = signature->parameters[i];
      group.rows.push_back({parameter.name.empty() ? std::to_string(i) : escaped(parameter.name),
                            escapedWithin(parameter.text(), kValueBytes),
                            true,
                            {},
                            {}});
    }
    if (!node.result().empty())
      group.rows.push_back({"Result", escapedWithin(node.result(), kValueBytes), true, {}, {}});
    if (signature->source == host::Signature::Source::None)
      group.note = "No message in the file states the signature.";
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
