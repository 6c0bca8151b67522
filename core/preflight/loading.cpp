// Steps 3 to 6: what the runtime does while it loads the file.
#include "core/base/text.h"
#include "core/preflight/judge.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace blobscope::preflight {
namespace {

using check::Rule;

template <std::size_t N> bool beginsWith(const std::string& name, const std::array<std::string_view, N>& beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view begin) { return name.starts_with(begin); });
}

} // namespace

void Judge::checkSlots() {
  uint64_t filled = 0;
  for (const requirements::Slot& slot : m_needs.slots) {
    const Availability found = m_runtime.slot(slot.name);
    if (has(found)) {
      met(Step::Slots);
      ++filled;
      continue;
    }
    // It stays empty, and nothing calls through it.
    if ((slot.callersKnown && slot.callers.empty()) || !m_findsFunctions) {
      met(Step::Slots);
      continue;
    }
    Missing& item = add(Rule::PreSlot, "slot", slot.name, Step::Slots, {arg("name", slot.name)});
    item.certain = slot.callersKnown && found.state == Availability::State::Absent;
    item.crashes = item.later = true;
    item.affected = slot.callers;
    item.ref = slot.ref;
    if (slot.callersKnown)
      item.sentence +=
          ": the first call of '" + escaped(slot.callers.front()) + "' ends the process" +
          (slot.callers.size() > 1 ? " (" + countText(slot.callers.size(), "function") + " call through it)" : "");
  }
  if (!m_needs.slots.empty())
    at(Step::Slots).summary = groupedText(filled) + " of " + groupedText(m_needs.slots.size()) + " filled";
}

/// What happens to a system library. load_module looks for a carrier and a context without a prefix, finds neither, and
/// says nothing; objects are linked into a program, whose start registers them. Source: core/formats/linking.md 2; seen
/// with TVM 0.25.0.post1 to 0.27.0.post1.
void Judge::addSystemLibrary(const requirements::CarrierSymbol* carrier, const library::SystemLibrary* library) {
  const std::string prefix = escaped(carrier ? carrier->prefix : library->prefix, 200);
  const std::string call = "system_lib(\"" + prefix + "\")";
  const bool registers = library && library->registers;
  const bool linked = m_needs.kind != "shared";
  if (linked && registers && m_runtime.takesSystemPrefix()) {
    at(Step::Carrier).summary =
        "registers itself as system library '" + prefix + "' when the program starts; call " + call;
    return met(Step::Carrier);
  }
  Missing& item = add(Rule::PreCarrier, "carrier", carrier ? carrier->prefix + carrier->name : library->prefix,
                      Step::Carrier, {{"expected", prefix}, {"found", prefix}});
  item.ref = carrier ? carrier->ref : library->ref;
  if (carrier && !linked) {
    const bool relax = std::ranges::any_of(m_needs.executables, [](const auto& found) { return !found.relay; });
    item.printed = printed(targets::Message::NoFunction, {{"name", relax ? "vm_load_executable" : "main"}});
  }
  const std::string title = "the system library '" + prefix + "'";
  item.sentence = m_runtime.title() +
                  (carrier ? " opens the library without its modules: they are those of "
                           : " opens the bare library, without modules and context: it is ") +
                  title;
  if (linked) item.sentence = m_runtime.title() + " does not find " + title;
  if (!m_runtime.takesSystemPrefix()) {
    item.sentence += linked ? ": it knows no system libraries with a prefix"
                            : ", and " + m_runtime.title() + " knows no system libraries with a prefix";
    item.fix = "use v0.13 or later, or export the library again without system_lib_prefix";
  } else if (!registers) {
    item.sentence +=
        linked ? ": the file has no code that registers it" : ", and the file has no code that registers it";
    item.fix = "export the library again";
  } else {
    item.sentence += ", which registers itself when the file is loaded";
    item.fix = "load the file, then call " + call + "; or export the library again without system_lib_prefix";
  }
}

