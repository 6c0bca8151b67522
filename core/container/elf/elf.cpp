#include "core/container/elf/elf.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/container/elf/file.h"
#include "core/container/number_at.h"

#include <algorithm>

namespace blobscope::container {
namespace {

using elf::File;

/// The name in LLVM's triples; empty when this function knows none.
std::string_view archName(const File& file) {
  const bool is64 = file.is64, big = file.bigEndian;
  switch (file.machine) {
  case elf::EM_386: return "i386";
  case elf::EM_X86_64: return "x86_64";
  case elf::EM_AARCH64: return big ? "aarch64_be" : "aarch64";
  case elf::EM_ARM: return big ? "armeb" : "arm";
  case elf::EM_HEXAGON: return "hexagon";
  case elf::EM_MIPS:
    if (is64) return big ? "mips64" : "mips64el";
    return big ? "mips" : "mipsel";
  case elf::EM_PPC: return big ? "powerpc" : "powerpcle";
  case elf::EM_PPC64: return big ? "powerpc64" : "powerpc64le";
  case elf::EM_RISCV: return is64 ? "riscv64" : "riscv32";
  case elf::EM_S390: return "s390x";
  case elf::EM_SPARC: return "sparc";
  case elf::EM_SPARCV9: return "sparcv9";
  case elf::EM_LOONGARCH: return is64 ? "loongarch64" : "loongarch32";
  case elf::EM_AMDGPU: return "amdgcn";
  case elf::EM_CUDA: return "nvptx64";
  case elf::EM_BPF: return big ? "bpfeb" : "bpfel";
  case elf::EM_XTENSA: return "xtensa";
  default: return {};
  }
}

std::string_view sectionTypeName(uint32_t type) {
  switch (type) {
  case elf::SHT_NULL: return "NULL";
  case elf::SHT_PROGBITS: return "PROGBITS";
  case elf::SHT_SYMTAB: return "SYMTAB";
  case elf::SHT_STRTAB: return "STRTAB";
  case elf::SHT_RELA: return "RELA";
  case elf::SHT_HASH: return "HASH";
  case elf::SHT_DYNAMIC: return "DYNAMIC";
  case elf::SHT_NOTE: return "NOTE";
  case elf::SHT_NOBITS: return "NOBITS";
  case elf::SHT_REL: return "REL";
  case elf::SHT_DYNSYM: return "DYNSYM";
  case elf::SHT_INIT_ARRAY: return "INIT_ARRAY";
  case elf::SHT_FINI_ARRAY: return "FINI_ARRAY";
  case elf::SHT_GROUP: return "GROUP";
  case elf::SHT_GNU_HASH: return "GNU_HASH";
  case elf::SHT_GNU_verdef: return "GNU_verdef";
  case elf::SHT_GNU_verneed: return "GNU_verneed";
  case elf::SHT_GNU_versym: return "GNU_versym";
  default: return "other";
  }
}

SymbolType symbolType(unsigned char type) {
  switch (type) {
  case elf::STT_NOTYPE: return SymbolType::None;
  case elf::STT_OBJECT: return SymbolType::Object;
  case elf::STT_FUNC:
  case elf::STT_GNU_IFUNC: return SymbolType::Function;
  case elf::STT_SECTION: return SymbolType::Section;
  case elf::STT_FILE: return SymbolType::File;
  case elf::STT_TLS: return SymbolType::Tls;
  default: return SymbolType::Other;
  }
}

Binding symbolBinding(unsigned char binding) {
  switch (binding) {
  case elf::STB_LOCAL: return Binding::Local;
  case elf::STB_GLOBAL: return Binding::Global;
  case elf::STB_WEAK: return Binding::Weak;
  default: return Binding::Other;
  }
}

/// Extracts names from a string table. The total length of all names is limited to a few times the size of the table
/// and its entries. Real names hardly overlap, but when all entries point into one text without an end, reading them
/// would take minutes. Names above the limit are empty.
class NameTable {
public:
  NameTable(std::string_view table, uint64_t entriesSize)
      : m_table(table), m_limit(16 * (table.size() + entriesSize) + 65'536), m_left(m_limit) {}

  /// The NUL-terminated string at `offset`, empty when that is outside; an unterminated string ends with the table.
  std::string_view at(uint64_t offset) {
    if (m_full || offset >= m_table.size()) return {};
    const std::string_view rest = m_table.substr(offset, m_left), name = rest.substr(0, rest.find('\0'));
    m_full = name.size() == m_left;
    m_left -= name.size();
    return m_full ? std::string_view() : name;
  }
  bool isFull() const { return m_full; }
  uint64_t limit() const { return m_limit; }

private:
  std::string_view m_table;
  uint64_t m_limit, m_left;
  bool m_full = false;
};

Error headerError(std::string reason) {
  return Error(DiagnosticId::FileHeader, {arg("format", "ELF"), {"reason", std::move(reason)}});
}

class ElfReader {
public:
  ElfReader(File file, Monitor& monitor) : m_monitor(monitor), m_file(std::move(file)) { m_image.file = m_file.bytes; }

