#include "core/requirements/parts.h"

#include <unordered_set>

namespace blobscope::requirements {
namespace {

using container::Image;
using host::Group;

class Adder {
public:
  Adder(const DefinedNames& defined, Requirements& out, Monitor& monitor)
      : m_defined(defined), m_out(out), m_monitor(monitor) {}

  Result<Done> add(const library::Package& package) {
    const Image& image = package.image;
    for (std::size_t i = 0; i < image.symbols.size() && i < package.host.groups.size(); ++i) {
      if (m_done++ % 4'096 == 0) {
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        m_monitor.progress("reading slots", i, image.symbols.size());
      }
      const std::string_view name = image.plainName(image.symbols[i]);
      if (package.host.groups[i] == Group::Slot) addSlot(package, name, image.symbols[i]);
      if (name.starts_with(kHandlePrefix)) addFunction(package, name.substr(kHandlePrefix.size()));
    }
    return Done{};
  }

private:
  /// The variable in which LLVM's host code keeps a function that it has looked up. Source: apache/tvm v0.6.0 – v0.27.0
  /// src/target/llvm/codegen_cpu.cc, GetPackedFuncHandle.
  static constexpr std::string_view kHandlePrefix = ".tvm_func.";

  void addSlot(const library::Package& package, std::string_view name, const container::Symbol& symbol) {
    if (!m_slots.emplace(name).second || m_out.slots.size() >= kEntries) return;
    m_out.slots.push_back({nameOf(name), package.ref(Ref::named(Ref::Kind::Symbol, symbol.name)), {}, false});
  }

  void addFunction(const library::Package& package, std::string_view name) {
    if (m_out.functions.size() >= kEntries || !m_functions.emplace(name).second) return;
    NeededFunction needed;
    needed.place = NeededFunction::Place::Host;
    needed.name = nameOf(name);
    needed.definedHere = m_defined.has(needed.name);
    needed.ref = package.ref(Ref::file());
    m_out.functions.push_back(std::move(needed));
  }

  const DefinedNames& m_defined;
  Requirements& m_out;
  Monitor& m_monitor;
  uint64_t m_done = 0;
  std::unordered_set<std::string_view> m_slots, m_functions;
};

} // namespace

Result<Done> addHostCode(const Packages& packages, const DefinedNames& defined, Requirements& out, Monitor& monitor) {
  Adder adder(defined, out, monitor);
  for (const library::PackagePtr& package : packages) BLOBSCOPE_CHECK(adder.add(*package));
  return Done{};
}

} // namespace blobscope::requirements
