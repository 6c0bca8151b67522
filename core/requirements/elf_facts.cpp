#include "core/requirements/elf_facts.h"

#include "core/base/text.h"
#include "core/container/elf/file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace blobscope::requirements {
namespace {

namespace elf = container::elf;

constexpr std::size_t kListed = 1'024;       // maximum of needed libraries, of run paths
constexpr std::size_t kLongestName = 4'096;  // maximum length of a name
constexpr std::size_t kPlaces = 4'000'000;   // maximum of words that relocations fill
constexpr uint64_t kVersionEntries = 65'536; // maximum of versions; the number of a version has 16 bits
constexpr std::size_t kEntries = 65'536;     // maximum of functions that the loader calls

/// Types of relocations by e_machine: functions that are bound late, the addition of the file's address, and the result
/// of a resolver. Sources: the processor supplements of the System V ABI; glibc elf/elf.h.
struct RelocationTypes {
  uint16_t machine;
  uint32_t late, relative, resolver;
};
constexpr RelocationTypes kTypes[] = {{elf::EM_X86_64, 7, 8, 37},          {elf::EM_386, 7, 8, 42},
                                      {elf::EM_AARCH64, 1026, 1027, 1032}, {elf::EM_ARM, 22, 23, 160},
                                      {elf::EM_RISCV, 5, 3, 58},           {elf::EM_PPC64, 21, 22, 248},
                                      {elf::EM_S390, 11, 12, 61},          {elf::EM_LOONGARCH, 5, 3, 12}};

class Facts {
public:
  Facts(const container::Image& image, Monitor& monitor) : m_image(image), m_monitor(monitor) {}

  Result<ElfFacts> read() {
    auto header = elf::File::readHeader(m_image.file);
    if (!header) return std::move(m_out);
    m_file = std::move(*header);
    m_file.readTables();
    for (const container::Symbol& symbol : m_image.symbols) {
      if (!symbol.dynamic) break;
      ++m_dynamicSymbols;
    }
    m_out.versions.resize(m_dynamicSymbols);
    m_out.versionLibraries.resize(m_dynamicSymbols);
    m_out.data.resize(m_dynamicSymbols);
    m_out.used.resize(m_dynamicSymbols);
    setDamage();
    m_out.order.resize(m_dynamicSymbols);
    m_strings = bytesAt(valueOf(elf::DT_STRTAB), valueOf(elf::DT_STRSZ));
    for (const RelocationTypes& types : kTypes)
      if (types.machine == m_file.machine) m_types = types;
    readTags();
    readNotes();
    BLOBSCOPE_CHECK(readVersions());
    BLOBSCOPE_CHECK(readRelocations());
    if (m_image.kind != container::Kind::Object) readEntries();
    return std::move(m_out);
  }

private:
  uint64_t valueOf(uint64_t tag) const {
    const elf::DynamicTag* const found = m_file.findTag(tag);
    return found ? found->value : 0;
  }
  /// The bytes at an address, cut to the segment's part of the file.
  Bytes bytesAt(uint64_t address, uint64_t size) const {
    const auto bytes = address == 0 ? std::nullopt : m_image.findBytesAt(address);
    return bytes ? bytes->slice(0, size) : Bytes();
  }
  std::string stringAt(uint64_t offset) const {
    if (offset >= m_strings.size()) return {};
    const std::string_view rest = m_strings.view().substr(offset, kLongestName);
    return std::string(rest.substr(0, rest.find('\0')));
  }
  uint64_t numberIn(const Bytes& bytes, uint64_t at, unsigned size) const {
    if (!Extent{0, bytes.size()}.contains(Extent{at, size})) return 0;
    return m_file.number(static_cast<uint64_t>(bytes.data() - m_image.file.data()) + at, size);
  }