  Result<Image> read() {
    m_image.bits = m_file.is64 ? 64 : 32;
    m_image.bigEndian = m_file.bigEndian;
    m_image.arch = archName(m_file);
    m_image.kind = kindOf(m_file.type);

    readSegments();
    readSections();
    BLOBSCOPE_CHECK(readDynamicSymbols());
    BLOBSCOPE_CHECK(readStaticSymbols());
    return std::move(m_image);
  }

private:
  static Kind kindOf(uint16_t type) {
    switch (type) {
    case elf::ET_REL: return Kind::Object;
    case elf::ET_DYN: return Kind::Shared;
    case elf::ET_EXEC: return Kind::Executable;
    case elf::ET_CORE: return Kind::Core;
    default: return Kind::Other;
    }
  }

  void note(DiagnosticId id, std::vector<Argument> arguments, Ref place = {}) {
    if (m_image.diagnostics.size() < limits::kDiagnostics)
      m_image.diagnostics.push_back({id, std::move(place), std::move(arguments)});
  }

  // --- 1. What the loader maps. -------------------------------------------------------------------------------------
  static std::string entrySizeProblem(uint64_t size, uint64_t wanted) {
    return "its entry size is " + countText(size, "byte") + ", not " + groupedText(wanted);
  }
  std::string endProblem(uint64_t count, uint64_t offset) const {
    return "its " + groupedText(count) + (count == 1 ? " entry at " : " entries at ") + hexText(offset) +
           (count == 1 ? " extends" : " extend") + " past the end of the file at " + hexText(m_file.bytes.size());
  }

  /// Why the program headers cannot be read; empty when they can be.
  std::string programsProblem() const {
    if (m_file.programCount > 0 && m_file.programEntrySize != m_file.programSize())
      return entrySizeProblem(m_file.programEntrySize, m_file.programSize());
    const uint64_t size = uint64_t{m_file.programCount} * m_file.programEntrySize;
    if (Extent{0, m_file.bytes.size()}.contains(Extent{m_file.programsOffset, size})) return {};
    return endProblem(m_file.programCount, m_file.programsOffset);
  }

  void readSegments() {
    if (std::string problem = programsProblem(); !problem.empty()) {
      note(DiagnosticId::FileTable, {arg("table", "program header table"), {"reason", std::move(problem)}});
      return;
    }
    for (uint64_t i = 0; i < m_file.programCount; ++i) {
      const elf::ProgramHeader header = m_file.program(m_file.programsOffset + i * m_file.programSize());
      const Extent file = header.file();
      if (header.type == elf::PT_DYNAMIC) m_dynamic = file;
      if (header.type != elf::PT_LOAD) continue;
      Segment segment;
      segment.address = header.address;
      segment.memorySize = header.memorySize;
      segment.file = clipped(file, "the segment of program header " + std::to_string(i));
      segment.writable = header.flags & elf::PF_W;
      segment.executable = header.flags & elf::PF_X;
      m_image.segments.push_back(segment);
    }
  }

  /// `extent` cut to the file; reports it when something was cut.
  Extent clipped(Extent extent, const std::string& what) {
    const uint64_t size = m_image.file.size();
    if (Extent{0, size}.contains(extent)) return extent;
    if (extent.size == 0) return {size, 0}; // nothing is missing
    note(DiagnosticId::FilePart,
         {arg("what", what), hexArg("at", extent.offset), arg("size", extent.size), arg("file", size)});
    if (extent.offset >= size) return {size, 0};
    return {extent.offset, size - extent.offset};
  }

