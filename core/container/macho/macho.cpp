#include "core/container/macho/macho.h"

#include "core/base/limits.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/container/macho/export_trie.h"
#include "core/container/number_at.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace blobscope::container {
namespace {

// Numbers and layouts: Apple mach-o/loader.h, mach-o/nlist.h, mach/machine.h; the same in llvm-project 19.1
// llvm/include/llvm/BinaryFormat/MachO.h.
constexpr uint32_t kMagic32 = 0xfeedface, kMagic64 = 0xfeedfacf;

constexpr uint32_t kSegment = 0x1, kSymtab = 0x2, kDysymtab = 0xb, kSegment64 = 0x19, kCodeSignature = 0x1d,
                   kSplitInfo = 0x1e, kEncryption = 0x21, kDyldInfo = 0x22, kDyldInfoOnly = 0x80000022,
                   kFunctionStarts = 0x26, kDataInCode = 0x29, kSignatureRules = 0x2b, kEncryption64 = 0x2c,
                   kOptimizationHints = 0x2e, kExportsTrie = 0x80000033, kChainedFixups = 0x80000034, kAtomInfo = 0x36;

// section_type: low byte of the section's flags.
constexpr uint32_t kSectionTypeMask = 0xff, kZeroFill = 0x1, kGigabyteZeroFill = 0xc, kThreadRegular = 0x11,
                   kThreadZeroFill = 0x12, kThreadVariables = 0x13;
constexpr uint32_t kPureInstructions = 0x80000000, kSomeInstructions = 0x400, kDebugAttribute = 0x02000000;
constexpr uint32_t kProtectionWrite = 2, kProtectionExecute = 4;

// nlist: n_type, n_desc.
constexpr uint32_t kStabMask = 0xe0, kTypeMask = 0x0e, kExternal = 0x01;
constexpr uint32_t kUndefined = 0x0, kAbsolute = 0x2, kIndirect = 0xa, kPrebound = 0xc, kInSection = 0xe;
constexpr uint32_t kWeakReference = 0x40, kWeakDefinition = 0x80;

/// A table of __LINKEDIT: where in its command it is described, and what it is called here.
struct LinkeditField {
  uint32_t command;
  unsigned offsetAt; ///< in the command: u32 file offset, followed by the u32 size
  unsigned itemSize; ///< of what the size counts
  std::string_view name;
};
constexpr std::string_view kExportTrieName = "(export trie)";
constexpr LinkeditField kLinkedit[] = {
    {kCodeSignature, 8, 1, "(code signature)"},
    {kSplitInfo, 8, 1, "(segment split info)"},
    {kFunctionStarts, 8, 1, "(function starts)"},
    {kDataInCode, 8, 1, "(data in code)"},
    {kSignatureRules, 8, 1, "(signing requirements)"},
    {kOptimizationHints, 8, 1, "(linker optimization hints)"},
    {kExportsTrie, 8, 1, kExportTrieName},
    {kChainedFixups, 8, 1, "(chained fixups)"},
    {kAtomInfo, 8, 1, "(atom info)"},
    {kDyldInfo, 8, 1, "(rebase opcodes)"},
    {kDyldInfo, 16, 1, "(bind opcodes)"},
    {kDyldInfo, 24, 1, "(weak bind opcodes)"},
    {kDyldInfo, 32, 1, "(lazy bind opcodes)"},
    {kDyldInfo, 40, 1, kExportTrieName},
    {kDysymtab, 56, 4, "(indirect symbol table)"},
};

std::string_view sectionTypeName(uint32_t type) {
  constexpr std::array<std::string_view, 23> kNames = {"regular",
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
  return type < kNames.size() ? kNames[type] : "other";
}

bool isZeroFill(uint32_t type) { return type == kZeroFill || type == kGigabyteZeroFill || type == kThreadZeroFill; }

std::string commandName(uint32_t id) {
  switch (id) {
  case kSegment: return "LC_SEGMENT";
  case kSegment64: return "LC_SEGMENT_64";
  case kSymtab: return "LC_SYMTAB";
  case kDysymtab: return "LC_DYSYMTAB";
  case kCodeSignature: return "LC_CODE_SIGNATURE";
  case kEncryption: return "LC_ENCRYPTION_INFO";
  case kEncryption64: return "LC_ENCRYPTION_INFO_64";
  case kDyldInfo: return "LC_DYLD_INFO";
  case kDyldInfoOnly: return "LC_DYLD_INFO_ONLY";
  case kFunctionStarts: return "LC_FUNCTION_STARTS";
  case kDataInCode: return "LC_DATA_IN_CODE";
  case kExportsTrie: return "LC_DYLD_EXPORTS_TRIE";
  case kChainedFixups: return "LC_DYLD_CHAINED_FIXUPS";
  default: return hexText(id);
  }
}

/// The file with names that stand nowhere in it as one piece ("__TEXT,__const"; all of the export trie). Image and
/// Bytes keep their source alive, and so the names.
class NamedSource final : public ByteSource {
public:
  explicit NamedSource(std::shared_ptr<const ByteSource> file) : m_file(std::move(file)) {}

  /// A copy of `name` that lives as long as this. Only before anyone else sees the source.
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
  uint32_t u32(uint64_t offset) const { return static_cast<uint32_t>(numberAt(m_text, offset, 4, m_image.bigEndian)); }
  uint64_t number(uint64_t offset, bool wide) const {
    return numberAt(m_text, offset, wide ? 8 : 4, m_image.bigEndian);
  }
  /// A name field of 16 bytes, filled with NUL unless it is that long.
  std::string_view fixedName(uint64_t offset) const {
    const std::string_view field = m_text.substr(std::min<uint64_t>(offset, m_text.size()), 16);
    return field.substr(0, field.find('\0'));
  }

  void note(DiagnosticId id, std::vector<Argument> arguments, Ref where = {}) {
    if (m_image.diagnostics.size() < limits::kDiagnostics)
      m_image.diagnostics.push_back({id, std::move(where), std::move(arguments)});
  }
  void noteTable(std::string_view table, std::string_view reason) {
    note(DiagnosticId::FileTable, {arg("table", table), arg("reason", reason)});
  }
  /// `extent` cut to the file; says so when something was cut.
  Extent clipped(Extent extent, std::string_view what) {
    const uint64_t size = m_text.size();
    if (Extent{0, size}.contains(extent)) return extent;
    if (extent.size == 0) return {size, 0}; // nothing is missing
    note(DiagnosticId::FilePart,
         {arg("what", what), hexArg("at", extent.offset), arg("size", extent.size), arg("file", size)});
    if (extent.offset >= size) return {size, 0};
    return {extent.offset, size - extent.offset};
  }

  // --- 1. Header: class, byte order, what the file is for. ----------------------------------------------------------
  /// Why it cannot be used, or nothing.
  std::string readHeader() {
    const auto big = static_cast<uint32_t>(numberAt(m_text, 0, 4, true));
    m_image.bigEndian = big == kMagic32 || big == kMagic64;
    const uint32_t magic = u32(0);
    if (magic != kMagic32 && magic != kMagic64) return "the magic number at 0x0 is " + hexText(big);
    m_is64 = magic == kMagic64;
    m_image.bits = m_is64 ? 64 : 32;
    m_headerSize = m_is64 ? 32 : 28;
    if (m_text.size() < m_headerSize)
      return "the file ends at " + hexText(m_text.size()) + ", inside the " + std::to_string(m_headerSize) +
             " bytes of the header";
    m_image.arch = machoArch(u32(4));
    m_image.kind = kindOf(u32(12));
    return {};
  }

  static Kind kindOf(uint32_t type) {
    switch (type) {
    case 1: return Kind::Object;     // MH_OBJECT
    case 2: return Kind::Executable; // MH_EXECUTE
    case 4: return Kind::Core;       // MH_CORE
    case 6:                          // MH_DYLIB
    case 8: return Kind::Shared;     // MH_BUNDLE
    default: return Kind::Other;
    }
  }

  // --- 2. Load commands: segments, sections, where the tables are. --------------------------------------------------
  Result<Done> readCommands() {
    const uint64_t count = u32(16);
    const Extent declared{m_headerSize, u32(20)};
    const Extent present = clipped(declared, "load command table");
    uint64_t at = m_headerSize, index = 0;
    for (; index < count; ++index) {
      if (index % 4096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const uint64_t left = present.end() - at;
      if (left < 8) break;
      const uint64_t size = u32(at + 4);
      if (size < 8 || size > left) {
        noteTable("load command " + std::to_string(index) + " at " + hexText(at),
                  "it says that it is " + groupedText(size) + " bytes long; 8 to " + groupedText(left) +
                      " are possible, and what follows is not found without it");
        return Done{};
      }
      readCommand(u32(at), {at, size});
      at += size;
    }
    if (present == declared && (index < count || at != present.end()))
      noteTable("load command table", "the header says " + groupedText(count) + " commands up to " +
                                          hexText(present.end()) + "; there are " + groupedText(index) + " up to " +
                                          hexText(at));
    return Done{};
  }

  void readCommand(uint32_t id, Extent place) {
    if (id == kSegment || id == kSegment64) return readSegment(id, place);
    if (id == kSymtab) return readSymtab(place);
    if (id == kEncryption || id == kEncryption64) return readEncryption(id, place);
    if (id == kDyldInfoOnly) id = kDyldInfo;
    for (const LinkeditField& field : kLinkedit) {
      if (field.command != id) continue;
      if (!hasBytes(id, place, field.offsetAt + 8)) return;
      const uint64_t at = place.offset + field.offsetAt;
      const Extent file{u32(at), uint64_t{u32(at + 4)} * field.itemSize};
      addPart(field.name, file);
    }
  }

  bool hasBytes(uint32_t id, Extent place, uint64_t wanted) {
    if (place.size >= wanted) return true;
    noteTable("load command " + commandName(id) + " at " + hexText(place.offset),
              "it is " + std::to_string(place.size) + " bytes long, not at least " + std::to_string(wanted));
    return false;
  }

  void readSegment(uint32_t id, Extent place) {
    const bool wide = id == kSegment64;
    const uint64_t headSize = wide ? 72 : 56, itemSize = wide ? 80 : 68, word = wide ? 8 : 4;
    if (!hasBytes(id, place, headSize)) return;
    const std::string_view name = fixedName(place.offset + 8);
    const uint64_t at = place.offset + 24, flagsAt = at + 4 * word;
    Segment segment;
    segment.address = number(at, wide);
    segment.memorySize = number(at + word, wide);
    segment.file = {number(at + 2 * word, wide), number(at + 3 * word, wide)};
    const uint32_t protection = u32(flagsAt + 4); // initprot
    segment.writable = protection & kProtectionWrite;
    segment.executable = protection & kProtectionExecute;
    // The Mach-O header is loaded with the segment that begins with it; exported addresses count from there.
    if (name == "__TEXT" || (!m_base && segment.file.offset == 0 && segment.file.size > 0)) m_base = segment.address;
    if (m_image.kind != Kind::Object) {
      if (m_image.segments.size() < kSegments) {
        segment.file = clipped(segment.file, "segment '" + escaped(name) + "'");
        m_image.segments.push_back(segment);
      } else if (!std::exchange(m_segmentsFull, true)) {
        note(DiagnosticId::FileLimit, {arg("what", "segments"), arg("count", kSegments + 1), arg("limit", kSegments)});
      }
    }

    uint64_t count = u32(flagsAt + 8);
    const uint64_t room = (place.size - headSize) / itemSize;
    if (count > room) {
      noteTable("section table of segment '" + escaped(name) + "' at " + hexText(place.offset),
                "it has " + groupedText(count) + " sections in a load command with room for " + groupedText(room));
      count = room;
    }
    for (uint64_t i = 0; i < count; ++i) readSection(place.offset + headSize + i * itemSize, wide, segment);
  }

  void readSection(uint64_t at, bool wide, const Segment& segment) {
    if (m_image.sections.size() == limits::kSections) {
      if (!std::exchange(m_sectionsFull, true))
        note(DiagnosticId::FileLimit,
             {arg("what", "sections"), arg("count", m_image.sections.size() + 1), arg("limit", limits::kSections)});
      return;
    }
    const uint64_t word = wide ? 8 : 4, numbers = at + 32;
    const std::string_view segmentName = fixedName(at + 16);
    const uint64_t offset = u32(numbers + 2 * word);
    const uint32_t flags = u32(numbers + 2 * word + 16), type = flags & kSectionTypeMask;
    const bool isObject = m_image.kind == Kind::Object, isDebug = segmentName == "__DWARF" || flags & kDebugAttribute;
    Section section;
    section.name = m_names->keep(std::string(segmentName) + "," + std::string(fixedName(at)));
    section.address = number(numbers, wide);
    section.size = number(numbers + word, wide);
    section.type = sectionTypeName(type);
    section.allocated = !isDebug;
    // In an object file all lies in one segment that is writable and executable. What becomes of it: Apple ld64
    // src/ld/Options.cpp, Options::initialSegProtection.
    section.writable = isObject ? !isDebug && segmentName != "__TEXT" && segmentName != "__LINKEDIT" : segment.writable;
    section.executable = segment.executable && flags & (kPureInstructions | kSomeInstructions);
    // Offset 0 is the header: the debugging companion of a library (.dSYM) lists sections whose bytes it does not have.
    if (!isZeroFill(type) && offset != 0)
      section.file = clipped({offset, section.size}, "section '" + escaped(section.name) + "'");
    m_image.sections.push_back(section);
    m_sectionTypes.push_back(static_cast<uint8_t>(type));
  }

  void readSymtab(Extent place) {
    if (!hasBytes(kSymtab, place, 24)) return;
    if (m_hasSymtab) return noteTable("load command LC_SYMTAB at " + hexText(place.offset), "it is not the first one");
    m_hasSymtab = true;
    m_entrySize = m_is64 ? 16 : 12;
    const Extent symbols{u32(place.offset + 8), u32(place.offset + 12) * m_entrySize};
    const Extent strings{u32(place.offset + 16), u32(place.offset + 20)};
    m_symbols = addPart("(symbol table)", symbols);
    m_strings = addPart("(string table)", strings);
  }

  /// Stores encrypt the code of what they sell; the system decrypts it page by page when it runs.
  void readEncryption(uint32_t id, Extent place) {
    if (!hasBytes(id, place, 20)) return;
    const Extent file{u32(place.offset + 8), u32(place.offset + 12)};
    const uint32_t cipher = u32(place.offset + 16); // cryptid; 0: prepared for it, but not encrypted
    if (cipher == 0 || file.size == 0) return;
    const Extent present = clipped(file, "encrypted part");
    if (present.size == 0) return;
    note(DiagnosticId::FileEncrypted,
         {hexArg("from", present.offset), hexArg("to", present.end() - 1), arg("cipher", uint64_t{cipher})},
         Ref::bytesAt(present.offset, present.size));
  }

  /// Remembers a part of __LINKEDIT; gives what of it is in the file.
  Extent addPart(std::string_view name, Extent file) {
    if (file.size == 0) return {};
    const Extent present = clipped(file, name.substr(1, name.size() - 2));
    if (name == kExportTrieName && m_trie.size == 0) m_trie = present;
    if (m_parts.size() < limits::kSections) {
      Section part;
      part.name = name;
      part.file = present;
      part.size = file.size;
      part.type = "linkedit";
      m_parts.push_back(part);
    }
    return present;
  }

  /// Behind the real sections, so that their numbers stay what symbols say.
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
    const auto behind = std::upper_bound(m_byAddress.begin(), m_byAddress.end(), address,
                                         [&](uint64_t a, uint32_t i) { return a < m_image.sections[i].address; });
    if (behind == m_byAddress.begin() || !holds(behind[-1], address)) return Symbol::kNoSection;
    return behind[-1];
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
    if (type == kThreadRegular || type == kThreadZeroFill || type == kThreadVariables)
      symbol.type = SymbolType::Tls;
    else
      symbol.type = m_image.sections[section].executable ? SymbolType::Function : SymbolType::Object;
  }

  /// The external or the other symbols of LC_SYMTAB, without debugging entries.
  Result<Done> readSymbols(bool external) {
    if (m_symbols.size == 0) return Done{};
    uint64_t count = m_symbols.size / m_entrySize;
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
      const uint64_t at = m_symbols.offset + i * m_entrySize;
      const auto type = static_cast<unsigned char>(m_text[at + 4]);
      if (type & kStabMask || static_cast<bool>(type & kExternal) != external) continue;
      ++total;
      Symbol symbol;
      const uint64_t nameAt = u32(at);
      if (nameAt >= names.size() && nameAt != 0)
        ++nameless;
      else if (nameAt != 0 && !namesFull) {
        const std::string_view rest = names.substr(nameAt, nameLeft);
        symbol.name = rest.substr(0, rest.find('\0'));
        namesFull = symbol.name.size() == nameLeft;
        nameLeft -= symbol.name.size();
        if (namesFull) symbol.name = {};
      }
      readEntry(symbol, type, at);
      m_image.symbols.push_back(symbol);
    }
    const char* const table = external ? "the external symbol table" : "the local symbol table";
    if (nameless > 0) note(DiagnosticId::FileNames, {arg("table", table), arg("count", nameless), arg("total", total)});
    if (namesFull)
      note(DiagnosticId::FileLimit, {arg("what", "bytes of symbol names"), arg("count", nameBudget(names.size()) + 1),
                                     arg("limit", nameBudget(names.size()))});
    return Done{};
  }

  /// Bytes that all names together may have. Real names hardly overlap; where all symbols point into one text without
  /// end, reading them would take minutes.
  static uint64_t nameBudget(uint64_t tableSize) { return 16 * tableSize + 65'536; }

  void readEntry(Symbol& symbol, uint32_t type, uint64_t at) const {
    const bool external = type & kExternal;
    const uint64_t section = static_cast<unsigned char>(m_text[at + 5]);
    const uint64_t description = numberAt(m_text, at + 6, 2, m_image.bigEndian);
    const uint64_t value = number(at + 8, m_is64);
    symbol.dynamic = external && m_image.kind != Kind::Object;
    symbol.binding = external ? Binding::Global : Binding::Local;
    switch (type & kTypeMask) {
    case kInSection:
      place(symbol, section - 1, value); // 0 means none and becomes a number that no section has
      break;
    case kAbsolute:
      symbol.defined = symbol.absolute = true;
      symbol.value = value;
      break;
    case kUndefined:
      // In an object file a value makes it a common symbol, of that size, which the linker places.
      if (external && value != 0 && m_image.kind == Kind::Object) {
        symbol.defined = symbol.absolute = true;
        symbol.size = value;
        symbol.type = SymbolType::Object;
      }
      break;
    case kPrebound: break;
    case kIndirect: // another library's symbol under this name
    default: symbol.type = SymbolType::Other; break;
    }
    if (external && description & (symbol.defined ? kWeakDefinition : kWeakReference)) symbol.binding = Binding::Weak;
  }

  // --- 4. What only the loader's own tree has. ----------------------------------------------------------------------
  Result<Done> readExports() {
    if (m_trie.size == 0 || m_image.kind == Kind::Object) return Done{};
    std::unordered_set<std::string_view> defined, all;
    for (uint64_t i = 0; i < m_image.symbols.size(); ++i) {
      if (i % 4096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      all.insert(m_image.symbols[i].name);
      if (m_image.symbols[i].defined) defined.insert(m_image.symbols[i].name);
    }
    // Names share their beginnings in the tree, here each is written out: a few times the tree's size in real files.
    const uint64_t nameLimit = std::min<uint64_t>(64 * m_trie.size + 65'536, kTrieNameBytes);
    uint64_t nameBytes = 0;
    ExportTrie trie(m_text.substr(m_trie.offset, m_trie.size), m_monitor);
    auto walked = trie.walk([&](const ExportTrie::Entry& entry) {
      const bool reexport = entry.flags & ExportTrie::kReexport;
      nameBytes += entry.name.size(); // also of a known name: looking it up costs as much
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
    symbol.binding = entry.flags & ExportTrie::kWeak ? Binding::Weak : Binding::Global;
    if (entry.flags & ExportTrie::kReexport) {
      symbol.type = SymbolType::Other;
      return symbol;
    }
    const uint64_t kind = entry.flags & ExportTrie::kKindMask;
    const auto address = checkedAdd(m_base.value_or(0), entry.address);
    if (kind == ExportTrie::kAbsolute || !address) {
      symbol.defined = symbol.absolute = true;
      symbol.value = entry.address;
      return symbol;
    }
    place(symbol, Symbol::kNoSection, *address);
    if (kind == ExportTrie::kThreadLocal) symbol.type = SymbolType::Tls;
    return symbol;
  }

  static constexpr uint64_t kTrieNameBytes = 256ull << 20;
  /// Each lookup of an address goes through them.
  static constexpr uint64_t kSegments = 4'096;

  Monitor& m_monitor;
  std::shared_ptr<NamedSource> m_names;
  std::string_view m_text;
  Image m_image;
  bool m_is64 = false;
  uint64_t m_headerSize = 0;
  std::vector<uint8_t> m_sectionTypes; ///< of the real sections
  std::vector<Section> m_parts;
  std::vector<uint32_t> m_byAddress; ///< real sections in memory
  std::optional<uint64_t> m_base;
  bool m_hasSymtab = false, m_sectionsFull = false, m_segmentsFull = false;
  uint64_t m_entrySize = 16;
  Extent m_symbols, m_strings, m_trie;
};

} // namespace

bool looksLikeMachO(std::string_view head) {
  for (const bool bigEndian : {false, true})
    if (const uint64_t magic = numberAt(head, 0, 4, bigEndian); magic == kMagic32 || magic == kMagic64) return true;
  return false;
}

std::string_view machoArch(uint32_t cpuType) {
  switch (cpuType) {
  case 0x7: return "i386";
  case 0x01000007: return "x86_64";
  case 0xc: return "arm";
  case 0x0100000c: return "aarch64";
  case 0x0200000c: return "aarch64_32";
  case 0x12: return "powerpc";
  case 0x01000012: return "powerpc64";
  default: return {};
  }
}

Result<Image> readMachO(const Bytes& file, Monitor& monitor) { return MachOReader(file, monitor).read(); }

} // namespace blobscope::container
