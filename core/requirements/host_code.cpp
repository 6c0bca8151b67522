#include "core/requirements/code_graph.h"
#include "core/requirements/parts.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace blobscope::requirements {
namespace {

using container::Format;
using container::Image;
using container::Symbol;
using host::Group;

/// The variable in which LLVM's host code keeps a function that it has looked up. Source: apache/tvm v0.6.0 – v0.27.0
/// src/target/llvm/codegen_cpu.cc, GetPackedFuncHandle.
constexpr std::string_view kHandlePrefix = ".tvm_func.";
/// The functions of the runtime that look up a function; host code calls them or the slot with two more underscores.
/// The name is their second argument. Source: apache/tvm v0.6.0 – v0.25.0 include/tvm/runtime/c_backend_api.h;
/// apache/tvm-ffi v0.1.0 include/tvm/ffi/extra/c_env_api.h.
constexpr std::string_view kLookups[] = {"TVMBackendGetFuncFromEnv", "TVMFFIEnvModLookupFromImports"};
/// The maximum of callers of one slot.
constexpr std::size_t kCallers = 10'000;

bool isLookup(std::string_view name) {
  return std::any_of(std::begin(kLookups), std::end(kLookups), [&](std::string_view lookup) {
    return name == lookup || (name.starts_with("__") && name.substr(2) == lookup);
  });
}

/// Reads one file.
class FileReader {
public:
  FileReader(const library::Package& package, const LoaderFacts& facts, const DefinedNames& defined, Requirements& out,
             std::unordered_set<std::string>& functions, Monitor& monitor)
      : m_package(package), m_image(package.image), m_facts(facts), m_defined(defined), m_out(out),
        m_functions(functions), m_monitor(monitor) {}

  Result<Done> read() {
    if (m_image.format == Format::CSource) return readSource();
    BLOBSCOPE_CHECK(collect());
    if (m_wanted.count == 0) return Done{};
    addPlaces();
    BLOBSCOPE_TRY(graph, CodeGraph::read(m_image, m_wanted, m_monitor));
    for (const host::Function& function : m_package.host.functions) {
      if (mustStop()) return Error(DiagnosticId::Cancelled, {});
      m_hosts[m_image.symbols[function.symbol].value].push_back(function.name);
    }
    BLOBSCOPE_CHECK(addSlots(graph));
    return addFunctions(graph);
  }

private:
  struct Word {
    std::string_view name; ///< of a slot or an undefined function; of a handle, without its prefix
    uint32_t symbol = 0;
    bool slot = false, handle = false;
  };

  bool mustStop() {
    if (m_done++ % 4'096 != 0) return false;
    m_monitor.progress("reading host code", m_done, 0);
    return m_monitor.stopRequested();
  }

  /// Slots, handles, and the functions that look up names.
  Result<Done> collect() {
    for (uint32_t i = 0; i < m_image.symbols.size() && i < m_package.host.groups.size(); ++i) {
      if (mustStop()) return Error(DiagnosticId::Cancelled, {});
      if (m_words.size() >= kEntries) break;
      const Symbol& symbol = m_image.symbols[i];
      const std::string_view name = m_image.plainName(symbol);
      const bool slot = m_package.host.groups[i] == Group::Slot, handle = name.starts_with(kHandlePrefix);
      const bool lookup = !symbol.defined && isLookup(name);
      if (!slot && !handle && !lookup) continue;
      // Both symbol tables of a file that is not stripped contain a slot.
      const auto [known, isNew] = m_numbers.try_emplace(name, static_cast<uint32_t>(m_words.size()));
      m_bySymbol.emplace(i, known->second);
      if (symbol.defined) m_wanted.places.emplace(symbol.value, known->second);
      if (!isNew) continue;
      m_words.push_back({handle ? name.substr(kHandlePrefix.size()) : name, i, slot, handle});
      m_wanted.lookups.push_back(isLookup(name));
    }
    m_wanted.count = static_cast<uint32_t>(m_words.size());
    return Done{};
  }

  /// Words that the loader fills with the address of one of these symbols.
  void addPlaces() {
    for (const auto& [address, place] : m_facts.elf.places)
      if (const auto found = m_bySymbol.find(place.symbol); found != m_bySymbol.end())
        m_wanted.places.emplace(address, found->second);
    for (const auto& [address, stored] : m_facts.imports.places) {
      std::string_view name = stored;
      if (m_image.underscores && name.starts_with('_')) name.remove_prefix(1);
      if (const auto found = m_numbers.find(name); found != m_numbers.end())
        m_wanted.places.emplace(address, found->second);
    }
  }

  /// Host functions among the callers of functions.
  std::vector<std::string> hostsOf(const CodeGraph& graph, const std::vector<uint32_t>& functions, std::size_t limit) {
    std::vector<std::string> out;
    for (const uint64_t address : graph.callersOf(functions)) {
      const auto found = m_hosts.find(address);
      if (found == m_hosts.end()) continue;
      for (const std::string_view name : found->second)
        if (out.size() < limit) out.push_back(nameOf(name));
    }
    return out;
  }

  Result<Done> addSlots(const CodeGraph& graph) {
    for (uint32_t number = 0; number < m_words.size(); ++number) {
      const Word& word = m_words[number];
      if (!word.slot) continue;
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const auto known = std::find_if(m_out.slots.begin(), m_out.slots.end(),
                                      [&](const Slot& slot) { return slot.name == word.name; });
      Slot slot{nameOf(word.name),
                m_package.ref(Ref::named(Ref::Kind::Symbol, m_image.symbols[word.symbol].name)),
                {},
                graph.isReadable()};
      if (graph.isReadable()) slot.callers = hostsOf(graph, graph.usersOf(number), kCallers);
      if (known == m_out.slots.end()) {
        m_out.slots.push_back(std::move(slot));
        continue;
      }
      known->callersKnown = known->callersKnown && slot.callersKnown;
      known->callers.insert(known->callers.end(), slot.callers.begin(), slot.callers.end());
    }
    return Done{};
  }

  Result<Done> addFunctions(const CodeGraph& graph) {
    for (uint32_t number = 0; number < m_words.size(); ++number) {
      if (!m_words[number].handle) continue;
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      addFunction(m_words[number].name, hostsOf(graph, graph.usersOf(number), 1));
    }
    // Files without a static symbol table have no handles with names, and LLVM merges small variables (Mach-O).
    for (const CodeGraph::Name& name : graph.names()) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      addFunction(name.text, hostsOf(graph, {name.function}, 1));
    }
    return Done{};
  }

