// Step 2: symbols that the file does not define.
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
using requirements::NeededSymbol;

template <std::size_t N> bool beginsWith(const std::string& name, const std::array<std::string_view, N>& beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view begin) { return name.starts_with(begin); });
}

/// Names of the C API of Python, which the program provides where Python runs it.
bool isOfPython(std::string_view name) { return name.starts_with("Py") || name.starts_with("_Py"); }

/// Functions that conversions of float16 use; the runtimes export them. Source: apache/tvm v0.6.0 – v0.27.0
/// src/runtime/builtin_fp16.cc.
bool isHalfConversion(std::string_view name) {
  return name == "__gnu_f2h_ieee" || name == "__gnu_h2f_ieee" || name == "__truncdfhf2";
}

std::string_view providerText(NeededSymbol::Provider provider) {
  switch (provider) {
  case NeededSymbol::Provider::TvmRuntime: return "TVM runtime";
  case NeededSymbol::Provider::TvmFfi: return "libtvm_ffi";
  case NeededSymbol::Provider::CLibrary: return "C library";
  case NeededSymbol::Provider::CxxLibrary: return "C++ library";
  case NeededSymbol::Provider::Cuda: return "CUDA";
  case NeededSymbol::Provider::CuteDsl: return "CuTe DSL";
  case NeededSymbol::Provider::Rocm: return "ROCm";
  case NeededSymbol::Provider::Other: break;
  }
  return "others";
}

} // namespace

/// What JavaScript must provide to a WebAssembly module. All imports are needed when it is instantiated, and the
/// browser reports the first one that is not there. Source: core/formats/linking.md 4.
void Judge::checkImports() {
  constexpr std::size_t kShown = 5;
  const auto namesText = [&](const std::vector<const NeededSymbol*>& symbols) {
    std::string names;
    for (std::size_t i = 0; i < std::min(symbols.size(), kShown); ++i)
      names += (i > 0 ? ", '" : "'") + escaped(demangled(symbols[i]->name), 200) + "'";
    return names + (symbols.size() > kShown ? " and " + groupedText(symbols.size() - kShown) + " more" : "");
  };
  std::vector<const NeededSymbol*> absent;
  std::map<std::string_view, std::vector<const NeededSymbol*>> open; // by import module
  std::set<std::string_view> modules;
  for (const NeededSymbol& symbol : m_needs.symbols) {
    modules.insert(symbol.importModule);
    const Availability found = m_runtime.webImport(symbol.importModule, symbol.name);
    if (has(found)) {
      met(Step::Symbols);
      continue;
    }
    (found.state == Availability::State::Absent ? absent : open[symbol.importModule]).push_back(&symbol);
  }
  if (!absent.empty()) {
    const NeededSymbol& first = *absent.front();
    Missing& item = add(Rule::PreSymbol, "symbol", first.name, Step::Symbols, {arg("name", first.name)});
    item.sentence = "the JavaScript of " + m_runtime.title() + " does not provide " + namesText(absent) +
                    ", which the module imports";
    item.fix = "link the library again with the web runtime (wasm_runtime.bc) of the release whose tvmjs loads it";
    item.printed = "LinkError: WebAssembly.instantiate(): Import #" + std::to_string(first.importNumber) + " \"" +
                   escaped(first.importModule) + "\" \"" + escapedWhole(first.name) +
                   "\": function import requires a callable";
    item.ref = first.ref;
  }
  const auto addOpen = [&](std::string_view module, const std::string& functions) {
    Missing& item = add(Rule::PreLibrary, "library", std::string(module), Step::Symbols, {arg("name", module)});
    item.certain = false;
    item.sentence = "whether the page provides " + functions + " of the import module '" + escaped(module) +
                    "' is not known; they are not functions of " + m_runtime.title();
    item.fix = "compare with the functions that the page passes to instantiate(); --runtime takes its tvmjs bundle";
  };
  for (const auto& [module, symbols] : open) addOpen(module, namesText(symbols));
  for (const std::string& module : m_needs.libraries) // memories and tables
    if (!modules.contains(module)) addOpen(module, "the imports");
  at(Step::Symbols).summary = countText(m_needs.symbols.size(), "import");
}