  /// Why the loader refuses the file. Source: glibc elf/dl-load.c, open_verify and _dl_map_object_from_fd.
  void setDamage() {
    const auto set = [&](std::string why, std::string_view printed) {
      m_out.damage = std::move(why);
      m_out.printed = printed;
    };
    if (m_image.kind == container::Kind::Object) return;
    if (!m_file.programsProblem.empty())
      return set("the program headers cannot be read: " + m_file.programsProblem, "cannot read file data");
    if (m_file.type != elf::ET_DYN)
      return set("the file is not a shared library: its type is " + std::to_string(m_file.type),
                 m_file.type == elf::ET_EXEC ? "cannot dynamically load executable"
                                             : "only ET_DYN and ET_EXEC can be loaded");
    for (std::size_t i = 0; i < m_file.programs.size(); ++i) {
      const elf::ProgramHeader& header = m_file.programs[i];
      const bool used = header.type == elf::PT_LOAD || header.type == elf::PT_DYNAMIC;
      if (!used || header.fileSize == 0 || Extent{0, m_file.bytes.size()}.contains(header.file())) continue;
      // The loader maps the segment; the first access to a page after the end of the file is SIGBUS.
      m_out.crashes = true;
      return set("the segment of program header " + std::to_string(i) + " at " + hexText(header.offset) + " with " +
                     countText(header.fileSize, "byte") + " extends past the end of the file at " +
                     hexText(m_file.bytes.size()),
                 {});
    }
    if (!m_file.dynamicProblem.empty()) return set(m_file.dynamicProblem, "object file has no dynamic section");
    if (m_file.loads().empty()) return set("it has no segment that is loaded", "object file has no loadable segments");
    if (valueOf(elf::DT_FLAGS_1) & elf::DF_1_PIE)
      set("the file is a program, not a shared library", "cannot dynamically load position-independent executable");
  }

  void readTags() {
    for (const elf::DynamicTag& tag : m_file.dynamic) {
      const auto add = [&](std::vector<std::string>& list) {
        if (list.size() < kListed) list.push_back(stringAt(tag.value));
      };
      if (tag.tag == elf::DT_NEEDED) add(m_out.needed);
      if (tag.tag == elf::DT_RPATH || tag.tag == elf::DT_RUNPATH) add(m_out.runPaths);
      if (tag.tag == elf::DT_RPATH) m_out.inheritsRunPaths = true;
      if (tag.tag == elf::DT_BIND_NOW || (tag.tag == elf::DT_FLAGS && tag.value & elf::DF_BIND_NOW) ||
          (tag.tag == elf::DT_FLAGS_1 && tag.value & elf::DF_1_NOW))
        m_out.bindsAtOnce = true;
    }
    // With DT_RUNPATH, loaders ignore DT_RPATH. Source: System V ABI, "Shared Object Dependencies".
    if (const elf::DynamicTag* const newer = m_file.findTag(elf::DT_RUNPATH)) {
      m_out.runPaths = {stringAt(newer->value)};
      m_out.inheritsRunPaths = false;
    }
  }

