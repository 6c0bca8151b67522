#include "core/container/elf/elf.h"

#include "core/base/limits.h"
#include "core/base/text.h"

#include <llvm/Object/ELF.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

namespace blobscope::container {
namespace {

namespace elf = llvm::ELF;

std::string archName(uint16_t machine, bool is64, bool bigEndian) {
  using llvm::Triple;
  const auto name = [](Triple::ArchType arch) { return Triple::getArchTypeName(arch).str(); };
  switch (machine) {
  case elf::EM_386: return name(Triple::x86);
  case elf::EM_X86_64: return name(Triple::x86_64);
  case elf::EM_AARCH64: return name(bigEndian ? Triple::aarch64_be : Triple::aarch64);
  case elf::EM_ARM: return name(bigEndian ? Triple::armeb : Triple::arm);
  case elf::EM_HEXAGON: return name(Triple::hexagon);
  case elf::EM_MIPS:
    if (is64) return name(bigEndian ? Triple::mips64 : Triple::mips64el);
    return name(bigEndian ? Triple::mips : Triple::mipsel);
  case elf::EM_PPC: return name(bigEndian ? Triple::ppc : Triple::ppcle);
  case elf::EM_PPC64: return name(bigEndian ? Triple::ppc64 : Triple::ppc64le);
  case elf::EM_RISCV: return name(is64 ? Triple::riscv64 : Triple::riscv32);
  case elf::EM_S390: return name(Triple::systemz);
  case elf::EM_SPARC: return name(Triple::sparc);
  case elf::EM_SPARCV9: return name(Triple::sparcv9);
  case elf::EM_LOONGARCH: return name(is64 ? Triple::loongarch64 : Triple::loongarch32);
  case elf::EM_AMDGPU: return name(Triple::amdgcn);
  case elf::EM_CUDA: return name(Triple::nvptx64);
  case elf::EM_BPF: return name(bigEndian ? Triple::bpfeb : Triple::bpfel);
  case elf::EM_XTENSA: return name(Triple::xtensa);
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

/// Cuts names out of a string table. All together may have a few times what the table and its entries take: real names
/// hardly overlap, but where all entries point into one text without end, reading them would take minutes. Names beyond
/// that are empty.
class NameTable {
public:
  NameTable(std::string_view table, uint64_t entriesSize)
      : m_table(table), m_limit(16 * (table.size() + entriesSize) + 65'536), m_left(m_limit) {}

  /// The NUL-terminated string at `offset`, empty when it lies outside; an unterminated one ends with the table.
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

/// The file's reading, one per class and byte order.
template <class ELFT> class ElfReader {
public:
  using Shdr = typename ELFT::Shdr;
  using Sym = typename ELFT::Sym;
  using Word = typename ELFT::Word;
  using uintX = typename ELFT::uint;

  ElfReader(const Bytes& file, Monitor& monitor) : m_monitor(monitor) { m_image.file = file; }

  Result<Image> read() {
    auto opened = llvm::object::ELFFile<ELFT>::create(text(m_image.file));
    if (!opened) return headerError(opened.takeError());
    const llvm::object::ELFFile<ELFT>& elf = *opened;
    const auto& header = elf.getHeader();
    m_image.bits = ELFT::Is64Bits ? 64 : 32;
    m_image.bigEndian = ELFT::Endianness == llvm::endianness::big;
    m_image.arch = archName(header.e_machine, ELFT::Is64Bits, m_image.bigEndian);
    m_image.kind = kindOf(header.e_type);
    m_wideHash = header.e_machine == elf::EM_S390 && ELFT::Is64Bits;

    readSegments(elf);
    readSections(elf);
    BLOBSCOPE_CHECK(readDynamicSymbols());
    BLOBSCOPE_CHECK(readStaticSymbols());
    return std::move(m_image);
  }

private:
  static llvm::StringRef text(const Bytes& bytes) { return {bytes.view().data(), bytes.view().size()}; }

  static Kind kindOf(uint16_t type) {
    switch (type) {
    case elf::ET_REL: return Kind::Object;
    case elf::ET_DYN: return Kind::Shared;
    case elf::ET_EXEC: return Kind::Executable;
    case elf::ET_CORE: return Kind::Core;
    default: return Kind::Other;
    }
  }

  static Error headerError(llvm::Error error) {
    return Error(DiagnosticId::FileHeader, {arg("format", "ELF"), arg("reason", llvm::toString(std::move(error)))});
  }

  void note(DiagnosticId id, std::vector<Argument> arguments, Ref place = {}) {
    if (m_image.diagnostics.size() < limits::kDiagnostics)
      m_image.diagnostics.push_back({id, std::move(place), std::move(arguments)});
  }

  // --- 1. What the loader maps. -------------------------------------------------------------------------------------
  void readSegments(const llvm::object::ELFFile<ELFT>& elf) {
    auto headers = elf.program_headers();
    if (!headers) {
      note(DiagnosticId::FileTable,
           {arg("table", "program header table"), arg("reason", llvm::toString(headers.takeError()))});
      return;
    }
    for (const auto& header : *headers) {
      const Extent file{header.p_offset, header.p_filesz};
      if (header.p_type == elf::PT_DYNAMIC) m_dynamic = file;
      if (header.p_type != elf::PT_LOAD) continue;
      Segment segment;
      segment.address = header.p_vaddr;
      segment.memorySize = header.p_memsz;
      segment.file = clipped(file, "segment at " + hexText(segment.address));
      segment.writable = header.p_flags & elf::PF_W;
      segment.executable = header.p_flags & elf::PF_X;
      m_image.segments.push_back(segment);
    }
  }

  /// `extent` cut to the file; says so when something was cut.
  Extent clipped(Extent extent, const std::string& what) {
    const uint64_t size = m_image.file.size();
    if (Extent{0, size}.contains(extent)) return extent;
    if (extent.size == 0) return {size, 0}; // nothing is missing
    note(DiagnosticId::FilePart,
         {arg("what", what), hexArg("at", extent.offset), arg("size", extent.size), arg("file", size)});
    if (extent.offset >= size) return {size, 0};
    return {extent.offset, size - extent.offset};
  }

  // --- 2. What the linker left. -------------------------------------------------------------------------------------
  void readSections(const llvm::object::ELFFile<ELFT>& elf) {
    auto headers = elf.sections();
    if (!headers) {
      note(DiagnosticId::FileTable,
           {arg("table", "section header table"), arg("reason", llvm::toString(headers.takeError()))});
      return;
    }
    if (headers->size() > limits::kSections) {
      note(DiagnosticId::FileLimit,
           {arg("what", "sections"), arg("count", headers->size()), arg("limit", limits::kSections)});
      return;
    }
    uint32_t namesIndex = elf.getHeader().e_shstrndx;
    if (namesIndex == elf::SHN_XINDEX && !headers->empty()) namesIndex = headers->front().sh_link;
    NameTable names(namesIndex < headers->size() ? contentOf((*headers)[namesIndex]) : std::string_view(),
                    headers->size() * sizeof(Shdr));
    for (const Shdr& header : *headers) {
      Section section;
      section.name = names.at(header.sh_name);
      section.address = header.sh_addr;
      section.size = header.sh_size;
      section.type = sectionTypeName(header.sh_type);
      section.allocated = header.sh_flags & elf::SHF_ALLOC;
      section.writable = header.sh_flags & elf::SHF_WRITE;
      section.executable = header.sh_flags & elf::SHF_EXECINSTR;
      if (header.sh_type != elf::SHT_NOBITS && header.sh_type != elf::SHT_NULL)
        section.file = clipped({header.sh_offset, header.sh_size}, "section '" + escaped(section.name) + "'");
      m_image.sections.push_back(section);
      m_headers.push_back(&header);
    }
    noteFull(names, "bytes of section names");
  }

  void noteFull(const NameTable& names, const char* what) {
    if (names.isFull())
      note(DiagnosticId::FileLimit, {arg("what", what), arg("count", names.limit() + 1), arg("limit", names.limit())});
  }

  std::string_view contentOf(const Shdr& header) const {
    if (header.sh_type == elf::SHT_NOBITS) return {};
    return m_image.file.slice(header.sh_offset, header.sh_size).view();
  }

  // --- 3. Symbols as the loader finds them. -------------------------------------------------------------------------
  Result<Done> readDynamicSymbols() {
    Extent table, names;
    if (!findDynamicTables(table, names)) {
      // Objects have no dynamic part. A damaged one may still have its section.
      const Shdr* const section = findHeader(elf::SHT_DYNSYM);
      if (!section) return Done{};
      table = {section->sh_offset, section->sh_size};
      if (section->sh_link < m_headers.size())
        names = {m_headers[section->sh_link]->sh_offset, m_headers[section->sh_link]->sh_size};
    }
    return readTable(m_image.file.slice(table.offset, table.size), m_image.file.slice(names.offset, names.size), true,
                     ".dynsym");
  }

  bool findDynamicTables(Extent& table, Extent& names) {
    const Bytes entries = m_image.file.slice(m_dynamic.offset, m_dynamic.size);
    using Dyn = typename ELFT::Dyn;
    uint64_t symbols = 0, strings = 0, stringsSize = 0, hash = 0, gnuHash = 0, entrySize = sizeof(Sym);
    const auto* const first = reinterpret_cast<const Dyn*>(entries.data());
    for (uint64_t i = 0; i < entries.size() / sizeof(Dyn); ++i) {
      const Dyn& entry = first[i];
      if (entry.d_tag == elf::DT_NULL) break;
      switch (entry.d_tag) {
      case elf::DT_SYMTAB: symbols = entry.getPtr(); break;
      case elf::DT_STRTAB: strings = entry.getPtr(); break;
      case elf::DT_STRSZ: stringsSize = entry.getVal(); break;
      case elf::DT_SYMENT: entrySize = entry.getVal(); break;
      case elf::DT_HASH: hash = entry.getPtr(); break;
      case elf::DT_GNU_HASH: gnuHash = entry.getPtr(); break;
      default: break;
      }
    }
    const auto symbolBytes = m_image.findBytesAt(symbols), stringBytes = m_image.findBytesAt(strings);
    if (symbols == 0 || strings == 0 || !symbolBytes || !stringBytes || entrySize != sizeof(Sym)) {
      std::string reason = "its address " + hexText(symbols) + " is in no loaded part of the file";
      if (symbolBytes) reason = "the address " + hexText(strings) + " of its names is in no loaded part of the file";
      if (entrySize != sizeof(Sym))
        reason = "its entries are said to be " + std::to_string(entrySize) + " bytes long, not " +
                 std::to_string(sizeof(Sym));
      if (m_dynamic.size > 0 && symbols != 0)
        note(DiagnosticId::FileTable, {arg("table", "dynamic symbol table"), arg("reason", reason)});
      return false;
    }
    uint64_t count = 0;
    if (hash != 0) count = countByHash(hash);
    if (count == 0 && gnuHash != 0) count = countByGnuHash(gnuHash);
    // The section header knows more when no hash table does (musl without either, all symbols undefined).
    // Not by their places: bytes on the heap have none.
    const auto offsetOf = [&](const Bytes& part) { return static_cast<uint64_t>(part.data() - m_image.file.data()); };
    const Shdr* const section = findHeader(elf::SHT_DYNSYM);
    if (section && section->sh_offset == offsetOf(*symbolBytes))
      count = std::max<uint64_t>(count, section->sh_size / sizeof(Sym));
    table = {offsetOf(*symbolBytes), std::min<uint64_t>(count, symbolBytes->size() / sizeof(Sym)) * sizeof(Sym)};
    names = {offsetOf(*stringBytes), std::min<uint64_t>(stringsSize, stringBytes->size())};
    if (count > symbolBytes->size() / sizeof(Sym))
      note(DiagnosticId::FilePart, {arg("what", "dynamic symbol table"), hexArg("at", table.offset),
                                    arg("size", count * sizeof(Sym)), arg("file", m_image.file.size())});
    return true;
  }

  uint64_t wordAt(const Bytes& bytes, uint64_t index) const {
    if (index >= bytes.size() / sizeof(Word)) return 0;
    return reinterpret_cast<const Word*>(bytes.data())[index];
  }

  /// DT_HASH: nbucket, nchain; nchain is the number of symbols. Entries are 64 bits wide on 64-bit s390.
  uint64_t countByHash(uint64_t address) const {
    const auto bytes = m_image.findBytesAt(address);
    if (!bytes) return 0;
    if (!m_wideHash) return wordAt(*bytes, 1);
    const uint64_t high = wordAt(*bytes, 2), low = wordAt(*bytes, 3);
    return m_image.bigEndian ? high << 32 | low : low << 32 | high;
  }

  /// DT_GNU_HASH: the highest bucket's chain ends with the last symbol.
  uint64_t countByGnuHash(uint64_t address) const {
    const auto bytes = m_image.findBytesAt(address);
    if (!bytes || bytes->size() < 16) return 0;
    const uint64_t buckets = wordAt(*bytes, 0), firstHashed = wordAt(*bytes, 1), filters = wordAt(*bytes, 2);
    const uint64_t bucketStart = 4 + filters * (sizeof(uintX) / sizeof(Word));
    const uint64_t words = bytes->size() / sizeof(Word);
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
    const Shdr* const section = findHeader(elf::SHT_SYMTAB);
    if (!section) return Done{};
    Bytes strings;
    if (section->sh_link < m_headers.size()) {
      const Shdr& linked = *m_headers[section->sh_link];
      if (linked.sh_type != elf::SHT_NOBITS) strings = m_image.file.slice(linked.sh_offset, linked.sh_size);
    }
    return readTable(m_image.file.slice(section->sh_offset, section->sh_size), strings, false, ".symtab");
  }

  const Shdr* findHeader(uint32_t type) const {
    for (const Shdr* header : m_headers)
      if (header->sh_type == type) return header;
    return nullptr;
  }

  Result<Done> readTable(const Bytes& table, const Bytes& strings, bool dynamic, const char* what) {
    uint64_t count = table.size() / sizeof(Sym);
    if (count > symbolLimit(m_image.file)) {
      note(DiagnosticId::FileLimit,
           {arg("what", "symbols"), arg("count", count), arg("limit", symbolLimit(m_image.file))});
      count = symbolLimit(m_image.file);
    }
    NameTable names(strings.view(), table.size());
    const auto* const entries = reinterpret_cast<const Sym*>(table.data());
    m_image.symbols.reserve(m_image.symbols.size() + count);
    uint64_t nameless = 0;
    for (uint64_t i = 1; i < count; ++i) { // entry 0 is the null symbol
      if (i % 4096 == 0) {
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        m_monitor.progress("reading symbols", i, count);
      }
      const Sym& entry = entries[i];
      if (entry.st_name >= strings.size()) ++nameless;
      Symbol symbol;
      symbol.name = names.at(entry.st_name);
      symbol.value = entry.st_value;
      symbol.size = entry.st_size;
      symbol.type = symbolType(entry.getType());
      symbol.binding = symbolBinding(entry.getBinding());
      symbol.defined = entry.st_shndx != elf::SHN_UNDEF;
      symbol.absolute = entry.st_shndx == elf::SHN_ABS || entry.st_shndx == elf::SHN_COMMON;
      if (entry.st_shndx < elf::SHN_LORESERVE) symbol.section = entry.st_shndx;
      if (entry.st_shndx == elf::SHN_XINDEX) symbol.section = extendedIndex(i);
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
    const Shdr* const section = findHeader(elf::SHT_SYMTAB_SHNDX);
    if (!section) return Symbol::kNoSection;
    const Bytes words = m_image.file.slice(section->sh_offset, section->sh_size);
    return symbol < words.size() / sizeof(Word) ? static_cast<uint32_t>(wordAt(words, symbol)) : Symbol::kNoSection;
  }

  Monitor& m_monitor;
  Image m_image;
  std::vector<const Shdr*> m_headers;
  Extent m_dynamic;
  bool m_wideHash = false;
};

} // namespace

bool looksLikeElf(std::string_view head) { return head.starts_with("\x7f\x45\x4c\x46"); }

Result<Image> readElf(const Bytes& file, Monitor& monitor) {
  const std::string_view head = file.view();
  if (head.size() < elf::EI_NIDENT)
    return Error(DiagnosticId::FileHeader,
                 {arg("format", "ELF"),
                  arg("reason", "the file ends at " + hexText(head.size()) + ", inside the 16 identifying bytes")});
  const auto bits = static_cast<unsigned char>(head[elf::EI_CLASS]);
  const auto order = static_cast<unsigned char>(head[elf::EI_DATA]);
  const bool is64 = bits == elf::ELFCLASS64, isBig = order == elf::ELFDATA2MSB;
  if ((!is64 && bits != elf::ELFCLASS32) || (!isBig && order != elf::ELFDATA2LSB))
    return Error(DiagnosticId::FileHeader,
                 {arg("format", "ELF"), arg("reason", "class " + std::to_string(bits) + " at 0x4 or byte order " +
                                                          std::to_string(order) + " at 0x5 does not exist")});
  if (is64)
    return isBig ? ElfReader<llvm::object::ELF64BE>(file, monitor).read()
                 : ElfReader<llvm::object::ELF64LE>(file, monitor).read();
  return isBig ? ElfReader<llvm::object::ELF32BE>(file, monitor).read()
               : ElfReader<llvm::object::ELF32LE>(file, monitor).read();
}

} // namespace blobscope::container