  // --- 2. The section headers. --------------------------------------------------------------------------------------
  /// The number of section headers, or why they cannot be read.
  struct SectionCount {
    uint64_t count = 0;
    std::string problem;
  };
  SectionCount countSections() const {
    const uint64_t offset = m_file.sectionsOffset, entry = m_file.sectionSize(), fileSize = m_file.bytes.size();
    if (offset == 0) return {};
    if (m_file.sectionEntrySize != entry) return {0, entrySizeProblem(m_file.sectionEntrySize, entry)};
    if (!Extent{0, fileSize}.contains(Extent{offset, entry}))
      return {0, "its first entry at " + hexText(offset) + " extends past the end of the file at " + hexText(fileSize)};
    // With 65,280 sections or more, the first header contains the number.
    const uint64_t count = m_file.sectionCount != 0 ? m_file.sectionCount : m_file.section(offset).size;
    const auto size = checkedMultiply(count, entry);
    if (!size || !Extent{0, fileSize}.contains(Extent{offset, *size})) return {0, endProblem(count, offset)};
    return {count, {}};
  }

  void readSections() {
    auto [count, problem] = countSections();
    if (!problem.empty()) {
      note(DiagnosticId::FileTable, {arg("table", "section header table"), {"reason", std::move(problem)}});
      return;
    }
    if (count > limits::kSections) {
      note(DiagnosticId::FileLimit, {arg("what", "sections"), arg("count", count), arg("limit", limits::kSections)});
      return;
    }
    m_headers.reserve(count);
    for (uint64_t i = 0; i < count; ++i)
      m_headers.push_back(m_file.section(m_file.sectionsOffset + i * m_file.sectionSize()));
    uint32_t namesIndex = m_file.namesIndex;
    if (namesIndex == elf::SHN_XINDEX && count > 0) namesIndex = m_headers.front().link;
    NameTable names(namesIndex < count ? contentOf(m_headers[namesIndex]) : std::string_view(),
                    count * m_file.sectionSize());
    for (const elf::SectionHeader& header : m_headers) {
      Section section;
      section.name = names.at(header.name);
      section.address = header.address;
      section.size = header.size;
      section.type = sectionTypeName(header.type);
      section.allocated = header.flags & elf::SHF_ALLOC;
      section.writable = header.flags & elf::SHF_WRITE;
      section.executable = header.flags & elf::SHF_EXECINSTR;
      if (header.type != elf::SHT_NOBITS && header.type != elf::SHT_NULL)
        section.file = clipped(header.file(), "section '" + escaped(section.name) + "'");
      m_image.sections.push_back(section);
    }
    noteFull(names, "bytes of section names");
  }

  void noteFull(const NameTable& names, const char* what) {
    if (names.isFull())
      note(DiagnosticId::FileLimit, {arg("what", what), arg("count", names.limit() + 1), arg("limit", names.limit())});
  }

  std::string_view contentOf(const elf::SectionHeader& header) const {
    if (header.type == elf::SHT_NOBITS) return {};
    return m_image.file.slice(header.offset, header.size).view();
  }

  // --- 3. Symbols as the loader finds them. -------------------------------------------------------------------------
  Result<Done> readDynamicSymbols() {
    Extent table, names;
    if (!findDynamicTables(table, names)) {
      // Objects have no dynamic part. A damaged file may still have its section.
      const elf::SectionHeader* const section = findHeader(elf::SHT_DYNSYM);
      if (!section) return Done{};
      table = {section->offset, section->size};
      if (section->link < m_headers.size()) names = {m_headers[section->link].offset, m_headers[section->link].size};
    }
    return readTable(table, m_image.file.slice(names.offset, names.size), true, ".dynsym");
  }