  /// The properties of x86 and the note of Android. Sources: x86-64 psABI 1.0, "Program Property", Linux ABI extensions
  /// of H.J. Lu, GNU_PROPERTY_X86_ISA_1_NEEDED; AOSP bionic libc/arch-common/bionic/crtbrand.S.
  void readNotes() {
    constexpr uint32_t kIsaNeeded = 0xc0008002;
    constexpr uint64_t kNotes = 4'096; // maximum of notes of a part
    for (const elf::ProgramHeader& part : m_file.programs) {
      if (part.type != elf::PT_NOTE) continue;
      const Bytes bytes = m_image.file.slice(part.offset, part.fileSize);
      const Extent place{part.offset, bytes.size()};
      const uint64_t align = part.align == 8 ? 8 : 4;
      uint64_t at = 0;
      for (uint64_t i = 0; i < kNotes; ++i) {
        const auto note = m_file.note(place, at, align);
        if (!note) break;
        at = note->next;
        const std::string_view owner = bytes.slice(note->name.offset, note->name.size).view();
        const Bytes content = bytes.slice(note->content.offset, note->content.size);
        if (note->type == elf::NT_ANDROID_TYPE_IDENT && owner.starts_with("Android")) m_out.android = true;
        if (note->type != elf::NT_GNU_PROPERTY_TYPE_0 || !owner.starts_with("GNU") ||
            (m_file.machine != elf::EM_X86_64 && m_file.machine != elf::EM_386))
          continue;
        for (uint64_t property = 0; property + 8 <= content.size();) {
          const uint64_t type = numberIn(content, property, 4), size = numberIn(content, property + 4, 4);
          if (type == kIsaNeeded && size == 4) setCpu(numberIn(content, property + 8, 4));
          property += 8 + (size + m_file.wordSize() - 1) / m_file.wordSize() * m_file.wordSize();
        }
      }
    }
  }
  /// Bit n stands for x86-64-v(n + 1); the first level is that of every processor.
  void setCpu(uint64_t levels) {
    for (int level = 4; level >= 2; --level)
      if (levels >> (level - 1) & 1) {
        m_out.cpu = "x86-64-v" + std::to_string(level);
        return;
      }
  }

