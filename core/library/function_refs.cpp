#include "core/library/function_refs.h"

#include "core/base/thread_rule.h"

namespace blobscope::library {
namespace {

constexpr uint64_t kStep = 4096;

class Collector {
public:
  explicit Collector(Monitor& monitor) : m_monitor(monitor) {}

  void add(std::string_view name, const Ref& ref) {
    if (++m_steps % kStep == 0) m_stopped = m_stopped || m_monitor.stopRequested();
    if (!m_stopped) m_refs.try_emplace(std::string(name), ref);
  }
  bool isStopped() const { return m_stopped; }
  FunctionRefs take() { return std::move(m_refs); }

private:
  Monitor& m_monitor;
  FunctionRefs m_refs;
  uint64_t m_steps = 0;
  bool m_stopped = false;
};

void addVmFunctions(const Package& package, Collector& out) {
  for (const auto& blob : package.blobs)
    for (const ModulePtr& module : blob->modules)
      for (const modules::PartGroup& group : module->body->parts())
        if (group.kind == PartKind::Function)
          for (const modules::Part& part : group.parts) {
            if (out.isStopped()) return;
            out.add(part.name, blob->moduleRef(module->index).part(PartKind::Function, part.name));
          }
}

void addHostFunctions(const Package& package, Collector& out) {
  for (const host::Function& function : package.host.functions) {
    if (out.isStopped()) return;
    const Ref ref = package.ref(Ref::named(Ref::Kind::Host, function.name));
    out.add(function.name, ref);
    out.add(package.image.symbols[function.symbol].name, ref);
  }
}

void addKernels(const Package& package, Collector& out) {
  for (const auto& blob : package.blobs)
    for (const ModulePtr& module : blob->modules)
      for (const modules::Kernel& kernel : module->body->kernels()) {
        if (out.isStopped()) return;
        out.add(kernel.name.view(), blob->moduleRef(module->index).part(PartKind::Kernel, kernel.name.view()));
      }
}

} // namespace

Result<FunctionRefs> functionRefs(const PackagePtr& package, Monitor& monitor) {
  longWork("library::functionRefs");
  Collector out(monitor);
  for (const auto add : {addVmFunctions, addHostFunctions, addKernels})
    forEachPackage(package, [&](const PackagePtr& inner) { add(*inner, out); });
  if (out.isStopped()) return Error(DiagnosticId::Cancelled, {});
  return out.take();
}

} // namespace blobscope::library