void Judge::checkCarrier() {
  const std::vector<std::string> wanted = m_runtime.carriers();
  const auto systemOf = [&](std::string_view prefix) {
    const auto found = std::ranges::find(m_needs.systemLibraries, prefix, &library::SystemLibrary::prefix);
    return found == m_needs.systemLibraries.end() ? nullptr : &*found;
  };
  const bool module = m_needs.format == "wasm"; // the web runtime calls system_lib()
  if (m_needs.carriers.empty()) {
    // Without modules only the context tells; a library without prefix has another one that load_module finds.
    const bool plain = systemOf("") != nullptr;
    const auto found = std::ranges::find_if(m_needs.systemLibraries,
                                            [](const auto& one) { return !one.prefix.empty() && one.registers; });
    if (!wanted.empty() && !plain && !module && found != m_needs.systemLibraries.end() && m_findsFunctions)
      addSystemLibrary(nullptr, &*found);
    return;
  }
  const requirements::CarrierSymbol& first = m_needs.carriers.front();
  at(Step::Carrier).summary = escaped(first.prefix + first.name);
  const requirements::CarrierSymbol* prefixed = nullptr;
  for (const requirements::CarrierSymbol& carrier : m_needs.carriers) {
    if (std::ranges::find(wanted, carrier.name) == wanted.end()) continue;
    if (carrier.prefix.empty() || module) {
      met(Step::Carrier);
      return;
    }
    if (!prefixed) prefixed = &carrier;
  }
  if (wanted.empty()) return;
  if (prefixed) return addSystemLibrary(prefixed, systemOf(prefixed->prefix));
  Missing& item = add(Rule::PreCarrier, "carrier", first.name, Step::Carrier,
                      {{"expected", listText(wanted)}, arg("found", first.name)});
  const bool relax = std::ranges::any_of(m_needs.executables, [](const auto& found) { return !found.relay; });
  item.printed = printed(targets::Message::NoFunction, {{"name", relax ? "vm_load_executable" : "main"}});
  item.ref = first.ref;
}

void Judge::checkLoaders() {
  std::vector<std::string> keys;
  std::set<std::string_view> seen;
  for (const requirements::LoadedModule& module : m_needs.modules) {
    if (module.key == "_import_tree") continue;
    // Readers of v0.6 know no record for the library itself; later ones read it without a loader.
    const bool library = module.key == "_lib";
    const std::string loader = m_runtime.loaderName(module.key);
    if (library && !loader.starts_with("module.")) continue;
    if (!seen.insert(module.key).second) continue;
    if (keys.size() < kPerRule) keys.push_back(module.key);
    const Availability found = m_runtime.function(loader);
    if (!library && has(found)) {
      met(Step::Loaders);
      continue;
    }
    Missing& item =
        add(Rule::PreLoader, "loader", module.key, Step::Loaders, {arg("key", module.key), arg("loader", loader)});
    item.certain = library || !loader.empty();
    item.printed = printed(targets::Message::NoLoader, {{"key", module.key}});
    item.ref = module.ref;
    if (found.state == Availability::State::NeedsLibrary) {
      item.certain = isHere();
      item.sentence = "modules of kind '" + escaped(module.key) + "' are loaded by " + needsText(found);
      item.fix = "install " + escaped(found.needs) + " where the library is loaded";
    }
    if (!found.why.empty()) item.sentence += ": " + found.why;
    if (found.state == Availability::State::NeedsFlag)
      item.fix = buildText(found);
    else if (found.state == Availability::State::Absent && !m_runtime.onDisk())
      item.fix = "use another release: no build of " + m_runtime.title() + " has it";
  }
  at(Step::Loaders).summary = escaped(listText(keys), 200);
}