Judge::Has Judge::findSymbol(const NeededSymbol& symbol) const {
  using Provider = NeededSymbol::Provider;
  const bool linked = m_needs.kind == "shared";
  const bool listed = m_refused.contains(symbol.versionLibrary); // its versions are a finding of their own
  const auto here = [&](const targets::SharedLibraryPtr& one) {
    return one->has(symbol.name, listed ? std::string_view() : std::string_view(symbol.version));
  };
  if (std::ranges::any_of(m_libraries, here)) return Has::Yes;
  if (m_target.libraries && std::ranges::any_of(m_target.libraries->given(), [&](const targets::SharedLibraryPtr& one) {
        return (!one->archive || !linked) && here(one);
      }))
    return Has::Yes;
  if (symbol.provider == Provider::TvmRuntime || symbol.provider == Provider::TvmFfi) {
    const Availability found = m_runtime.symbol(symbol.name);
    if (has(found)) return Has::Yes;
    return found.state == Availability::State::Unknown ? Has::Unknown : Has::No;
  }
  const targets::FactsPtr facts = m_runtime.facts();
  if (!linked && facts && !facts->linkedBy(symbol.name).empty()) return Has::Yes;
  const bool ofC = symbol.provider == Provider::CLibrary || (facts && facts->isSystemName(symbol.name));
  // By its name alone, a symbol of libgcc or libstdc++ may look like one of the C library.
  const bool onlyC =
      symbol.version.starts_with("GLIBC_") ||
      (symbol.version.empty() && symbol.provider == Provider::CLibrary && !symbol.name.starts_with("__"));
  if (onlyC && facts && m_system && m_system->library == targets::System::CLibrary::Musl)
    return facts->isMuslName(symbol.name) ? Has::Yes : Has::No;
  if (ofC || symbol.provider == Provider::CxxLibrary || isHalfConversion(symbol.name)) return Has::Yes;
  // Until v0.24 the runtime itself is linked with CUDA or ROCm; later that is a library of local scope. Packages may
  // contain stubs of their drivers, such as tilelang's libstub_hip.so, which are no part of the process (seen).
  const bool cuda = symbol.provider == Provider::Cuda, rocm = symbol.provider == Provider::Rocm;
  if (!cuda && !rocm && has(m_runtime.symbol(symbol.name))) return Has::Yes;
  if (cuda || rocm) {
    const Availability device = m_runtime.function(cuda ? "device_api.cuda" : "device_api.rocm");
    if (has(device) && device.library.empty() && m_runtime.needsLibrary(cuda ? "libcud" : "libamdhip64"))
      return Has::Yes;
  }
  const bool elf = (m_needs.binary.empty() ? m_needs.format : m_needs.binary) == "elf";
  if (!facts || !elf || isOfPython(symbol.name) || !m_unknownLibraries.empty()) return Has::Unknown;
  return Has::No;
}

void Judge::addSymbol(const NeededSymbol& symbol, Has found) {
  using Provider = NeededSymbol::Provider;
  using When = requirements::StartUpCall::When;
  const bool ours = symbol.provider == Provider::TvmRuntime || symbol.provider == Provider::TvmFfi;
  const bool linked = m_needs.kind == "shared";
  const bool musl = m_system && m_system->library == targets::System::CLibrary::Musl;
  const bool android = m_needs.system == "android";
  const bool atLoad = symbol.data || m_needs.bindsAtOnce || (android && linked);
  const auto start = m_startUp.find(symbol.name);
  const requirements::StartUpCall* const call = start == m_startUp.end() ? nullptr : start->second;
  const bool starts = !atLoad && call && call->when != When::Ending;
  // A symbol that one of the libraries may define, of which nothing is known, adds nothing to that.
  if (found == Has::Unknown && !ours && linked && !m_unknownLibraries.empty()) {
    m_mayBeThere.push_back(symbol.name);
    return;
  }
  if (!atLoad && !starts && ours && !m_findsFunctions) return;
  const std::string name = escaped(demangled(symbol.name));
  Missing& item = add(Rule::PreSymbol, "symbol", symbol.name, Step::Symbols, {{"name", name}});
  item.ref = symbol.ref;
  item.certain = found == Has::No;
  if (ours && found == Has::Unknown) {
    item.sentence = "whether " + m_runtime.title() + " exports '" + name + "' is not known";
    item.fix = "compare with a runtime on disk: --runtime PATH";
  }
  // A library that is loaded before the first call can still define it.
  if (!ours && !atLoad && !starts) item.certain = false;
  item.crashes = !atLoad;
  item.later = !atLoad && !starts;
  const std::string function = call ? "'" + escaped(call->function) + "', which runs when the library is " +
                                          (call->when == When::Ending ? "closed" : "loaded") + ", "
                                    : std::string();
  if (!ours) {
    item.sentence = musl && symbol.provider == Provider::CLibrary ? "musl does not have '" + name + "'"
                    : isOfPython(symbol.name)
                        ? "'" + name + "' belongs to Python: only a program that contains Python has it"
                        : "nothing that is known provides '" + name + "'";
    item.fix = !linked ? "pass the library or archive that defines it with --with, and link it"
               : item.certain
                   ? "link the library that defines it, or load that one first with global scope"
                   : "load the library that defines it first, with global scope; pass it with --with to check";
  }
  if (starts) {
    if (!call->certain) item.certain = false;
    item.sentence = function + (call->certain ? "calls '" : "may call '") + name + "', and " +
                    (ours ? m_runtime.title() + " does not export it" : "nothing that is known provides it") +
                    (call->certain ? "" : "; whether the call is reached is not known");
    if (!call->certain) item.fix = "load the library in a process of its own to find out";
    // An error while relocations are applied is returned; later ones end the process.
    item.crashes = call->when == When::Starting;
  } else if (call && call->when == When::Ending) {
    item.sentence += "; " + function + (call->certain ? "calls it" : "may call it");
  }
  if (!item.certain && !starts) return;
  if (musl && !ours) {
    item.printed = "Error relocating " + m_needs.path + ": " + symbol.name + ": symbol not found";
  } else if (android && atLoad) {
    item.printed = "cannot locate symbol \"" + symbol.name + "\" referenced by \"" + m_needs.path + "\"";
  } else if (!linked) {
    item.printed = (atLoad ? "undefined symbol: " : "symbol lookup error: undefined symbol: ") + symbol.name;
  } else if (item.crashes) {
    item.printed = "symbol lookup error: " + m_needs.path + ": undefined symbol: " + symbol.name;
  } else {
    refuse(item, m_needs.path + ": undefined symbol: " + symbol.name);
  }
  item.printed = escapedWhole(item.printed);
  if (!symbol.version.empty() && linked && !musl) item.printed += ", version " + escaped(symbol.version);
}

