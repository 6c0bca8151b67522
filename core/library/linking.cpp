#include "core/library/linking.h"

#include "core/base/limits.h"
#include "core/container/carrier.h"
#include "core/container/coff/file.h"
#include "core/container/elf/file.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace blobscope::library {
namespace {

using container::Binding;
using container::Format;
using container::Image;
using container::Kind;
using container::Symbol;

/// Functions that start-up code of a system library calls. Source: core/formats/linking.md 2.
constexpr std::array<std::string_view, 2> kRegister = {"TVMFFIEnvModRegisterSystemLibSymbol",
                                                       "TVMBackendRegisterSystemLibSymbol"};
/// Context pointers; the rest of the symbol is the prefix.
constexpr std::array<std::string_view, 3> kContexts = {"__tvm_ffi__library_ctx", "__tvm_ffi_library_ctx",
                                                       "__tvm_module_ctx"};

/// Whether the file has code that runs when it is loaded, or when the program starts.
bool hasStartUp(const Image& image) {
  return std::ranges::any_of(image.sections, [&](const container::Section& section) {
    const std::string_view name = section.name;
    switch (image.format) {
    case Format::Elf: return section.type == "INIT_ARRAY" || name.starts_with(".ctors") || name.starts_with(".init");
    case Format::Coff:
    case Format::Pe: return name.starts_with(".CRT$XC") || name.starts_with(".ctors") || image.format == Format::Pe;
    case Format::MachO: return section.type == "mod_init_funcs" || section.type == "init_func_offsets";
    case Format::Wasm: return name == "linking"; // its subsection of initial functions
    default: return false;
    }
  });
}

bool isMachineCode(Format format) {
  return format == Format::Elf || format == Format::Pe || format == Format::Coff || format == Format::MachO ||
         format == Format::Wasm;
}

/// The prefix of a system library that the symbol has; nothing when it is neither a carrier nor a context.
std::optional<std::string_view> prefixOf(std::string_view name, bool& blob) {
  if (const auto carrier = container::matchCarrier(name)) {
    blob = true;
    return carrier->prefix;
  }
  for (const std::string_view context : kContexts)
    if (name.ends_with(context)) return name.substr(0, name.size() - context.size());
  return std::nullopt;
}

/// Whether the file calls the function that registers symbols, and has code that runs at the start.
Result<bool> registersSymbols(const Image& image, Monitor& monitor) {
  if (!isMachineCode(image.format) || image.kind == Kind::Module || !hasStartUp(image)) return false;
  uint64_t steps = 0;
  for (const Symbol& symbol : image.symbols) {
    if (++steps % 4'096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (!symbol.defined && std::ranges::find(kRegister, image.plainName(symbol)) != kRegister.end()) return true;
  }
  return false;
}

// --- Definitions -----------------------------------------------------------------------------------------------------

/// One file that a linker is given, or a member of one.
struct Unit {
  std::size_t file = 0;
  PackagePtr package;
  bool lazy = false;   ///< a member of an archive that the linker searches
  bool shared = false; ///< a library that is loaded together with the program
  bool registers = false;
};

/// A strong definition.
struct Definition {
  uint32_t unit = 0;
  bool absolute = false;
  uint64_t value = 0; ///< of absolute ones
  uint32_t group = 0; ///< 0: in no group; definitions in groups with one number are alternatives
  uint32_t next = 0;  ///< number of another definition of the name; 0: none
};

/// Of an ELF object: number of a section → signature of its COMDAT group. Source: System V ABI, "Section Groups".
std::unordered_map<uint32_t, std::string> comdatSections(const Bytes& bytes, Monitor& monitor) {
  constexpr uint32_t kComdat = 1; // GRP_COMDAT
  std::unordered_map<uint32_t, std::string> out;
  auto file = container::elf::File::readHeader(bytes);
  if (!file) return out;
  file->readTables();
  uint64_t steps = 0;
  for (const container::elf::SectionHeader& section : file->sections) {
    if (monitor.stopRequested()) return out;
    if (section.type != container::elf::SHT_GROUP || section.link >= file->sections.size()) continue;
    const Bytes words = bytes.slice(section.offset, section.size);
    const auto wordAt = [&](uint64_t at) { return static_cast<uint32_t>(file->number(section.offset + at, 4)); };
    if (words.size() < 4 || !(wordAt(0) & kComdat)) continue;
    const container::elf::SectionHeader& symbols = file->sections[section.link];
    const container::elf::Symbol signature = file->symbol(symbols.offset + section.info * file->symbolSize());
    std::string name;
    if (symbols.link < file->sections.size()) {
      const container::elf::SectionHeader& strings = file->sections[symbols.link];
      const std::string_view text = bytes.slice(strings.offset, strings.size).view();
      if (signature.name < text.size()) {
        constexpr std::size_t kName = 4'096;
        const std::string_view rest = text.substr(signature.name, kName);
        name = rest.substr(0, rest.find('\0'));
      }
    }
    // The group of a section symbol has the name of the section, which is the same number of it here.
    if (name.empty()) name = "#" + std::to_string(signature.section);
    for (uint64_t at = 4; at + 4 <= words.size(); at += 4) {
      if (++steps % 4'096 == 0 && monitor.stopRequested()) return out;
      if (out.size() >= file->sections.size()) break;
      out.try_emplace(wordAt(at), name);
    }
  }
  return out;
}

/// Of a COFF object: numbers of the sections of which the linker keeps one copy.
std::unordered_set<uint32_t> comdatSections(const Image& image) {
  std::unordered_set<uint32_t> out;
  const std::string_view text = image.file.view();
  const bool wide = text.starts_with(std::string_view("\0\0\xff\xff", 4));
  const container::coff::FileHeader header = container::coff::fileHeaderOf(text, wide);
  for (uint64_t i = 0; i < image.sections.size(); ++i)
    if (container::coff::sectionAt(text, header.sectionsAt + i * container::coff::kSectionHeader).characteristics &
        container::coff::IMAGE_SCN_LNK_COMDAT)
      out.insert(static_cast<uint32_t>(i));
  return out;
}

/// Whether the text of a C source defines the variable: only initial values are definitions for certain.
bool isInitialised(const Image& image, const Symbol& symbol) {
  const std::string_view text = image.file.view();
  const auto at = static_cast<std::size_t>(symbol.name.data() - text.data()) + symbol.name.size();
  if (at >= text.size()) return false;
  const std::string_view rest = text.substr(at, 16);
  const std::size_t next = rest.find_first_not_of(" \n\t");
  return next != std::string_view::npos && rest[next] == '=';
}

class LinkComparison {
public:
  LinkComparison(std::span<const PackagePtr> files, Monitor& monitor) : m_files(files), m_monitor(monitor) {}

  Result<std::vector<LinkConflict>> run() {
    m_definitions.emplace_back(); // number 0 means none
    for (std::size_t i = 0; i < m_files.size(); ++i) addUnits(i, m_files[i], false);
    BLOBSCOPE_CHECK(findSystemLibraries());
    compareMachines();
    for (uint32_t i = 0; i < m_units.size(); ++i) {
      m_monitor.progress("comparing symbols", i, m_units.size());
      BLOBSCOPE_CHECK(addDefinitions(i));
    }
    BLOBSCOPE_CHECK(compareDefinitions());
    comparePrefixes();
    return std::move(m_out);
  }

private:
  /// Conflicts that are kept; real files have a few.
  static constexpr std::size_t kConflicts = 1'000;
  static constexpr std::size_t kNameBytes = 4'096;

  bool mustStop() { return ++m_steps % 4'096 == 0 && m_monitor.stopRequested(); }

  // --- 1. What is linked.
  void addUnits(std::size_t file, const PackagePtr& package, bool lazy) {
    if (m_units.size() >= limits::kMembers || mustStop()) return;
    const Image& image = package->image;
    const bool object = image.kind == Kind::Object && isMachineCode(image.format);
    const bool shared = image.kind == Kind::Shared && isMachineCode(image.format);
    if (object || shared || image.format == Format::CSource) {
      m_units.push_back({file, package, lazy && !shared, shared, false});
      return;
    }
    for (const PackageMember& member : package->members)
      if (member.package) addUnits(file, member.package, lazy || image.format == Format::Ar);
  }

  Result<Done> findSystemLibraries() {
    for (Unit& unit : m_units) {
      BLOBSCOPE_TRY(registers, registersSymbols(unit.package->image, m_monitor));
      unit.registers = registers;
      if (!registers) continue;
      BLOBSCOPE_TRY(found, computeSystemLibraries(*unit.package, m_monitor));
      for (const SystemLibrary& one : found) {
        std::vector<LinkConflict::Place>& places = m_prefixes[one.prefix];
        if (places.empty() || places.back().file != unit.file) places.push_back({unit.file, Ref::file()});
      }
    }
    return Done{};
  }

  /// "ELF for x86_64".
  static std::string machineOf(const Image& image) {
    return std::string(container::formatTitle(image.format == Format::Pe ? Format::Coff : image.format)) +
           (image.arch.empty() ? std::string() : " for " + image.arch);
  }

  /// Reports the files that have no machine in common with the first one that has any.
  void compareMachines() {
    std::vector<std::set<std::string>> machines(m_files.size());
    for (const Unit& unit : m_units)
      if (!unit.package->image.arch.empty()) machines[unit.file].insert(machineOf(unit.package->image));
    const auto text = [](const std::set<std::string>& all) {
      std::string out;
      for (const std::string& one : all) out += (out.empty() ? "" : ", ") + one;
      return out;
    };
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < machines.size() && m_out.size() < kConflicts; ++i) {
      if (machines[i].empty()) continue;
      if (!first) first = i;
      if (std::ranges::any_of(machines[i], [&](const auto& one) { return machines[*first].contains(one); })) continue;
      LinkConflict conflict;
      conflict.kind = LinkConflict::Kind::Machine;
      conflict.names = {text(machines[*first]), text(machines[i])};
      conflict.places = {{*first, Ref::file()}, {i, Ref::file()}};
      conflict.count = conflict.placeCount = 2;
      m_out.push_back(std::move(conflict));
    }
  }

  // --- 2. Definitions of all units, chained by name.
  Result<Done> addDefinitions(uint32_t number) {
    const Unit& unit = m_units[number];
    const Image& image = unit.package->image;
    std::unordered_map<uint32_t, std::string> groups;
    std::unordered_set<uint32_t> comdat;
    if (image.format == Format::Elf && !unit.shared) groups = comdatSections(image.file, m_monitor);
    if (image.format == Format::Coff) comdat = comdatSections(image);
    for (const Symbol& symbol : image.symbols) {
      if (mustStop()) return Error(DiagnosticId::Cancelled, {});
      if (!isStrong(unit, symbol) || m_definitions.size() == UINT32_MAX) continue;
      Definition definition;
      definition.unit = number;
      definition.absolute = symbol.absolute && image.format == Format::Elf;
      definition.value = symbol.value;
      if (const auto group = groups.find(symbol.section); group != groups.end())
        definition.group = groupNumber(group->second);
      if (comdat.contains(symbol.section)) definition.group = groupNumber(nameOf(symbol));
      const auto index = static_cast<uint32_t>(m_definitions.size());
      const auto [found, isNew] = m_byName.try_emplace(symbol.name, index, index);
      if (!isNew) {
        Definition& last = m_definitions[found->second.second];
        if (last.unit == number) continue; // a file may list a symbol in both of its tables
        last.next = index;
        found->second.second = index;
      }
      m_definitions.push_back(definition);
    }
    return Done{};
  }

  static std::string nameOf(const Symbol& symbol) { return std::string(symbol.name.substr(0, kNameBytes)); }

  uint32_t groupNumber(std::string name) {
    return m_groups.try_emplace(std::move(name), static_cast<uint32_t>(m_groups.size() + 1)).first->second;
  }

  static bool isStrong(const Unit& unit, const Symbol& symbol) {
    const Image& image = unit.package->image;
    if (!symbol.defined || symbol.common || symbol.name.empty()) return false;
    if (symbol.binding != Binding::Global && symbol.binding != Binding::Other) return false;
    if (symbol.type == container::SymbolType::Section || symbol.type == container::SymbolType::File) return false;
    if (unit.shared) return symbol.dynamic && symbol.type == container::SymbolType::Function;
    return image.format != Format::CSource || symbol.type == container::SymbolType::Function ||
           isInitialised(image, symbol);
  }

  // --- 3. Names with several definitions.
  Result<Done> compareDefinitions() {
    for (const auto& [name, chain] : m_byName) {
      if (mustStop()) return Error(DiagnosticId::Cancelled, {});
      if (m_definitions[chain.first].next != 0) compareName(name, chain.first);
    }
    for (auto& [key, conflict] : m_clashes) {
      std::ranges::sort(conflict.names);
      if (conflict.names.size() > LinkConflict::kNames) conflict.names.resize(LinkConflict::kNames);
      if (conflict.kind == LinkConflict::Kind::IfTaken && std::get<1>(key)) {
        BLOBSCOPE_TRY(unused, areUnused(std::get<0>(key)));
        if (unused) conflict.kind = LinkConflict::Kind::Unused;
      }
      m_out.push_back(std::move(conflict));
    }
    return Done{};
  }

  /// Compares what a linker compares: definitions for one machine, one of each group.
  void compareName(std::string_view name, uint32_t first) {
    std::vector<const Definition*> sources;
    std::map<std::string, std::vector<const Definition*>> byMachine; // slices of universal files are other programs
    std::set<std::pair<std::string, uint32_t>> groups;
    for (uint32_t i = first; i != 0; i = m_definitions[i].next) {
      const Definition& one = m_definitions[i];
      const Image& image = m_units[one.unit].package->image;
      if (image.format == Format::CSource) {
        sources.push_back(&one);
        continue;
      }
      std::string machine = machineOf(image);
      if (one.group != 0 && !groups.emplace(machine, one.group).second) continue;
      byMachine[std::move(machine)].push_back(&one);
    }
    if (byMachine.empty()) byMachine.emplace();
    for (auto& [machine, list] : byMachine) {
      list.insert(list.end(), sources.begin(), sources.end());
      std::ranges::sort(list, {}, &Definition::unit);
      compareList(name, list);
    }
  }

  void compareList(std::string_view name, const std::vector<const Definition*>& list) {
    const bool sameNumber = std::ranges::all_of(
        list, [&](const Definition* one) { return one->absolute && one->value == list.front()->value; });
    if (sameNumber) return;
    std::vector<uint32_t> linked, shared;
    for (const Definition* const one : list) (m_units[one->unit].shared ? shared : linked).push_back(one->unit);
    if (linked.size() > 1) addName(name, linked, false);
    // The definition of the program itself comes before those of shared libraries.
    if (!linked.empty()) shared.insert(shared.begin(), linked.front());
    if (shared.size() > 1 && m_units[shared.front()].file != m_units[shared.back()].file) addName(name, shared, true);
  }

  /// `units`: at least two, ascending.
  void addName(std::string_view name, const std::vector<uint32_t>& units, bool shadowed) {
    using Kind = LinkConflict::Kind;
    const bool oneFile =
        std::ranges::all_of(units, [&](uint32_t unit) { return m_units[unit].file == m_units[units.front()].file; });
    bool searched = false, registers = false;
    std::vector<uint32_t> places; // of several files the files, of one file its members
    uint64_t placeCount = 0;
    for (const uint32_t number : units) {
      const Unit& unit = m_units[number];
      searched |= unit.lazy;
      registers |= unit.registers;
      const auto place = static_cast<uint32_t>(oneFile ? number : unit.file);
      // Units are in the order of their files, except the program's own definition, which is before the libraries.
      if (!places.empty() && (places.back() == place || places.front() == place)) continue;
      ++placeCount;
      if (places.size() < LinkConflict::kPlaces) places.push_back(place);
    }
    const Kind kind = shadowed ? Kind::Shadowed : searched ? Kind::IfTaken : Kind::Duplicate;
    Key key(std::move(places), oneFile, kind);
    auto found = m_clashes.find(key);
    if (found == m_clashes.end()) {
      if (m_clashes.size() >= kConflicts) return;
      LinkConflict conflict;
      conflict.kind = kind;
      conflict.placeCount = placeCount;
      for (const uint32_t place : std::get<0>(key))
        conflict.places.push_back(
            oneFile ? LinkConflict::Place{m_units[place].file, m_units[place].package->ref(Ref::file())}
                    : LinkConflict::Place{place, Ref::file()});
      found = m_clashes.emplace(std::move(key), std::move(conflict)).first;
    }
    LinkConflict& conflict = found->second;
    conflict.registers |= registers;
    ++conflict.count;
    conflict.names.emplace_back(name.substr(0, kNameBytes));
    // The first ones by name are kept; half of them are above the limit, so that sorting stays rare.
    if (conflict.names.size() < 2 * LinkConflict::kNames) return;
    std::ranges::sort(conflict.names);
    conflict.names.resize(LinkConflict::kNames);
  }

  /// Whether the first member has all names of the others, so that a linker that searches the archive for a name never
  /// takes these.
  Result<bool> areUnused(const std::vector<uint32_t>& units) {
    const auto forNames = [&](uint32_t number, auto&& each) -> Result<bool> {
      for (const Symbol& symbol : m_units[number].package->image.symbols) {
        if (mustStop()) return Error(DiagnosticId::Cancelled, {});
        if (symbol.defined && symbol.binding != Binding::Local && !symbol.name.empty() && !each(symbol.name))
          return false;
      }
      return true;
    };
    std::unordered_set<std::string_view> names;
    BLOBSCOPE_CHECK(forNames(units.front(), [&](std::string_view name) { return names.insert(name), true; }));
    for (std::size_t i = 1; i < units.size(); ++i) {
      BLOBSCOPE_TRY(all, forNames(units[i], [&](std::string_view name) { return names.contains(name); }));
      if (!all) return false;
    }
    return true;
  }

  // --- 4. System libraries.
  void comparePrefixes() {
    for (const auto& [prefix, places] : m_prefixes) {
      if (places.size() < 2) continue;
      LinkConflict conflict;
      conflict.kind = LinkConflict::Kind::Prefix;
      conflict.registers = true;
      conflict.names = {prefix};
      conflict.count = 1;
      conflict.placeCount = places.size();
      conflict.places = {places.begin(),
                         places.begin() + static_cast<std::ptrdiff_t>(std::min(places.size(), LinkConflict::kPlaces))};
      m_out.push_back(std::move(conflict));
    }
  }

  using Key = std::tuple<std::vector<uint32_t>, bool, LinkConflict::Kind>;
  std::span<const PackagePtr> m_files;
  Monitor& m_monitor;
  uint64_t m_steps = 0;
  std::vector<Unit> m_units; ///< by file
  std::vector<Definition> m_definitions;
  std::unordered_map<std::string_view, std::pair<uint32_t, uint32_t>> m_byName; ///< first and last definition
  std::unordered_map<std::string, uint32_t> m_groups;
  std::map<Key, LinkConflict> m_clashes; ///< ordered, so that the result does not depend on hashes
  std::map<std::string, std::vector<LinkConflict::Place>> m_prefixes;
  std::vector<LinkConflict> m_out;
};

} // namespace

Result<std::vector<SystemLibrary>> computeSystemLibraries(const Package& package, Monitor& monitor) {
  const Image& image = package.image;
  std::vector<SystemLibrary> out;
  if (!isMachineCode(image.format) || image.kind == Kind::Module) return out;
  std::map<std::string_view, std::size_t> numbers;
  uint64_t steps = 0;
  for (const Symbol& symbol : image.symbols) {
    if (++steps % 4'096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (!symbol.defined) continue;
    bool blob = false;
    const auto prefix = prefixOf(image.plainName(symbol), blob);
    if (!prefix || out.size() >= limits::kCarriers) continue;
    const auto [found, isNew] = numbers.try_emplace(*prefix, out.size());
    if (isNew) out.push_back({std::string(*prefix), package.ref(Ref::named(Ref::Kind::Symbol, symbol.name)), blob});
    out[found->second].hasBlob |= blob;
  }
  if (out.empty()) return out;
  BLOBSCOPE_TRY(registers, registersSymbols(image, monitor));
  for (SystemLibrary& one : out) one.registers = registers;
  return out;
}

Result<std::vector<LinkConflict>> computeLinkConflicts(std::span<const PackagePtr> files, Monitor& monitor) {
  return LinkComparison(files, monitor).run();
}

} // namespace blobscope::library