void Judge::checkExecutable(const requirements::Executable& executable) {
  const std::optional<targets::MachineFormat> format = executable.relay ? m_runtime.relay() : m_runtime.relax();
  if (!format) return; // its loader is missing
  const auto refuse = [&](targets::Message message, std::string why, const std::vector<Argument>& values = {}) {
    Missing& item = add(Rule::PreMachine, "vm", executable.relay ? "Relay" : "Relax", Step::Payload, {{"why", why}});
    item.printed = printed(message, values);
    item.ref = executable.ref;
  };
  if (executable.magic && std::ranges::find(format->magics, *executable.magic) == format->magics.end())
    return refuse(targets::Message::VmMagic, "its magic number is " + hexText(*executable.magic));
  if (!executable.version.empty() && !format->version.empty() && executable.version != format->version)
    return refuse(targets::Message::VmVersion,
                  "its version is '" + escaped(executable.version) + "', and '" + format->version + "' is accepted");
  if (!format->pool.empty() && std::ranges::find(executable.pools, format->pool) == executable.pools.end() &&
      executable.damage.empty())
    return refuse(targets::Message::VmConstant,
                  "its constants are in the format " + listText(executable.pools) + "; this release reads the format " +
                      format->pool,
                  {{"type", "another type"}});
  if (!executable.damage.empty()) {
    refuse(targets::Message::VmConstant, escaped(executable.damage), {{"type", "another type"}});
    m_outcome.missing.back().printed.clear(); // which of its messages depends on the damage
    return;
  }
  met(Step::Payload);
}

void Judge::checkPayload() {
  std::set<std::string_view> second; // keys of modules whose kernels are described in the second form
  for (const requirements::NeededKernel& kernel : m_needs.kernels)
    if (kernel.secondInfo) second.insert(kernel.moduleKey);
  for (const requirements::Executable& executable : m_needs.executables) checkExecutable(executable);
  for (const requirements::LoadedModule& module : m_needs.modules) {
    if (module.key == "_lib" || module.key == "_import_tree") continue;
    if (!module.decoded) {
      Missing& item =
          add(Rule::PreLayout, "layout", module.key, Step::Payload, {arg("key", module.key), {"found", "no release"}});
      item.sentence = "module '" + escaped(module.key) +
                      (module.damaged ? "' is damaged, so what this release reads from it is not known"
                                      : "' could not be decoded, so its layout is not known");
      if (module.damaged) item.fix = "get the whole file again, or export the library again";
      item.certain = false;
      item.ref = module.ref;
      continue;
    }
    if (!m_runtime.readsLayout(module.key, module.layout)) {
      Missing& item = add(Rule::PreLayout, "layout", module.key, Step::Payload,
                          {arg("key", module.key), {"found", "other releases (" + module.layout + ")"}});
      item.ref = module.ref;
      continue;
    }
    if (second.contains(module.key) && !m_runtime.readsLayout("FunctionInfo", "second")) {
      Missing& item = add(Rule::PreLayout, "layout", module.key, Step::Payload,
                          {arg("key", module.key), {"found", "apache-tvm-tirx"}});
      item.ref = module.ref;
      continue;
    }
    const bool source = module.key == "cuda" && module.format == "cuda";
    if (const std::string text = source ? printed(targets::Message::CudaNeedsCompiler, {}) : ""; !text.empty()) {
      Missing& item = add(Rule::PreSource, "compiler", "tvm_callback_cuda_compile", Step::Payload);
      item.certain = false;
      item.printed = text;
      item.ref = module.ref;
      continue;
    }
    met(Step::Payload);
  }
  if (!m_needs.executables.empty()) {
    const requirements::Executable& first = m_needs.executables.front();
    at(Step::Payload).summary = std::string(first.relay ? "Relay" : "Relax") + " executable" +
                                (first.version.empty() ? "" : ", version " + escaped(first.version)) +
                                (first.pools.size() == 1 ? ", constants in the format " + first.pools.front() : "");
  } else if (!m_needs.modules.empty()) {
    at(Step::Payload).summary = countText(m_needs.modules.size(), "module");
  }
}

} // namespace blobscope::preflight
