#include "core/container/macho/macho.h"

#include "core/base/limits.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/container/macho/export_trie.h"
#include "core/container/macho/file.h"
#include "core/container/number_at.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace blobscope::container {
namespace {

std::string_view sectionTypeName(uint32_t type) {
  constexpr std::string_view kNames[] = {"regular",
                                         "zerofill",
                                         "cstring",
                                         "4byte_literals",
                                         "8byte_literals",
                                         "literal_pointers",
                                         "non_lazy_symbol_pointers",
                                         "lazy_symbol_pointers",
                                         "symbol_stubs",
                                         "mod_init_funcs",
                                         "mod_term_funcs",
                                         "coalesced",
                                         "gb_zerofill",
                                         "interposing",
                                         "16byte_literals",
                                         "dtrace_dof",
                                         "lazy_dylib_symbol_pointers",
                                         "thread_local_regular",
                                         "thread_local_zerofill",
                                         "thread_local_variables",
                                         "thread_local_variable_pointers",
                                         "thread_local_init_function_pointers",
                                         "init_func_offsets"};
  return type < std::size(kNames) ? kNames[type] : "other";
}

/// The file, together with names that it does not contain as one piece ("__TEXT,__const"; all of the export trie).
/// Image and Bytes keep their source alive, and with it the names.
class NamedSource final : public ByteSource {
public:
  explicit NamedSource(std::shared_ptr<const ByteSource> file) : m_file(std::move(file)) {}

  /// A copy of `name` that lives as long as this. Only call it before the source is shared.
  std::string_view keep(std::string_view name) {
    if (name.empty()) return {};
    if (name.size() > m_left) {
      const std::size_t size = std::max<std::size_t>(name.size(), kBlock);
      m_blocks.push_back(std::make_unique_for_overwrite<char[]>(size));
      m_next = m_blocks.back().get();
      m_left = size;
    }
    std::memcpy(m_next, name.data(), name.size());
    const std::string_view kept(m_next, name.size());
    m_next += name.size();
    m_left -= name.size();
    return kept;
  }

  std::span<const std::byte> view() const override { return m_file ? m_file->view() : std::span<const std::byte>(); }
  bool isFile() const override { return m_file && m_file->isFile(); }
  FileIdentity identity() const override { return m_file ? m_file->identity() : FileIdentity{}; }
  std::optional<uint64_t> damage() const override { return m_file ? m_file->damage() : std::nullopt; }
  std::optional<uint64_t> findChange() const override { return m_file ? m_file->findChange() : std::nullopt; }

private:
  static constexpr std::size_t kBlock = 65'536;
  std::shared_ptr<const ByteSource> m_file;
  std::vector<std::unique_ptr<char[]>> m_blocks;
  char* m_next = nullptr;
  std::size_t m_left = 0;
};

class MachOReader {
public:
  MachOReader(const Bytes& file, Monitor& monitor)
      : m_monitor(monitor), m_names(std::make_shared<NamedSource>(file.owner())), m_text(file.view()) {
    m_image.file = Bytes(m_names, file.span(), file.offset());
    m_image.format = Format::MachO;
    m_image.underscores = true;
  }

  Result<Image> read() {
    if (std::string reason = readHeader(); !reason.empty())
      return Error(DiagnosticId::FileHeader, {arg("format", "Mach-O"), arg("reason", reason)});
    BLOBSCOPE_CHECK(readCommands());
    addLinkeditParts();
    indexSections();
    BLOBSCOPE_CHECK(readSymbols(true));
    BLOBSCOPE_CHECK(readExports());
    BLOBSCOPE_CHECK(readSymbols(false));
    return std::move(m_image);
  }

private:
  void note(DiagnosticId id, std::vector<Argument> arguments, Ref where = {}) {
    if (m_image.diagnostics.size() < limits::kDiagnostics)
      m_image.diagnostics.push_back({id, std::move(where), std::move(arguments)});
  }
  void noteTable(std::string_view table, std::string_view reason) {
    note(DiagnosticId::FileTable, {arg("table", table), arg("reason", reason)});
  }
  /// `extent` cut to the file; reports it when something was cut.
  Extent clipped(Extent extent, std::string_view what) {
    const uint64_t size = m_text.size();
    if (Extent{0, size}.contains(extent)) return extent;
    if (extent.size == 0) return {size, 0}; // nothing is missing
    note(DiagnosticId::FilePart,
         {arg("what", what), hexArg("at", extent.offset), arg("size", extent.size), arg("file", size)});
    if (extent.offset >= size) return {size, 0};
    return {extent.offset, size - extent.offset};
  }

