// Steps 1 to 6: what happens while the file is loaded.
#include "core/base/text.h"
#include "core/preflight/judge.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace blobscope::preflight {
namespace {

using check::Rule;
using requirements::NeededSymbol;

/// Libraries that every system has, or that are loaded together with the runtime.
bool isUsual(std::string_view library) {
  // In lower case, since Windows ignores case.
  constexpr std::array<std::string_view, 33> kBeginnings = {
      "libc.so",    "libm.so",      "libdl.so",    "libpthread.so", "librt.so",     "libgcc_s.",     "libstdc++.",
      "libc++.",    "libc++abi.",   "libsystem",   "/usr/lib/",     "/system/",     "ld-linux",      "linux-vdso",
      "libtvm",     "tvm",          "libdl.dylib", "libm.dylib",    "liblog.so",    "libandroid.so", "libc++_shared.",
      "libunwind.", "libatomic.so", "libutil.so",  "libz.so",       "kernel32.dll", "msvcrt.dll",    "ucrtbase.dll",
      "vcruntime",  "msvcp",        "api-ms-win-", "ntdll.dll",     "user32.dll"};
  std::string name(library);
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return std::ranges::any_of(kBeginnings, [&](std::string_view begin) { return name.starts_with(begin); });
}

std::string listText(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string_view providerText(NeededSymbol::Provider provider) {
  switch (provider) {
  case NeededSymbol::Provider::TvmRuntime: return "TVM runtime";
  case NeededSymbol::Provider::TvmFfi: return "libtvm_ffi";
  case NeededSymbol::Provider::CLibrary: return "C library";
  case NeededSymbol::Provider::CxxLibrary: return "C++ library";
  case NeededSymbol::Provider::Cuda: return "CUDA";
  case NeededSymbol::Provider::CuteDsl: return "CuTe DSL";
  case NeededSymbol::Provider::Other: break;
  }
  return "others";
}

} // namespace

void Judge::checkFile() {
  const std::string kind = m_needs.kind.empty() || m_needs.kind == "shared" ? "" : ", " + m_needs.kind;
  StepResult& step = at(Step::File);
  step.summary = (m_needs.formatTitle.empty() ? m_needs.format : m_needs.formatTitle) +
                 (m_needs.architecture.empty() ? "" : ", " + m_needs.architecture) + kind +
                 (m_needs.newestGlibc.empty() ? "" : ", glibc " + m_needs.newestGlibc + " or later");
  if (!m_needs.damage.empty()) {
    Missing& item = add(Rule::PreFile, "file", m_needs.path, Step::File, {{"why", m_needs.damage}});
    item.printed =
        printed(targets::Message::FileNotReadable, {{"path", m_needs.path}, {"reason", "cannot read file data"}});
    return;
  }
  const std::vector<std::string> built = m_runtime.architectures();
  if (!built.empty() && !m_needs.architecture.empty() &&
      std::ranges::find(built, m_needs.architecture) == built.end()) {
    add(Rule::PreArchitecture, "file", m_needs.architecture, Step::File,
        {{"found", m_needs.architecture}, {"expected", listText(built)}});
    return;
  }
  if (const auto broken = m_runtime.broken()) {
    Missing& item = add(Rule::PreBroken, "runtime", broken->library, Step::File, {{"why", broken->why}});
    item.printed = broken->printed;
    if (!broken->fix.empty()) item.fix = broken->fix;
    return;
  }
  met(Step::File);
  if (const auto wrong = m_runtime.wrongFfi()) {
    Missing& item = add(Rule::PreFfi, "ffi", "libtvm_ffi", Step::File,
                        {arg("found", wrong->found), arg("expected", wrong->expected)});
    item.certain = false; // some pairs fail only in some calls
  }
  for (const std::string& library : m_needs.libraries) {
    if (isUsual(library)) {
      met(Step::File);
      continue;
    }
    Missing& item = add(Rule::PreLibrary, "library", library, Step::File, {arg("name", library)});
    item.certain = false;
    if (m_needs.format == "wasm") {
      item.sentence = "the program that runs WebAssembly must provide the import module '" + escaped(library) + "'";
      item.fix = "provide it, as the JavaScript of TVM's web runtime and WASI do";
    }
  }
}

/// How TVM loads the file, by its name. Sources: core/formats/load-requirements.md 2; runs of TVM 0.27.
void Judge::checkExtension() {
  // A browser loads WebAssembly by itself, and a damaged file is not loaded in any way.
  if (m_needs.path.empty() || m_needs.format == "wasm" || !m_needs.damage.empty()) return;
  const bool shared = m_needs.kind == "shared" || m_needs.kind == "executable" || m_needs.format == "universal";
  const bool object = m_needs.kind == "object", tar = m_needs.format == "tar";
  const std::string found = shared   ? "the file is a shared library"
                            : object ? "the file is an object"
                            : tar    ? "the file is a tar archive"
                                     : "the file is of the format " + m_needs.formatTitle;
  const std::string right = shared ? "so" : object ? "o" : tar ? "tar" : "";
  const std::string& extension = m_needs.extension;
  const auto refuse = [&](Step step) -> Missing& {
    const std::string shown = extension.empty() ? "no extension" : "." + escaped(extension, 40);
    Missing& item = add(Rule::PreExtension, "file", extension, step,
                        {{"found", found}, {"extension", shown}, {"expected", "." + right}});
    if (right.empty()) item.fix = "link it to a shared library";
    return item;
  };
  constexpr std::array<std::string_view, 4> kOpened = {"so", "dll", "dylib", "dso"};
  if (std::ranges::find(kOpened, extension) != kOpened.end()) {
    if (shared) return;
    const std::string why =
        object && m_needs.format == "elf" ? "only ET_DYN and ET_EXEC can be loaded" : "invalid ELF header";
    refuse(Step::File).printed =
        printed(targets::Message::FileNotReadable, {{"path", m_needs.path}, {"reason", m_needs.path + ": " + why}});
  } else if (extension == "o") {
    // A linker puts a library or the members of an archive into the result only where something needs them.
    if (!object) {
      Missing& item = refuse(tar ? Step::File : Step::Carrier);
      item.sentence +=
          tar ? "; the linker does not read it" : ": TVM links it to a new library, which gets none of its functions";
      if (!tar && !m_needs.definedFunctions.empty())
        item.printed = printed(targets::Message::NoFunction, {{"name", m_needs.definedFunctions.front()}});
    }
  } else if (extension == "tar") {
    if (!tar) refuse(Step::File).sentence += ", which TVM unpacks";
  } else if (extension.empty()) {
    Missing& item = refuse(Step::File);
    item.sentence = found + ", and its name has no extension, by which TVM chooses how to load it";
    item.printed = printed(targets::Message::NoFileFormat, {{"path", m_needs.path}});
  } else {
    refuse(Step::File).printed = printed(targets::Message::NoFileLoader, {{"extension", extension}});
  }
}

void Judge::checkSymbols() {
  std::array<uint64_t, 7> counts = {};
  for (const NeededSymbol& symbol : m_needs.symbols) {
    using Provider = NeededSymbol::Provider;
    ++counts[static_cast<std::size_t>(symbol.provider)];
    const bool ours = symbol.provider == Provider::TvmRuntime || symbol.provider == Provider::TvmFfi;
    const bool others = symbol.provider == Provider::CuteDsl || symbol.provider == Provider::Other;
    if (symbol.weak || (!ours && !others)) {
      met(Step::Symbols);
      continue;
    }
    const Availability found = ours ? m_runtime.symbol(symbol.name) : Availability{};
    if (has(found)) {
      met(Step::Symbols);
      continue;
    }
    // A symbol of another library, which the process or a needed library may define.
    if (others && (m_needs.kind == "object" || m_needs.format == "wasm")) continue;
    const bool atLoad = symbol.data || m_needs.bindsAtOnce;
    if (!atLoad && !m_findsFunctions) continue;
    Missing& item = add(Rule::PreSymbol, "symbol", symbol.name, Step::Symbols, {arg("name", symbol.name)});
    item.certain = ours && found.state != Availability::State::Unknown;
    if (others) {
      item.sentence = "'" + escaped(symbol.name) + "' is not defined by TVM";
      item.fix = "load the library that defines it first";
    }
    item.crashes = !atLoad;
    item.ref = symbol.ref;
    if (item.certain)
      item.printed = (atLoad ? "undefined symbol: " : "symbol lookup error: " + m_needs.path + ": undefined symbol: ") +
                     symbol.name;
  }
  std::string summary;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0)
      summary += (summary.empty() ? "" : ", ") + std::string(providerText(static_cast<NeededSymbol::Provider>(i))) +
                 " " + groupedText(counts[i]);
  at(Step::Symbols).summary = summary;
}

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
    item.crashes = true;
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

void Judge::checkCarrier() {
  if (m_needs.carriers.empty()) return;
  const std::vector<std::string> wanted = m_runtime.carriers();
  const requirements::CarrierSymbol& first = m_needs.carriers.front();
  at(Step::Carrier).summary = escaped(first.prefix + first.name);
  for (const requirements::CarrierSymbol& carrier : m_needs.carriers)
    if (std::ranges::find(wanted, carrier.name) != wanted.end()) {
      met(Step::Carrier);
      return;
    }
  if (wanted.empty()) return;
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