  /// C source of TVM's C host: the name is the second argument of the call.
  Result<Done> readSource() {
    const std::string_view text = m_image.file.view();
    for (const std::string_view lookup : kLookups)
      for (std::size_t at = text.find(lookup); at != std::string_view::npos; at = text.find(lookup, at + 1)) {
        if (mustStop()) return Error(DiagnosticId::Cancelled, {});
        const std::string_view call = text.substr(at + lookup.size(), kNameBytes);
        const std::size_t comma = call.find(", \"");
        if (!call.starts_with('(') || comma == std::string_view::npos || call.find(')') < comma) continue;
        const std::string_view rest = call.substr(comma + 3);
        const std::size_t end = rest.find('"');
        if (end == std::string_view::npos || rest.substr(0, end).find('\\') != std::string_view::npos) continue;
        addFunction(rest.substr(0, end), {});
      }
    return Done{};
  }

  void addFunction(std::string_view name, const std::vector<std::string>& callers) {
    if (name.empty() || m_out.functions.size() >= kEntries || !m_functions.insert(nameOf(name)).second) return;
    NeededFunction needed;
    needed.place = NeededFunction::Place::Host;
    needed.name = nameOf(name);
    needed.definedHere = m_defined.has(needed.name);
    needed.ref = m_package.ref(callers.empty() ? Ref::file() : Ref::named(Ref::Kind::Host, callers.front()));
    if (!callers.empty()) needed.caller = callers.front();
    m_out.functions.push_back(std::move(needed));
  }

  const library::Package& m_package;
  const Image& m_image;
  const LoaderFacts& m_facts;
  const DefinedNames& m_defined;
  Requirements& m_out;
  std::unordered_set<std::string>& m_functions; ///< names that are in m_out already
  Monitor& m_monitor;
  uint64_t m_done = 0;
  std::vector<Word> m_words;
  CodeGraph::Wanted m_wanted;
  std::unordered_map<std::string_view, uint32_t> m_numbers; ///< by plain name of the symbol
  std::unordered_map<uint32_t, uint32_t> m_bySymbol;
  std::unordered_map<uint64_t, std::vector<std::string_view>> m_hosts; ///< host functions by address
};

} // namespace

Result<Done> addHostCode(const Packages& packages, const std::vector<LoaderFacts>& facts, const DefinedNames& defined,
                         Requirements& out, Monitor& monitor) {
  std::unordered_set<std::string> functions;
  for (std::size_t i = 0; i < packages.size(); ++i)
    BLOBSCOPE_CHECK(FileReader(*packages[i], facts[i], defined, out, functions, monitor).read());
  return Done{};
}

} // namespace blobscope::requirements