  bool findDynamicTables(Extent& table, Extent& names) {
    const uint64_t entries = m_image.file.slice(m_dynamic.offset, m_dynamic.size).size() / m_file.tagSize();
    const uint64_t symbolSize = m_file.symbolSize();
    uint64_t symbols = 0, strings = 0, stringsSize = 0, hash = 0, gnuHash = 0, entrySize = symbolSize;
    for (uint64_t i = 0; i < entries; ++i) {
      const elf::DynamicTag entry = m_file.tag(m_dynamic.offset + i * m_file.tagSize());
      if (entry.tag == elf::DT_NULL) break;
      switch (entry.tag) {
      case elf::DT_SYMTAB: symbols = entry.value; break;
      case elf::DT_STRTAB: strings = entry.value; break;
      case elf::DT_STRSZ: stringsSize = entry.value; break;
      case elf::DT_SYMENT: entrySize = entry.value; break;
      case elf::DT_HASH: hash = entry.value; break;
      case elf::DT_GNU_HASH: gnuHash = entry.value; break;
      default: break;
      }
    }
    const auto symbolBytes = m_image.findBytesAt(symbols), stringBytes = m_image.findBytesAt(strings);
    if (symbols == 0 || strings == 0 || !symbolBytes || !stringBytes || entrySize != symbolSize) {
      std::string reason = "its address " + hexText(symbols) + " is in no loaded part of the file";
      if (symbolBytes) reason = "the address " + hexText(strings) + " of its names is in no loaded part of the file";
      if (entrySize != symbolSize)
        reason = "its entry size is " + std::to_string(entrySize) + " bytes, not " + std::to_string(symbolSize);
      if (m_dynamic.size > 0 && symbols != 0)
        note(DiagnosticId::FileTable, {arg("table", "dynamic symbol table"), arg("reason", reason)});
      return false;
    }
    uint64_t count = 0;
    if (hash != 0) count = countByHash(hash);
    if (count == 0 && gnuHash != 0) count = countByGnuHash(gnuHash);
    // The section header has the count when no hash table does (musl without either, all symbols undefined). The parts
    // are not compared by their file offsets, because bytes on the heap have none.
    const auto offsetOf = [&](const Bytes& part) { return static_cast<uint64_t>(part.data() - m_image.file.data()); };
    const elf::SectionHeader* const section = findHeader(elf::SHT_DYNSYM);
    if (section && section->offset == offsetOf(*symbolBytes))
      count = std::max<uint64_t>(count, section->size / symbolSize);
    table = {offsetOf(*symbolBytes), std::min<uint64_t>(count, symbolBytes->size() / symbolSize) * symbolSize};
    names = {offsetOf(*stringBytes), std::min<uint64_t>(stringsSize, stringBytes->size())};
    if (count > symbolBytes->size() / symbolSize)
      note(DiagnosticId::FilePart, {arg("what", "dynamic symbol table"), hexArg("at", table.offset),
                                    arg("size", count * symbolSize), arg("file", m_image.file.size())});
    return true;
  }

  uint64_t wordAt(const Bytes& bytes, uint64_t index) const {
    const uint64_t word = numberAt<uint32_t>(bytes.view(), index * kWord);
    return m_file.bigEndian ? numberAt(bytes.view(), index * kWord, kWord, true) : word;
  }

  /// DT_HASH: nbucket, nchain; nchain is the number of symbols. Entries are 64 bits wide on 64-bit s390.
  uint64_t countByHash(uint64_t address) const {
    const auto bytes = m_image.findBytesAt(address);
    if (!bytes) return 0;
    if (m_file.machine != elf::EM_S390 || !m_file.is64) return wordAt(*bytes, 1);
    const uint64_t high = wordAt(*bytes, 2), low = wordAt(*bytes, 3);
    return m_image.bigEndian ? high << 32 | low : low << 32 | high;
  }

  /// DT_GNU_HASH: the highest bucket's chain ends with the last symbol.
  uint64_t countByGnuHash(uint64_t address) const {
    const auto bytes = m_image.findBytesAt(address);
    if (!bytes || bytes->size() < 16) return 0;
    const uint64_t buckets = wordAt(*bytes, 0), firstHashed = wordAt(*bytes, 1), filters = wordAt(*bytes, 2);
    const uint64_t bucketStart = 4 + filters * (m_file.wordSize() / kWord);
    const uint64_t words = bytes->size() / kWord;
    if (bucketStart > words || buckets > words - bucketStart) return 0;
    uint64_t last = 0;
    for (uint64_t i = 0; i < buckets; ++i) last = std::max<uint64_t>(last, wordAt(*bytes, bucketStart + i));
    if (last < firstHashed) return firstHashed;
    const uint64_t chainStart = bucketStart + buckets;
    for (uint64_t chain = chainStart + (last - firstHashed); chain < words; ++chain, ++last)
      if (wordAt(*bytes, chain) & 1) break;
    return last + 1;
  }