  // --- 1. Header: class, byte order, type of the file. --------------------------------------------------------------
  /// The reason why the header cannot be used; empty when it can.
  std::string readHeader() {
    const auto header = macho::File::readHeader(m_image.file);
    if (!header) return "the magic number at 0x0 is " + hexText(numberAt(m_text, 0, 4, true));
    m_file = *header;
    m_image.bigEndian = m_file.bigEndian;
    m_image.bits = m_file.is64 ? 64 : 32;
    if (m_text.size() < m_file.headerSize())
      return "the file ends at " + hexText(m_text.size()) + ", inside the " + std::to_string(m_file.headerSize()) +
             " bytes of the header";
    m_image.arch = machoArch(m_file.cpuType);
    m_image.kind = kindOf(m_file.fileType);
    return {};
  }

  static Kind kindOf(uint32_t type) {
    switch (type) {
    case macho::MH_OBJECT: return Kind::Object;
    case macho::MH_EXECUTE: return Kind::Executable;
    case macho::MH_CORE: return Kind::Core;
    case macho::MH_DYLIB:
    case macho::MH_BUNDLE: return Kind::Shared;
    default: return Kind::Other;
    }
  }

  // --- 2. Load commands: segments, sections, the places of the tables. ----------------------------------------------
  Result<Done> readCommands() {
    const uint64_t count = m_file.commandCount;
    const Extent declared = m_file.head, present = clipped(declared, "load command table");
    uint64_t at = declared.offset, index = 0;
    for (; index < count; ++index) {
      if (index % 4096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const uint64_t left = present.end() - at;
      if (left < 8) break;
      const macho::Command command = m_file.command(at);
      const uint64_t size = command.place.size;
      if (size < 8 || size > left) {
        noteTable("load command " + std::to_string(index) + " at " + hexText(at),
                  "its size is " + groupedText(size) + " bytes, but 8 to " + groupedText(left) +
                      " are possible; the commands after it cannot be found");
        return Done{};
      }
      readCommand(command);
      at += size;
    }
    if (present == declared && (index < count || at != present.end()))
      noteTable("load command table", "the header says " + groupedText(count) + " commands up to " +
                                          hexText(present.end()) + "; there are " + groupedText(index) + " up to " +
                                          hexText(at));
    return Done{};
  }

  void readCommand(const macho::Command& command) {
    if (command.isSegment()) return readSegment(command);
    if (command.isEncryption()) return readEncryption(command);
    if (command.id == macho::LC_SYMTAB) {
      if (!hasBytes(command, 24)) return;
      if (std::exchange(m_hasSymtab, true))
        return noteTable("load command LC_SYMTAB at " + hexText(command.place.offset), "it is not the first one");
    }
    for (const macho::TableField& field : macho::File::fieldsOf(command)) {
      if (field.title.empty()) continue;
      if (!hasBytes(command, field.offsetAt + 8)) return;
      addPart(field, m_file.tableAt(command, field));
    }
  }

  bool hasBytes(const macho::Command& command, uint64_t wanted) {
    if (command.place.size >= wanted) return true;
    noteTable("load command " + macho::commandName(command.id) + " at " + hexText(command.place.offset),
              "it is " + std::to_string(command.place.size) + " bytes long, not at least " + std::to_string(wanted));
    return false;
  }

  void readSegment(const macho::Command& command) {
    if (!hasBytes(command, command.smallestSize())) return;
    const macho::Segment stored = m_file.segment(command);
    const std::string_view name = stored.name;
    Segment segment;
    segment.address = stored.address;
    segment.memorySize = stored.memorySize;
    segment.file = stored.file;
    segment.writable = stored.protection & macho::VM_PROT_WRITE;
    segment.executable = stored.protection & macho::VM_PROT_EXECUTE;
    // The Mach-O header is loaded with the segment that begins with it; exported addresses count from there.
    if (name == macho::kTextName || (!m_base && segment.file.offset == 0 && segment.file.size > 0))
      m_base = segment.address;
    if (m_image.kind != Kind::Object) {
      if (m_image.segments.size() < kSegments) {
        segment.file = clipped(segment.file, "segment '" + escaped(name) + "'");
        m_image.segments.push_back(segment);
      } else if (!std::exchange(m_segmentsFull, true)) {
        note(DiagnosticId::FileLimit, {arg("what", "segments"), arg("count", kSegments + 1), arg("limit", kSegments)});
      }
    }

    const uint64_t room = stored.room();
    if (stored.sections > room)
      noteTable("section table of segment '" + escaped(name) + "' at " + hexText(command.place.offset),
                "it has " + groupedText(stored.sections) + " sections in a load command with room for " +
                    groupedText(room));
    for (uint64_t i = 0; i < std::min(stored.sections, room); ++i) readSection(m_file.section(stored, i), segment);
  }

  void readSection(const macho::Section& stored, const Segment& segment) {
    if (m_image.sections.size() == limits::kSections) {
      if (!std::exchange(m_sectionsFull, true))
        note(DiagnosticId::FileLimit,
             {arg("what", "sections"), arg("count", m_image.sections.size() + 1), arg("limit", limits::kSections)});
      return;
    }
    const bool isObject = m_image.kind == Kind::Object,
               isDebug = stored.segment == "__DWARF" || stored.flags & macho::S_ATTR_DEBUG;
    Section section;
    section.name = m_names->keep(std::string(stored.segment) + "," + std::string(stored.name));
    section.address = stored.address;
    section.size = stored.size;
    section.type = sectionTypeName(stored.type());
    section.allocated = !isDebug;
    // In an object file one segment, writable and executable, contains everything. The permissions after linking: Apple
    // ld64 src/ld/Options.cpp, Options::initialSegProtection.
    section.writable = isObject
                           ? !isDebug && stored.segment != macho::kTextName && stored.segment != macho::kLinkeditName
                           : segment.writable;
    section.executable = segment.executable && stored.isCode();
    // Offset 0 is the header: the debugging companion of a library (.dSYM) lists sections whose bytes it does not have.
    if (stored.hasBytes() && stored.offset != 0)
      section.file = clipped(stored.file(), "section '" + escaped(section.name) + "'");
    m_image.sections.push_back(section);
    m_sectionTypes.push_back(static_cast<uint8_t>(stored.type()));
  }

  /// App stores encrypt the code of the programs that they sell; the system decrypts it page by page at run time.
  void readEncryption(const macho::Command& command) {
    if (!hasBytes(command, command.smallestSize())) return;
    const auto [file, cipher] = m_file.encryptionOf(command);
    if (cipher == 0 || file.size == 0) return;
    const Extent present = clipped(file, "encrypted part");
    if (present.size == 0) return;
    note(DiagnosticId::FileEncrypted,
         {hexArg("from", present.offset), hexArg("to", present.end() - 1), arg("cipher", uint64_t{cipher})},
         Ref::bytesAt(present.offset, present.size));
  }

  /// Records a part of __LINKEDIT.
  void addPart(const macho::TableField& field, Extent file) {
    if (file.size == 0) return;
    const std::string_view name = field.title;
    const Extent present = clipped(file, name.substr(1, name.size() - 2));
    if (field.role == macho::Role::Symbols) m_symbols = present;
    if (field.role == macho::Role::Strings) m_strings = present;
    if (field.role == macho::Role::ExportTrie && m_trie.size == 0) m_trie = present;
    if (m_parts.size() == limits::kSections) return;
    Section part;
    part.name = name;
    part.file = present;
    part.size = file.size;
    part.type = "linkedit";
    m_parts.push_back(part);
  }

  /// After the real sections, so that symbols still refer to the right section numbers.
  void addLinkeditParts() { m_image.sections.insert(m_image.sections.end(), m_parts.begin(), m_parts.end()); }

  void indexSections() {
    for (uint32_t i = 0; i < m_sectionTypes.size(); ++i)
      if (m_image.sections[i].allocated && m_image.sections[i].size > 0) m_byAddress.push_back(i);
    std::sort(m_byAddress.begin(), m_byAddress.end(),
              [&](uint32_t a, uint32_t b) { return m_image.sections[a].address < m_image.sections[b].address; });
  }

  // --- 3. Symbols. --------------------------------------------------------------------------------------------------
  bool holds(uint32_t section, uint64_t address) const {
    const Section& it = m_image.sections[section];
    return it.allocated && Extent{it.address, it.size}.contains(address);
  }

  /// The section at an address of a linked file.
  uint32_t sectionAt(uint64_t address) const {
    const auto upper = std::upper_bound(m_byAddress.begin(), m_byAddress.end(), address,
                                        [&](uint64_t a, uint32_t i) { return a < m_image.sections[i].address; });
    if (upper == m_byAddress.begin() || !holds(upper[-1], address)) return Symbol::kNoSection;
    return upper[-1];
  }

  /// Section, value and type of a symbol in the section `hint` (counted from 0; any number) at `address`.
  void place(Symbol& symbol, uint64_t hint, uint64_t address) const {
    symbol.defined = true;
    symbol.value = address;
    const bool known = hint < m_sectionTypes.size();
    uint32_t section = known ? static_cast<uint32_t>(hint) : Symbol::kNoSection;
    if (m_image.kind == Kind::Object) {
      if (!known || address < m_image.sections[section].address) return;
      symbol.value = address - m_image.sections[section].address;
      symbol.section = section;
    } else {
      symbol.type = SymbolType::Object;
      if (!known || !holds(section, address)) section = sectionAt(address);
      if (section == Symbol::kNoSection) return;
      symbol.section = section;
    }
    const uint8_t type = m_sectionTypes[section];
    if (type == macho::S_THREAD_LOCAL_REGULAR || type == macho::S_THREAD_LOCAL_ZEROFILL ||
        type == macho::S_THREAD_LOCAL_VARIABLES)
      symbol.type = SymbolType::Tls;
    else
      symbol.type = m_image.sections[section].executable ? SymbolType::Function : SymbolType::Object;
  }

  /// The external or the other symbols of LC_SYMTAB, without debugging entries.
  Result<Done> readSymbols(bool external) {
    if (m_symbols.size == 0) return Done{};
    uint64_t count = m_symbols.size / m_file.symbolSize();
    if (count > symbolLimit(m_image.file)) {
      if (external)
        note(DiagnosticId::FileLimit,
             {arg("what", "symbols"), arg("count", count), arg("limit", symbolLimit(m_image.file))});
      count = symbolLimit(m_image.file);
    }
    const std::string_view names = m_text.substr(m_strings.offset, m_strings.size);
    uint64_t nameless = 0, total = 0, nameLeft = nameBudget(names.size());
    bool namesFull = false;
    for (uint64_t i = 0; i < count; ++i) {
      if (i % 4096 == 0) {
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        m_monitor.progress("reading symbols", i, count);
      }
      const macho::Symbol stored = m_file.symbol(m_symbols.offset + i * m_file.symbolSize());
      if (stored.type & macho::N_STAB || static_cast<bool>(stored.type & macho::N_EXT) != external) continue;
      ++total;
      Symbol symbol;
      const uint64_t nameAt = stored.name;
      if (nameAt >= names.size() && nameAt != 0)
        ++nameless;
      else if (nameAt != 0 && !namesFull) {
        const std::string_view rest = names.substr(nameAt, nameLeft);
        symbol.name = rest.substr(0, rest.find('\0'));
        namesFull = symbol.name.size() == nameLeft;
        nameLeft -= symbol.name.size();
        if (namesFull) symbol.name = {};
      }
      readEntry(symbol, stored);
      m_image.symbols.push_back(symbol);
    }
    const char* const table = external ? "the external symbol table" : "the local symbol table";
    if (nameless > 0) note(DiagnosticId::FileNames, {arg("table", table), arg("count", nameless), arg("total", total)});
    if (namesFull)
      note(DiagnosticId::FileLimit, {arg("what", "bytes of symbol names"), arg("count", nameBudget(names.size()) + 1),
                                     arg("limit", nameBudget(names.size()))});
    return Done{};
  }

  /// The maximum total size of all names. Real names hardly overlap; when all symbols point into one text without an
  /// end, reading them would take minutes.
  static uint64_t nameBudget(uint64_t tableSize) { return 16 * tableSize + 65'536; }

  void readEntry(Symbol& symbol, const macho::Symbol& stored) const {
    const bool external = stored.type & macho::N_EXT;
    const uint64_t value = stored.value;
    symbol.dynamic = external && m_image.kind != Kind::Object;
    symbol.binding = external ? Binding::Global : Binding::Local;
    switch (stored.type & macho::N_TYPE) {
    case macho::N_SECT:
      place(symbol, uint64_t{stored.section} - 1, value); // 0 means none and becomes a number that no section has
      break;
    case macho::N_ABS:
      symbol.defined = symbol.absolute = true;
      symbol.value = value;
      break;
    case macho::N_UNDF:
      // In an object file a value makes it a common symbol of that size, for which the linker chooses a place.
      if (external && value != 0 && m_image.kind == Kind::Object) {
        symbol.defined = symbol.absolute = symbol.common = true;
        symbol.size = value;
        symbol.type = SymbolType::Object;
      }
      break;
    case macho::N_PBUD: break;
    case macho::N_INDR: // another library's symbol under this name
    default: symbol.type = SymbolType::Other; break;
    }
    if (external && stored.description & (symbol.defined ? macho::N_WEAK_DEF : macho::N_WEAK_REF))
      symbol.binding = Binding::Weak;
  }

  // --- 4. Names that only the export trie has. ----------------------------------------------------------------------
  Result<Done> readExports() {
    if (m_trie.size == 0 || m_image.kind == Kind::Object) return Done{};
    std::unordered_set<std::string_view> defined, all;
    for (uint64_t i = 0; i < m_image.symbols.size(); ++i) {
      if (i % 4096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      all.insert(m_image.symbols[i].name);
      if (m_image.symbols[i].defined) defined.insert(m_image.symbols[i].name);
    }
    // Names share their beginnings in the tree and are written out here, which takes a few times the tree's size in
    // real files.
    const uint64_t nameLimit = std::min<uint64_t>(64 * m_trie.size + 65'536, kTrieNameBytes);
    uint64_t nameBytes = 0;
    ExportTrie trie(m_text.substr(m_trie.offset, m_trie.size), m_monitor);
    auto walked = trie.walk([&](const ExportTrie::Entry& entry) {
      const bool reexport = entry.flags & macho::EXPORT_SYMBOL_FLAGS_REEXPORT;
      nameBytes += entry.name.size(); // also for a known name: looking it up costs as much
      const bool known = nameBytes <= nameLimit && (reexport ? all : defined).contains(entry.name);
      if (known) return true;
      if (nameBytes > nameLimit || m_image.symbols.size() >= symbolLimit(m_image.file)) {
        if (nameBytes > nameLimit)
          note(DiagnosticId::FileLimit,
               {arg("what", "bytes of exported names"), arg("count", nameBytes), arg("limit", nameLimit)});
        else
          note(DiagnosticId::FileLimit, {arg("what", "symbols"), arg("count", m_image.symbols.size() + 1),
                                         arg("limit", symbolLimit(m_image.file))});
        return false;
      }
      m_image.symbols.push_back(exported(entry));
      return true;
    });
    if (!walked) return walked.takeError();
    if (const std::string problem = trie.problem(); !problem.empty()) noteTable("export trie", problem);
    return Done{};
  }

  Symbol exported(const ExportTrie::Entry& entry) {
    Symbol symbol;
    symbol.name = m_names->keep(entry.name);
    symbol.dynamic = true;
    symbol.binding = entry.flags & macho::EXPORT_SYMBOL_FLAGS_WEAK_DEFINITION ? Binding::Weak : Binding::Global;
    if (entry.flags & macho::EXPORT_SYMBOL_FLAGS_REEXPORT) {
      symbol.type = SymbolType::Other;
      return symbol;
    }
    const uint64_t kind = entry.flags & macho::EXPORT_SYMBOL_FLAGS_KIND_MASK;
    const auto address = checkedAdd(m_base.value_or(0), entry.address);
    if (kind == macho::EXPORT_SYMBOL_FLAGS_KIND_ABSOLUTE || !address) {
      symbol.defined = symbol.absolute = true;
      symbol.value = entry.address;
      return symbol;
    }
    place(symbol, Symbol::kNoSection, *address);
    if (kind == macho::EXPORT_SYMBOL_FLAGS_KIND_THREAD_LOCAL) symbol.type = SymbolType::Tls;
    return symbol;
  }

  static constexpr uint64_t kTrieNameBytes = 256ull << 20;
  /// Each lookup of an address searches them.
  static constexpr uint64_t kSegments = 4'096;

  Monitor& m_monitor;
  std::shared_ptr<NamedSource> m_names;
  std::string_view m_text;
  Image m_image;
  macho::File m_file;
  std::vector<uint8_t> m_sectionTypes; ///< of the real sections
  std::vector<Section> m_parts;
  std::vector<uint32_t> m_byAddress; ///< real sections in memory
  std::optional<uint64_t> m_base;
  bool m_hasSymtab = false, m_sectionsFull = false, m_segmentsFull = false;
  Extent m_symbols, m_strings, m_trie;
};

} // namespace

bool looksLikeMachO(std::string_view head) {
  for (const bool bigEndian : {false, true})
    if (const uint64_t magic = numberAt(head, 0, 4, bigEndian); magic == macho::MH_MAGIC || magic == macho::MH_MAGIC_64)
      return true;
  return false;
}

std::string_view machoArch(uint32_t cpuType) {
  switch (cpuType) {
  case macho::CPU_TYPE_I386: return "i386";
  case macho::CPU_TYPE_X86_64: return "x86_64";
  case macho::CPU_TYPE_ARM: return "arm";
  case macho::CPU_TYPE_ARM64: return "aarch64";
  case macho::CPU_TYPE_ARM64_32: return "aarch64_32";
  case macho::CPU_TYPE_POWERPC: return "powerpc";
  case macho::CPU_TYPE_POWERPC64: return "powerpc64";
  default: return {};
  }
}

Result<Image> readMachO(const Bytes& file, Monitor& monitor) { return MachOReader(file, monitor).read(); }

} // namespace blobscope::container