void Judge::checkSymbols() {
  if (m_needs.format == "wasm") return checkImports();
  using Provider = NeededSymbol::Provider;
  std::array<uint64_t, 8> counts = {};
  std::vector<std::pair<const NeededSymbol*, Has>> missing;
  for (const NeededSymbol& symbol : m_needs.symbols) {
    ++counts[static_cast<std::size_t>(symbol.provider)];
    const Has found = symbol.weak || !symbol.used ? Has::Yes : findSymbol(symbol);
    if (found == Has::Yes)
      met(Step::Symbols);
    else
      missing.emplace_back(&symbol, found);
  }
  // The order of the loader: relocations, then start-up code, then calls.
  std::map<std::string_view, std::size_t> order;
  for (std::size_t i = 0; i < m_needs.startUp.size(); ++i) order.try_emplace(m_needs.startUp[i].symbol, i);
  const auto rank = [&](const NeededSymbol& symbol) {
    if (symbol.data || m_needs.bindsAtOnce) return std::pair<std::size_t, std::size_t>(0, symbol.order);
    const auto found = order.find(symbol.name);
    return found == order.end() ? std::pair<std::size_t, std::size_t>(2, 0)
                                : std::pair<std::size_t, std::size_t>(1, found->second);
  };
  std::ranges::stable_sort(missing, {}, [&](const auto& one) { return rank(*one.first); });
  // Without a library that it needs, the loader does not come to the symbols.
  const bool stops = m_stops || std::ranges::any_of(m_outcome.missing, [](const Missing& one) {
                       return one.rule == Rule::PreLibrary && one.certain;
                     });
  if (!stops)
    for (const auto& [symbol, found] : missing) addSymbol(*symbol, found);
  addUnknownStart();
  std::string summary;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0)
      summary += (summary.empty() ? "" : ", ") + std::string(providerText(static_cast<Provider>(i))) + " " +
                 groupedText(counts[i]);
  std::vector<std::string_view> ofFfi;
  for (const NeededSymbol& symbol : m_needs.symbols)
    if (symbol.provider == Provider::TvmFfi) ofFfi.push_back(symbol.name);
  if (const auto need = m_runtime.neededFfi(ofFfi))
    summary += "; needs apache-tvm-ffi " + need->release + " or later, for " + escaped(need->function);
  at(Step::Symbols).summary = summary;
}

/// What the libraries decide of which nothing is known, and start-up code that cannot be read.
void Judge::addUnknownStart() {
  if (!m_mayBeThere.empty()) {
    const auto item =
        std::ranges::find_if(m_outcome.missing, [](const Missing& one) { return one.rule == Rule::PreLibrary; });
    constexpr std::size_t kNamed = 3;
    std::string names;
    for (std::size_t i = 0; i < m_mayBeThere.size() && i < kNamed; ++i)
      names += (i > 0 ? ", " : "") + escaped(m_mayBeThere[i], 60);
    if (m_mayBeThere.size() > kNamed) names += " …";
    if (item != m_outcome.missing.end())
      item->sentence += "; " + countText(m_mayBeThere.size(), "symbol") + " must come from " +
                        (m_unknownLibraries.size() > 1 ? "such libraries: " : "it: ") + names;
  }
  const bool open = std::ranges::any_of(
      m_outcome.missing, [](const Missing& one) { return one.rule == Rule::PreSymbol && one.crashes && one.later; });
  if (m_needs.startUpUnknown.empty() || !open) return;
  Missing& item = add(Rule::PreStart, "file", "start-up code", Step::Symbols,
                      {{"what", "whether code that runs when the library is loaded calls a missing function is not "
                                "known: " +
                                    m_needs.startUpUnknown}});
  item.certain = false;
  item.fix = "load the library in a process of its own to find out";
}

} // namespace blobscope::preflight