  // --- 4. The symbols that strip removes. ---------------------------------------------------------------------------
  Result<Done> readStaticSymbols() {
    const elf::SectionHeader* const section = findHeader(elf::SHT_SYMTAB);
    if (!section) return Done{};
    Bytes strings;
    if (section->link < m_headers.size()) {
      const elf::SectionHeader& linked = m_headers[section->link];
      if (linked.type != elf::SHT_NOBITS) strings = m_image.file.slice(linked.offset, linked.size);
    }
    return readTable({section->offset, section->size}, strings, false, ".symtab");
  }

  const elf::SectionHeader* findHeader(uint32_t type) const {
    for (const elf::SectionHeader& header : m_headers)
      if (header.type == type) return &header;
    return nullptr;
  }

  Result<Done> readTable(Extent stored, const Bytes& strings, bool dynamic, const char* what) {
    const Bytes table = m_image.file.slice(stored.offset, stored.size);
    uint64_t count = table.size() / m_file.symbolSize();
    if (count > symbolLimit(m_image.file)) {
      note(DiagnosticId::FileLimit,
           {arg("what", "symbols"), arg("count", count), arg("limit", symbolLimit(m_image.file))});
      count = symbolLimit(m_image.file);
    }
    NameTable names(strings.view(), table.size());
    m_image.symbols.reserve(m_image.symbols.size() + count);
    uint64_t nameless = 0;
    for (uint64_t i = 1; i < count; ++i) { // entry 0 is the null symbol
      if (i % 4096 == 0) {
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        m_monitor.progress("reading symbols", i, count);
      }
      const elf::Symbol entry = m_file.symbol(stored.offset + i * m_file.symbolSize());
      if (entry.name >= strings.size()) ++nameless;
      Symbol symbol;
      symbol.name = names.at(entry.name);
      symbol.value = entry.value;
      symbol.size = entry.size;
      symbol.type = symbolType(entry.info & 0xf);
      symbol.binding = symbolBinding(entry.info >> 4);
      symbol.defined = entry.section != elf::SHN_UNDEF;
      symbol.common = entry.section == elf::SHN_COMMON;
      symbol.absolute = symbol.common || entry.section == elf::SHN_ABS;
      if (entry.section < elf::SHN_LORESERVE) symbol.section = entry.section;
      if (entry.section == elf::SHN_XINDEX) symbol.section = extendedIndex(i);
      symbol.dynamic = dynamic;
      m_image.symbols.push_back(symbol);
    }
    if (nameless > 0)
      note(DiagnosticId::FileNames, {arg("table", what), arg("count", nameless), arg("total", count - 1)});
    noteFull(names, "bytes of symbol names");
    return Done{};
  }

  /// Section number of a symbol of .symtab in a file with 65,280 sections and more.
  uint32_t extendedIndex(uint64_t symbol) const {
    const elf::SectionHeader* const section = findHeader(elf::SHT_SYMTAB_SHNDX);
    if (!section) return Symbol::kNoSection;
    const Bytes words = m_image.file.slice(section->offset, section->size);
    return symbol < words.size() / kWord ? static_cast<uint32_t>(wordAt(words, symbol)) : Symbol::kNoSection;
  }

  static constexpr unsigned kWord = 4; ///< Elf32_Word, Elf64_Word

  Monitor& m_monitor;
  File m_file;
  Image m_image;
  std::vector<elf::SectionHeader> m_headers;
  Extent m_dynamic;
};

} // namespace

bool looksLikeElf(std::string_view head) { return head.starts_with(elf::kMagic); }

Result<Image> readElf(const Bytes& file, Monitor& monitor) {
  const std::string_view head = file.view();
  if (head.size() < elf::EI_NIDENT)
    return headerError("the file ends at " + hexText(head.size()) + ", inside the 16 identifying bytes");
  const auto bits = static_cast<unsigned char>(head[elf::EI_CLASS]);
  const auto order = static_cast<unsigned char>(head[elf::EI_DATA]);
  if ((bits != elf::ELFCLASS32 && bits != elf::ELFCLASS64) || (order != elf::ELFDATA2LSB && order != elf::ELFDATA2MSB))
    return headerError("class " + std::to_string(bits) + " at 0x4 or byte order " + std::to_string(order) +
                       " at 0x5 does not exist");
  auto header = File::readHeader(file);
  if (!header)
    return headerError("the file ends at " + hexText(head.size()) + ", inside the header of " +
                       (bits == elf::ELFCLASS64 ? "64" : "52") + " bytes");
  return ElfReader(std::move(*header), monitor).read();
}

} // namespace blobscope::container
