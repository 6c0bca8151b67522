#include "core/kernels/kernels.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/kernels/source_use.h"
#include "core/library/resolve.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace blobscope::kernels {
namespace {

using library::PackagePtr;

constexpr std::size_t kLook = 256; // kernels between two checks of the monitor

/// Calls `visit` for each module below a file, blob or module, in the order of xref::Functions::kernels. `visit` gets
/// whether the ref includes the module.
Result<Done> forEachModule(const PackagePtr& package, const Ref& ref,
                           const std::function<Result<Done>(const library::Package&, const library::Blob&,
                                                            const library::Module&, bool)>& visit) {
  BLOBSCOPE_TRY(found, library::resolve(*package, ref));
  bool failed = false;
  Result<Done> result = Done{};
  library::forEachPackage(package, [&](const PackagePtr& inner) {
    const auto& path = inner->memberPath;
    const bool below =
        path.size() >= ref.members.size() && std::equal(ref.members.begin(), ref.members.end(), path.begin());
    for (const auto& blob : inner->blobs)
      for (const library::ModulePtr& module : blob->modules) {
        const bool included = below && (ref.kind == Ref::Kind::File ||
                                        (found.blob == blob.get() && (!found.module || found.module == module.get())));
        if (failed) return;
        if (Result<Done> done = visit(*inner, *blob, *module, included); !done) {
          failed = true;
          result = std::move(done);
        }
      }
  });
  return result;
}

std::string moduleName(const library::Package& package, const library::Module& module) {
  std::string name;
  for (const std::string& member : package.memberPath) name += escaped(member) + "!";
  return name + "m" + std::to_string(module.index) + " " + escaped(module.key.view());
}

uint32_t argumentCount(std::string_view text) {
  if (text.empty() || text == "–") return 0;
  return static_cast<uint32_t>(std::count(text.begin(), text.end(), ',')) + 1;
}

class Maker {
public:
  Maker(const PackagePtr& package, const Ref& ref, Monitor& monitor)
      : m_package(package), m_ref(ref), m_monitor(monitor) {}

  Result<Kernels> make() {
    BLOBSCOPE_TRY(functions, xref::computeFunctions(m_package, m_monitor));
    m_out.functions = std::make_shared<const xref::Functions>(std::move(functions));
    countLaunches();
    uint32_t next = 0;
    BLOBSCOPE_CHECK(forEachModule(m_package, m_ref,
                                  [&](const library::Package& package, const library::Blob&,
                                      const library::Module& module, bool included) -> Result<Done> {
                                    const std::vector<modules::Kernel> stored = module.body->kernels();
                                    const uint32_t first = next;
                                    next += static_cast<uint32_t>(stored.size());
                                    if (!included || stored.empty()) return Done{};
                                    return addModule(package, module, stored, first);
                                  }));
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < m_out.list.size(); ++i) names.push_back(m_out.function(i).name);
    std::vector<std::string> prefixes = prefixesOf(names);
    for (std::size_t i = 0; i < m_out.list.size(); ++i) m_out.list[i].prefix = std::move(prefixes[i]);
    return std::move(m_out);
  }

private:
  /// The number of calls of each host function in the code of all callers.
  void countLaunches() {
    m_calls.resize(m_out.functions->hosts.size());
    for (const xref::Caller& caller : m_out.functions->callers)
      for (const xref::Caller::Call& call : caller.calls)
        if (call.host) m_calls[*call.host] += std::min(call.times, UINT32_MAX - m_calls[*call.host]);
  }

  Result<Done> addModule(const library::Package& package, const library::Module& module,
                         const std::vector<modules::Kernel>& stored, uint32_t first) {
    Module out{moduleName(package, module), module.body->kernelImages(m_monitor)};
    const std::string_view language = module.body->language();
    for (uint32_t i = 0; i < stored.size(); ++i) {
      if (i % kLook == 0) {
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        m_monitor.progress("reading kernels", i, stored.size());
      }
      const xref::Kernel& function = m_out.functions->kernels[first + i];
      Kernel kernel;
      kernel.function = first + i;
      kernel.module = static_cast<uint32_t>(m_out.modules.size());
      kernel.number = i;
      kernel.arguments = argumentCount(function.arguments);
      kernel.dynamicShared = function.launch.find("use_dyn_shared_memory") != std::string::npos;
      if (out.images.empty() && stored[i].code && !stored[i].code->empty())
        kernel.ownCode = codeUse(*stored[i].code, language);
      addCallers(function, kernel);
      m_out.list.push_back(std::move(kernel));
    }
    m_out.modules.push_back(std::move(out));
    return Done{};
  }

  void addCallers(const xref::Kernel& function, Kernel& kernel) const {
    std::set<uint32_t> callers;
    for (const xref::Link& link : function.launchedBy) {
      const xref::HostFunction& host = m_out.functions->hosts[link.index];
      callers.insert(host.calledBy.begin(), host.calledBy.end());
      kernel.launches += m_calls[link.index];
    }
    kernel.callers = static_cast<uint32_t>(callers.size());
  }

  const PackagePtr& m_package;
  const Ref& m_ref;
  Monitor& m_monitor;
  Kernels m_out;
  std::vector<uint64_t> m_calls; ///< by host function
};

} // namespace

std::string Kernels::callerName(std::size_t kernel) const {
  std::string_view name;
  const auto add = [&](std::string_view other) {
    if (!name.empty() && name != other) return false;
    name = other;
    return true;
  };
  bool one = true;
  const std::vector<xref::Link>& hosts = function(kernel).launchedBy;
  for (const xref::Link& link : hosts)
    for (const uint32_t caller : functions->hosts[link.index].calledBy)
      one = one && add(functions->callers[caller].name);
  if (name.empty()) // in libraries without a virtual machine and a graph
    for (const xref::Link& link : hosts) one = one && add(functions->hosts[link.index].signature.function);
  return one ? escaped(name) : "several functions";
}

std::vector<uint32_t> Kernels::architectures() const {
  std::set<uint32_t> found;
  for (const Module& module : modules)
    for (const modules::KernelImage& image : module.images)
      if (image.sm) found.insert(*image.sm);
  return {found.begin(), found.end()};
}

bool hasKernels(const PackagePtr& package, const Ref& ref) {
  if (ref.at || !ref.parts.empty() ||
      (ref.kind != Ref::Kind::File && ref.kind != Ref::Kind::Blob && ref.kind != Ref::Kind::Module))
    return false;
  bool any = false;
  const auto done = forEachModule(package, ref, [&](const auto&, const auto&, const library::Module& module, bool in) {
    any = any || (in && !module.body->kernels().empty());
    return Result<Done>(Done{});
  });
  return done && any;
}

Result<Kernels> computeKernels(const PackagePtr& package, const Ref& ref, Monitor& monitor) {
  longWork("kernels::computeKernels");
  return Maker(package, ref, monitor).make();
}

} // namespace blobscope::kernels
