#include "core/requirements/parts.h"

#include "core/base/text.h"
#include "core/modules/calls.h"
#include "core/modules/executable.h"

#include <algorithm>
#include <array>

namespace blobscope::requirements {
namespace {

using library::Blob;
using library::Module;

/// The device that runs the code of modules with a key. Source: core/formats/load-requirements.md 9.
struct KeyDevice {
  std::string_view key, device;
};
constexpr std::array<KeyDevice, 8> kDevices = {{{"cuda", "cuda"},
                                                {"opencl", "opencl"},
                                                {"vulkan", "vulkan"},
                                                {"metal", "metal"},
                                                {"webgpu", "webgpu"},
                                                {"hip", "rocm"},
                                                {"hsaco", "rocm"},
                                                {"hexagon", "hexagon"}}};

class Adder {
public:
  Adder(const DefinedNames& defined, Requirements& out) : m_defined(defined), m_out(out) {}

  void addBlob(const Blob& blob) {
    if (m_out.era.empty()) m_out.era = library::eraName(blob.era);
    if (m_out.carriers.size() < kEntries)
      m_out.carriers.push_back(
          {std::string(container::carrierText(blob.carrier.name)), nameOf(blob.carrier.prefix), blob.ref()});
    for (const library::ModulePtr& module : blob.modules) addModule(blob, *module);
  }

private:
  void addModule(const Blob& blob, const Module& module) {
    const modules::Body& body = *module.body;
    LoadedModule row;
    row.key = nameOf(module.key.view());
    row.layout = body.layout();
    if (const auto format = body.format()) row.format = nameOf(format->view());
    row.ref = blob.moduleRef(module.index);
    row.decoded = body.decoded();
    row.damaged = module.undecoded == library::Undecoded::Damaged;
    if (row.damaged && m_out.hiddenFunctions.empty())
      m_out.hiddenFunctions = "module '" + escaped(row.key) + "' is damaged";
    for (const KeyDevice& one : kDevices)
      if (one.key == row.key &&
          std::find(m_out.deviceApis.begin(), m_out.deviceApis.end(), one.device) == m_out.deviceApis.end())
        m_out.deviceApis.emplace_back(one.device);
    if (const auto head = modules::executableHead(module.key.view(), body, module.payload)) {
      Executable executable;
      executable.relay = head->relay;
      executable.magic = head->magic;
      executable.version = head->version;
      executable.pools.assign(head->pools.begin(), head->pools.end());
      executable.damage = head->damage;
      executable.imports = module.imports.size();
      executable.ref = row.ref;
      m_out.executables.push_back(std::move(executable));
    }
    addLookups(row.ref, body);
    m_out.modules.push_back(std::move(row));
  }

  void addLookups(const Ref& module, const modules::Body& body) {
    using Kind = modules::Lookup::Kind;
    using Place = NeededFunction::Place;
    const std::vector<std::string> own =
        modules::isExecutable(body) ? library::functionNames(body) : std::vector<std::string>();
    DefinedNames machine;
    for (const std::string& name : own) machine.add(name);
    for (const modules::Lookup& lookup : modules::lookupsOf(body)) {
      if (m_out.functions.size() >= kEntries) return;
      NeededFunction needed;
      needed.name = nameOf(lookup.name);
      needed.caller = nameOf(lookup.caller);
      needed.ref = lookup.caller.empty() ? module : module.part(PartKind::Function, lookup.caller);
      needed.place = lookup.kind == Kind::Optional   ? Place::RelaxPacked
                     : lookup.kind == Kind::Compiled ? Place::RelaxCompiled
                     : modules::isExecutable(body)   ? Place::RelayPrimitive
                                                     : Place::Graph;
      // A virtual machine finds its own functions after those of the runtime.
      needed.definedHere =
          m_defined.has(needed.name) || (needed.place == Place::RelaxPacked && machine.has(needed.name));
      m_out.functions.push_back(std::move(needed));
    }
  }

  const DefinedNames& m_defined;
  Requirements& m_out;
};

} // namespace

bool DefinedNames::has(const std::string& name) const {
  if (m_names.contains(name)) return true;
  return std::any_of(m_prefixes.begin(), m_prefixes.end(), [&](const std::string& prefix) {
    return m_names.contains(prefix + name) ||
           (name.starts_with(prefix) && m_names.contains(name.substr(prefix.size())));
  });
}

std::vector<std::string> DefinedNames::sorted() const {
  std::vector<std::string> out(m_names.begin(), m_names.end());
  std::sort(out.begin(), out.end());
  return out;
}

Result<DefinedNames> addDefined(const Packages& packages, Requirements& out, Monitor& monitor) {
  DefinedNames defined;
  uint64_t done = 0;
  for (const library::PackagePtr& package : packages) {
    for (const auto& blob : package->blobs) {
      if (!blob->carrier.prefix.empty()) defined.addPrefix(blob->carrier.prefix);
      for (const library::ModulePtr& module : blob->modules) {
        if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        // Only the machine itself calls the functions of an executable.
        if (modules::isExecutable(*module->body)) continue;
        for (const std::string& name : library::functionNames(*module->body)) defined.add(name);
      }
    }
    for (const host::Function& function : package->host.functions) {
      if (done++ % 4'096 == 0) {
        if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        monitor.progress("reading functions", done, 0);
      }
      defined.add(function.name);
    }
  }
  out.definedFunctions = defined.sorted();
  return defined;
}

Result<Done> addModules(const Packages& packages, const DefinedNames& defined, Requirements& out, Monitor& monitor) {
  Adder adder(defined, out);
  for (const library::PackagePtr& package : packages)
    for (const auto& blob : package->blobs) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("reading modules", 0, 0);
      adder.addBlob(*blob);
    }
  return Done{};
}

Result<Done> addCalls(const Packages& packages, const DefinedNames& defined, Requirements& out, Monitor& monitor) {
  for (const library::PackagePtr& package : packages)
    for (const auto& blob : package->blobs)
      for (const library::ModulePtr& module : blob->modules) {
        BLOBSCOPE_TRY(counted, modules::computeCountedCalls(*module->body, monitor));
        const Ref ref = blob->moduleRef(module->index);
        for (modules::CountedCall& one : counted) {
          if (out.calls.size() >= kEntries) return Done{};
          if (one.callers.empty() || defined.has(one.function)) continue;
          NeededCall call;
          call.function = std::move(one.function);
          call.arguments = one.arguments;
          call.times = one.times;
          call.caller = one.callers.front();
          call.instruction = one.instruction;
          call.ref = ref.part(PartKind::Function, call.caller);
          call.callers = std::move(one.callers);
          call.immediates = std::move(one.immediates);
          out.calls.push_back(std::move(call));
        }
      }
  return Done{};
}

} // namespace blobscope::requirements