  /// DT_VERNEED: for each library a list of versions, each with the number that DT_VERSYM stores per symbol.
  Result<Done> readVersions() {
    const Bytes needs = bytesAt(valueOf(elf::DT_VERNEED), UINT64_MAX),
                numbers = bytesAt(valueOf(elf::DT_VERSYM), 2 * (m_dynamicSymbols + 1));
    const uint64_t libraries = std::min(valueOf(elf::DT_VERNEEDNUM), kVersionEntries);
    std::unordered_map<uint64_t, std::size_t> known; // number of the version → in versionNeeds
    uint64_t read = 0;
    for (uint64_t i = 0, at = 0; i < libraries && at < needs.size(); ++i) {
      const uint64_t count = numberIn(needs, at + 2, 2), next = numberIn(needs, at + 12, 4);
      const std::string library = stringAt(numberIn(needs, at + 4, 4));
      uint64_t entry = at + numberIn(needs, at + 8, 4);
      for (uint64_t j = 0; j < count && read < kVersionEntries && entry < needs.size(); ++j, ++read) {
        if (read % 4'096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        std::string name = stringAt(numberIn(needs, entry + 8, 4));
        addGlibc(name);
        constexpr uint64_t kWeak = 2; // VER_FLG_WEAK
        known.try_emplace(numberIn(needs, entry + 6, 2) & 0x7fff, m_out.versionNeeds.size());
        m_out.versionNeeds.push_back({library, std::move(name), (numberIn(needs, entry + 4, 2) & kWeak) != 0});
        const uint64_t step = numberIn(needs, entry + 12, 4);
        if (step == 0) break;
        entry += step;
      }
      if (next == 0) break;
      at += next;
    }
    for (uint64_t i = 0; i < m_dynamicSymbols && !known.empty(); ++i) {
      if (i % 4'096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      if (m_image.symbols[i].defined) continue;
      const auto found = known.find(numberIn(numbers, 2 * (i + 1), 2) & 0x7fff);
      if (found == known.end()) continue;
      m_out.versions[i] = m_out.versionNeeds[found->second].name;
      m_out.versionLibraries[i] = m_out.versionNeeds[found->second].library;
    }
    return Done{};
  }

  /// The numbers of "GLIBC_2.28"; empty for other names, such as "GLIBC_PRIVATE".
  static std::vector<uint32_t> versionOf(std::string_view name) {
    constexpr std::string_view kPrefix = "GLIBC_";
    std::vector<uint32_t> out;
    if (!name.starts_with(kPrefix)) return out;
    const char* at = name.data() + kPrefix.size();
    const char* const end = name.data() + name.size();
    while (at < end && out.size() < 4) {
      uint32_t number = 0;
      const auto [next, failure] = std::from_chars(at, end, number);
      if (failure != std::errc{} || (next < end && *next != '.')) return {};
      out.push_back(number);
      at = next + 1;
    }
    return out;
  }
  void addGlibc(const std::string& name) {
    std::vector<uint32_t> version = versionOf(name);
    if (version <= m_glibc) return;
    m_glibc = std::move(version);
    m_out.newestGlibc = name.substr(name.find('_') + 1);
  }

  Result<Done> readRelocations() {
    if (m_image.kind == container::Kind::Object) return Done{};
    m_arrays = {Extent{valueOf(elf::DT_PREINIT_ARRAY), valueOf(elf::DT_PREINIT_ARRAYSZ)},
                Extent{valueOf(elf::DT_INIT_ARRAY), valueOf(elf::DT_INIT_ARRAYSZ)},
                Extent{valueOf(elf::DT_FINI_ARRAY), valueOf(elf::DT_FINI_ARRAYSZ)}};
    const bool plain = valueOf(elf::DT_PLTREL) == elf::DT_RELA;
    const Extent late{valueOf(elf::DT_JMPREL), valueOf(elf::DT_PLTRELSZ)};
    // Some linkers count the late relocations among the others.
    const auto others = [&](uint64_t tag, uint64_t sizeTag) {
      const Extent all{valueOf(tag), valueOf(sizeTag)};
      return late.size > 0 && all.size >= late.size && all.end() == late.end()
                 ? Extent{all.offset, all.size - late.size}
                 : all;
    };
    BLOBSCOPE_CHECK(readTable(others(elf::DT_RELA, elf::DT_RELASZ), true, false));
    BLOBSCOPE_CHECK(readTable(others(elf::DT_REL, elf::DT_RELSZ), false, false));
    BLOBSCOPE_CHECK(readTable(late, plain, true));
    BLOBSCOPE_CHECK(readRelativeTable());
    std::sort(m_out.relative.begin(), m_out.relative.end());
    m_packed = valueOf(elf::DT_ANDROID_REL) || valueOf(elf::DT_ANDROID_RELA) || valueOf(elf::DT_ANDROID_RELR);
    // MIPS binds through the GOT, without relocations: a symbol without a stub is bound at once. Source: System V ABI,
    // MIPS processor supplement, "Global Offset Table". In a packed or cut table any symbol may occur.
    if (m_file.machine == elf::EM_MIPS || m_packed || !m_complete)
      for (uint64_t i = 0; i < m_dynamicSymbols; ++i) {
        m_out.used[i] = true;
        if (m_file.machine == elf::EM_MIPS && m_image.symbols[i].value == 0) m_out.data[i] = true;
      }
    return Done{};
  }

  /// `late`: the table of functions that are bound at their first call.
  Result<Done> readTable(Extent place, bool withAddend, bool late) {
    const uint64_t word = m_file.wordSize(), entry = (withAddend ? 3 : 2) * word;
    const Bytes table = bytesAt(place.offset, place.size);
    m_complete = m_complete && (place.offset == 0 || table.size() == place.size);
    for (uint64_t at = 0; at + entry <= table.size(); at += entry) {
      if (m_read++ % 4'096 == 0) {
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        m_monitor.progress("reading relocations", at, table.size());
      }
      const uint64_t address = numberIn(table, at, static_cast<unsigned>(word)),
                     info = numberIn(table, at + word, static_cast<unsigned>(word));
      uint64_t symbol = m_file.is64 ? info >> 32 : info >> 8, type = info & (m_file.is64 ? UINT32_MAX : 0xff);
      // MIPS stores the symbol first, whatever the byte order (LLVM ELFTypes.h, isMips64EL).
      if (m_file.machine == elf::EM_MIPS && m_file.is64 && !m_file.bigEndian) {
        symbol = info & UINT32_MAX;
        type = info >> 56;
      }
      const uint64_t addend = withAddend ? numberIn(table, at + 2 * word, static_cast<unsigned>(word)) : 0;
      if (m_types && type == m_types->relative) addRelative(address, withAddend ? std::optional(addend) : std::nullopt);
      if (m_types && type == m_types->resolver) addResolver(withAddend ? addend : wordAt(address), !late);
      if (symbol == 0 || symbol > m_dynamicSymbols) continue; // entry 0 is the null symbol
      --symbol;
      const bool bound = !late || (m_types && type != m_types->late);
      if (bound && !m_out.data[symbol]) m_out.order[symbol] = m_read;
      if (bound) m_out.data[symbol] = true;
      m_out.used[symbol] = true;
      if (bound && isResolver(symbol)) addResolver(m_image.symbols[symbol].value, !late);
      if (m_out.places.size() < kPlaces)
        m_out.places.emplace(address, ElfFacts::Place{static_cast<uint32_t>(symbol), !bound});
      if (m_image.symbols[symbol].defined && inArrays(address))
        m_values.emplace(address, m_image.symbols[symbol].value + addend);
    }
    return Done{};
  }

  /// DT_RELR: an even word is the address of a word; an odd one has a bit for each of the words after the last one.
  /// Source: generic ABI, "Relative Relocation Table".
  Result<Done> readRelativeTable() {
    const unsigned word = static_cast<unsigned>(m_file.wordSize());
    const Bytes table = bytesAt(valueOf(elf::DT_RELR), valueOf(elf::DT_RELRSZ));
    uint64_t next = 0;
    for (uint64_t at = 0; at + word <= table.size(); at += word) {
      if (m_read++ % 4'096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const uint64_t bits = numberIn(table, at, word);
      if (bits % 2 == 0) {
        addRelative(bits, std::nullopt);
        next = bits + word;
        continue;
      }
      for (unsigned i = 1; i < 8 * word; ++i)
        if (bits >> i & 1) addRelative(next + (i - 1) * word, std::nullopt);
      next += (8 * uint64_t{word} - 1) * word;
    }
    return Done{};
  }
  /// Without an addend, the word itself has the address.
  void addRelative(uint64_t address, std::optional<uint64_t> addend) {
    if (m_out.relative.size() >= kPlaces) return;
    m_out.relative.push_back(address);
    if (inArrays(address)) m_values.insert_or_assign(address, addend ? *addend : wordAt(address));
  }
  uint64_t wordAt(uint64_t address) const {
    const unsigned word = static_cast<unsigned>(m_file.wordSize());
    return numberIn(bytesAt(address, word), 0, word);
  }

  /// Whether a dynamic symbol is the resolver of a function.
  bool isResolver(uint64_t symbol) const {
    if (!m_image.symbols[symbol].defined) return false;
    const Bytes entry = bytesAt(valueOf(elf::DT_SYMTAB) + (symbol + 1) * m_file.symbolSize(), m_file.symbolSize());
    return (numberIn(entry, m_file.is64 ? 4 : 12, 1) & 0xf) == elf::STT_GNU_IFUNC;
  }
  void addResolver(uint64_t address, bool early) {
    if (m_out.entries.size() < kEntries)
      m_out.entries.push_back({LoaderEntry::Kind::Resolver, "IFUNC resolver", address, early, !isCode(address)});
  }

  bool inArrays(uint64_t address) const {
    return std::any_of(m_arrays.begin(), m_arrays.end(), [&](const Extent& one) { return one.contains(address); });
  }

  /// Whether the loader maps the address as code. The lowest bit of an address of Arm code is the instruction set.
  bool isCode(uint64_t address) const {
    if (m_file.machine == elf::EM_ARM) address &= ~uint64_t{1};
    return std::any_of(m_file.programs.begin(), m_file.programs.end(), [&](const elf::ProgramHeader& part) {
      return part.type == elf::PT_LOAD && part.flags & elf::PF_X && part.memory().contains(address);
    });
  }

  /// What the loader calls, in its order: glibc elf/dl-init.c, _dl_init, and elf/dl-fini.c.
  void readEntries() {
    using Kind = LoaderEntry::Kind;
    const auto add = [&](Kind kind, std::string slot, uint64_t address, bool bad) {
      if (m_out.entries.size() < kEntries) m_out.entries.push_back({kind, std::move(slot), address, false, bad});
    };
    // An address of a function is that of its descriptor in the first ABI of 64-bit PowerPC; such words are data.
    const bool descriptors = m_file.machine == elf::EM_PPC64 && (m_file.flags & 3) != 2;
    const auto function = [&](Kind kind, const char* name, uint64_t tag) {
      if (const elf::DynamicTag* const found = m_file.findTag(tag))
        add(kind, name, found->value, !descriptors && !isCode(found->value));
    };
    const auto array = [&](Kind kind, const std::string& name, uint64_t tag, uint64_t sizeTag) {
      const elf::DynamicTag* const found = m_file.findTag(tag);
      const uint64_t word = m_file.wordSize(), count = valueOf(sizeTag) / word;
      if (!found || m_packed) return;
      const Bytes bytes = bytesAt(found->value, count * word);
      if (count > 0 && bytes.empty()) add(kind, name, found->value, !descriptors && !isMapped({found->value, word}));
      for (uint64_t i = 0; i < bytes.size() / word && m_out.entries.size() < kEntries; ++i) {
        const uint64_t address = found->value + i * word;
        // The loader fills in the address of another library's function.
        if (const auto place = m_out.places.find(address);
            place != m_out.places.end() && !m_image.symbols[place->second.symbol].defined)
          continue;
        const auto value = m_values.find(address);
        const bool bad = value == m_values.end() || !isCode(value->second);
        add(kind, name + "[" + std::to_string(i) + "]", value == m_values.end() ? wordAt(address) : value->second,
            !descriptors && bad && m_types.has_value() && m_complete);
      }
    };
    array(Kind::Start, "DT_PREINIT_ARRAY", elf::DT_PREINIT_ARRAY, elf::DT_PREINIT_ARRAYSZ);
    function(Kind::Start, "DT_INIT", elf::DT_INIT);
    array(Kind::Start, "DT_INIT_ARRAY", elf::DT_INIT_ARRAY, elf::DT_INIT_ARRAYSZ);
    array(Kind::End, "DT_FINI_ARRAY", elf::DT_FINI_ARRAY, elf::DT_FINI_ARRAYSZ);
    function(Kind::End, "DT_FINI", elf::DT_FINI);
  }
  /// Whether a segment that is loaded contains the place.
  bool isMapped(Extent memory) const {
    return std::any_of(m_file.programs.begin(), m_file.programs.end(), [&](const elf::ProgramHeader& part) {
      return part.type == elf::PT_LOAD && part.memory().contains(memory);
    });
  }

  const container::Image& m_image;
  Monitor& m_monitor;
  elf::File m_file;
  Bytes m_strings;
  uint64_t m_dynamicSymbols = 0, m_read = 0;
  std::optional<RelocationTypes> m_types;
  bool m_complete = true, m_packed = false; ///< the tables of relocations are whole; some are in Android's format
  std::array<Extent, 3> m_arrays;           ///< of functions that the loader calls, in memory
  std::unordered_map<uint64_t, uint64_t> m_values; ///< words of arrays of functions → the address after relocation
  std::vector<uint32_t> m_glibc;
  ElfFacts m_out;
};

} // namespace

Result<ElfFacts> readElfFacts(const container::Image& image, Monitor& monitor) { return Facts(image, monitor).read(); }

} // namespace blobscope::requirements
