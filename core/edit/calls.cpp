#include "core/edit/calls.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/modules/registry.h"
#include "core/xref/functions.h"

#include <algorithm>
#include <list>
#include <set>
#include <unordered_set>

namespace blobscope::edit {
namespace {

using library::LinkedModule;
using library::Unresolved;
using NameSet = std::set<std::string>;

/// Modules, and the blobs that own them.
struct Linked {
  std::vector<LinkedModule> modules;
  std::list<library::Blob> blobs;
};

void addOpened(const library::Blob& blob, std::vector<LinkedModule>& out) {
  const std::vector<LinkedModule> linked = library::linkedModules(blob);
  out.insert(out.end(), linked.begin(), linked.end());
}

/// Adds the modules of an edited blob that loaders keep, with the refs of the tree as opened.
Result<Done> addEdited(const EditedBlob& edited, Linked& out, Monitor& monitor) {
  const library::Blob& opened = edited.opened();
  if (edited.modules.empty()) { // replaced as a whole
    container::Carrier carrier = opened.carrier;
    carrier.available = joined(std::vector<Bytes>(edited.pieces));
    carrier.symbolSize.reset();
    BLOBSCOPE_TRY(blob, library::openBlob(carrier, opened.refPrefix, monitor, opened.memberPath));
    addOpened(out.blobs.emplace_back(std::move(blob)), out.modules);
    return Done{};
  }
  std::vector<bool> imported(edited.modules.size(), false);
  for (const EditedModule& module : edited.modules)
    for (const uint32_t child : module.imports) imported[child] = true;
  for (std::size_t i = 0; i < edited.modules.size(); ++i) {
    if (i > 0 && !imported[i] && opened.hasRootModule()) continue;
    const EditedModule& module = edited.modules[i];
    const auto origin = Ref::parse(module.origin);
    const bool stored = origin && origin->kind == Ref::Kind::Module;
    out.modules.push_back({stored ? opened.moduleRef(origin->module) : opened.ref(), module.body.get(),
                           std::string_view(opened.carrier.prefix)});
  }
  return Done{};
}

Result<Linked> linkedAfter(const library::PackagePtr& package, const Applied& applied, Monitor& monitor) {
  Linked out;
  std::vector<library::PackagePtr> packages;
  library::forEachPackage(package, [&](const library::PackagePtr& inner) { packages.push_back(inner); });
  for (const library::PackagePtr& inner : packages)
    for (const auto& blob : inner->blobs) {
      const auto edited = std::find_if(applied.blobs.begin(), applied.blobs.end(),
                                       [&](const EditedBlob& one) { return &one.opened() == blob.get(); });
      if (edited == applied.blobs.end())
        addOpened(*blob, out.modules);
      else
        BLOBSCOPE_CHECK(addEdited(*edited, out, monitor));
    }
  return out;
}

NameSet kernelNames(std::span<const LinkedModule> modules) {
  NameSet names;
  for (const LinkedModule& module : modules)
    if (module.body)
      for (const modules::Kernel& kernel : module.body->kernels()) names.emplace(kernel.name.view());
  return names;
}

/// Removed kernels that host code launches.
class LostKernels {
public:
  LostKernels(const library::PackagePtr& opened, Monitor& monitor) : m_opened(opened), m_monitor(monitor) {
    library::forEachPackage(opened, [&](const library::PackagePtr& inner) {
      m_textsKnown = m_textsKnown && inner->image.format != container::Format::Wasm;
    });
  }

  Result<Done> add(const std::string& name, std::vector<Unresolved>& out) {
    BLOBSCOPE_TRY(named, library::hostCodeContains(m_opened, name, m_monitor));
    // The memory of a linked wasm module is not laid out, so its texts are unknown.
    if (!named && m_textsKnown) return Done{};
    if (!m_functions) {
      BLOBSCOPE_TRY(functions, xref::computeFunctions(m_opened, m_monitor));
      m_functions = std::move(functions);
    }
    const std::size_t before = out.size();
    for (const xref::Kernel& kernel : m_functions->kernels)
      for (const xref::Link& link : kernel.name == name ? kernel.launchedBy : std::vector<xref::Link>()) {
        const xref::HostFunction& host = m_functions->hosts[link.index];
        const std::string text = "the host function '" + escaped(host.signature.function) + "'";
        const bool known = std::any_of(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(),
                                       [&](const Unresolved& one) { return one.callerText == text; });
        if (!known) out.push_back({Unresolved::Kind::Kernel, name, host.ref, text});
      }
    if (out.size() == before && named) out.push_back({Unresolved::Kind::Kernel, name, Ref::file(), "the host code"});
    return Done{};
  }

private:
  const library::PackagePtr& m_opened;
  Monitor& m_monitor;
  bool m_textsKnown = true;
  std::optional<xref::Functions> m_functions;
};

} // namespace

Result<std::vector<Unresolved>> findBrokenCalls(const library::PackagePtr& opened, const Applied& applied,
                                                Monitor& monitor) {
  longWork("edit::findBrokenCalls");
  std::vector<Unresolved> out;
  if (applied.blobs.empty()) return out;
  const std::vector<LinkedModule> linked = library::linkedModules(opened);
  BLOBSCOPE_TRY(after, linkedAfter(opened, applied, monitor));

  // --- 1. Calls from the tables of modules and the names of kernels. ---
  BLOBSCOPE_TRY(unresolvedBefore, library::findUnresolved(opened, linked, monitor));
  BLOBSCOPE_TRY(unresolvedAfter, library::findUnresolved(opened, after.modules, monitor));
  std::unordered_set<std::string> known;
  for (const Unresolved& one : unresolvedBefore) known.insert(one.name);
  for (Unresolved& one : unresolvedAfter) {
    if (known.contains(one.name)) continue;
    // The name that a function has after the edits does not name a node of the opened tree.
    if (!one.caller.parts.empty()) one.caller.parts.clear();
    out.push_back(std::move(one));
  }
  for (const Unresolved& one : out) known.insert(one.name);

  // --- 2. Kernels with other names, which are recognized only because they were removed. ---
  constexpr std::size_t kMaxChecked = 1'000;
  const NameSet left = kernelNames(after.modules);
  LostKernels lost(opened, monitor);
  std::size_t checked = 0;
  for (const std::string& name : kernelNames(linked)) {
    if (left.contains(name) || known.contains(name) || ++checked > kMaxChecked) continue;
    BLOBSCOPE_CHECK(lost.add(name, out));
  }
  return out;
}

std::vector<std::size_t> findBreakingRenames(std::span<const Edit> edits, std::span<const Unresolved> broken) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const auto* const rename = std::get_if<Rename>(&edits[i]);
    if (!rename || rename->target.ref.parts.size() != 1) continue;
    const std::string& old = rename->target.ref.parts.front().name;
    const bool breaks = std::any_of(broken.begin(), broken.end(), [&](const Unresolved& one) {
      return one.name == old || one.name == rename->name || one.name == "__vmtir__" + rename->name;
    });
    if (breaks) out.push_back(i);
  }
  return out;
}

} // namespace blobscope::edit
