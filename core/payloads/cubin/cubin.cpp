#include "core/payloads/cubin/cubin.h"

#include "core/base/limits.h"
#include "core/base/reader.h"
#include "core/base/text.h"
#include "core/container/elf/file.h"
#include "core/payloads/pages.h"

#include <algorithm>
#include <unordered_map>

namespace blobscope::payloads {
namespace {

namespace elf = container::elf;

constexpr uint64_t kHeaderSize = 64;

/// Longest name that is read; template instances of real libraries have a few thousand characters. Names may overlap,
/// so this limits the work.
constexpr uint64_t kNameLength = 16'384;

/// Reserved in each block from sm_90 on, part of `.nv.shared.K` even for kernels that use none. Source: the sections of
/// ptxas 11.8 to 13.5 beside the numbers that `ptxas -v` prints.
constexpr uint64_t kReservedShared = 1024;

/// A record of `.nv.info`, `.nv.info.K` or `.nv.compat`.
struct InfoRecord {
  uint8_t format = 0;
  uint8_t attribute = 0;
  uint16_t number = 0; ///< of formats 2 (low byte) and 3
  Bytes payload;       ///< of format 4

  /// The u32 number `index` of the payload, nothing when it is shorter.
  std::optional<uint32_t> word(uint64_t index) const {
    Reader reader(payload.slice(index * 4, 4));
    const auto value = reader.number<uint32_t>("word");
    return reader.ok() ? std::optional(value) : std::nullopt;
  }
  std::optional<CubinKernel::Dimensions> dimensions() const {
    const auto x = word(0), y = word(1), z = word(2);
    if (!x || !y || !z) return std::nullopt;
    return CubinKernel::Dimensions{*x, *y, *z};
  }
};

class CubinReader {
public:
  explicit CubinReader(const Bytes& bytes) : m_bytes(bytes), m_infoLeft(bytes.size()) {}

  Cubin read() {
    if (readHeader()) {
      readSections();
      readSymbols();
      findKernels();
      readKernelSections();
      readInfo();
      readNotes();
    }
    m_cubin.damage = m_damage.take();
    return std::move(m_cubin);
  }

private:
  static constexpr uint32_t kNone = UINT32_MAX;

  std::string place(uint64_t position) const {
    return hexText(checkedAdd(m_bytes.offset().value_or(0), position).value_or(position));
  }

  // --- 1. The header; from here on ABI, sm number and the place of the section table are known. ---

  bool readHeader() {
    const std::string_view head = m_bytes.view().substr(0, kHeaderSize);
    if (head.size() < kHeaderSize) {
      m_damage.add("the ELF header at " + place(0) + " needs 64 bytes, but only " + std::to_string(head.size()) +
                   " are there");
      return false;
    }
    auto file = elf::File::readHeader(m_bytes);
    if (!file || !file->is64 || file->bigEndian || file->machine != elf::EM_CUDA) {
      m_damage.add("the header at " + place(0) + " is not that of a little-endian ELF64 of machine 190");
      return false;
    }
    m_file = std::move(*file);
    m_cubin.abi = m_file.abiVersion;
    m_cubin.type = m_file.type;
    m_cubin.flags = m_file.flags;
    const uint32_t version = m_file.version;
    m_sectionCount = m_file.sectionCount;
    m_nameSection = m_file.namesIndex;
    switch (m_cubin.abi) {
    case 7:
      m_cubin.sm = m_cubin.flags & 0xff;
      m_cubin.archSpecific = (m_cubin.flags & 0x800) != 0; // ptxas 12.1 to 12.9
      m_cubin.toolkit = "CUDA " + std::to_string(version / 10) + '.' + std::to_string(version % 10);
      break;
    case 8:
      m_cubin.sm = m_cubin.flags >> 8 & 0xff;
      m_cubin.archSpecific = (m_cubin.flags & 0x8) != 0; // ptxas 12.8 and 12.9; those of 13 write .nv.compat
      break;
    default:
      m_damage.add("ABI version " + std::to_string(m_cubin.abi) + " at " + place(8) +
                   " is neither 7 nor 8, so the architecture is not known");
    }
    return true;
  }

  // --- 2. Sections and symbols with their names; from here on indexes into both can be checked. ---

  void readSections() {
    const uint64_t table = m_file.sectionsOffset;
    if (table == 0) return;
    if (table >= m_bytes.size()) {
      m_damage.add("the section table at " + place(table) + " is past the end of the image at " +
                   place(m_bytes.size()));
      return;
    }
    if (m_file.sectionEntrySize != m_file.sectionSize()) {
      m_damage.add("the section header size of " + std::to_string(m_file.sectionEntrySize) + " bytes at " + place(58) +
                   " is not 64");
      return;
    }
    // Numbers that do not fit the header are in the first section (ELF: e_shnum, e_shstrndx).
    if (m_sectionCount == 0) m_sectionCount = m_file.section(table).size;
    if (m_nameSection == elf::SHN_XINDEX) m_nameSection = m_file.section(table).link;
    const uint64_t count =
        std::min({m_sectionCount, (m_bytes.size() - table) / m_file.sectionSize(), limits::kSections});
    if (count < m_sectionCount)
      m_damage.add(std::to_string(m_sectionCount) + " sections are declared, but only " + std::to_string(count) +
                   " were read");
    std::vector<uint32_t> names;
    m_cubin.sections.reserve(count);
    names.reserve(count);
    for (uint64_t i = 0; i < count; ++i) {
      const elf::SectionHeader header = m_file.section(table + i * m_file.sectionSize());
      m_cubin.sections.push_back(sectionOf(header));
      names.push_back(header.name);
    }
    if (m_nameSection >= count) {
      m_damage.add("the section names are declared in section " + std::to_string(m_nameSection) + " of " +
                   std::to_string(count));
      return;
    }
    const Bytes strings = contentOf(m_cubin.sections[m_nameSection]);
    for (uint64_t i = 0; i < count; ++i) {
      CubinSection& section = m_cubin.sections[i];
      section.name = nameAt(strings, names[i]);
      if (section.type != elf::SHT_NULL && section.type != elf::SHT_NOBITS && section.extent.size < section.size)
        m_damage.add("section " + std::to_string(i) + " '" + escapedWithin(section.name.view(), 100) + "' at " +
                     place(section.extent.offset) + " needs " + std::to_string(section.size) + " bytes, but only " +
                     std::to_string(section.extent.size) + " are there");
    }
  }

  CubinSection sectionOf(const elf::SectionHeader& header) const {
    const uint64_t from = std::min(header.offset, m_bytes.size());
    CubinSection section;
    section.type = header.type;
    section.flags = header.flags;
    section.extent = {from, std::min(header.file().size, m_bytes.size() - from)};
    section.size = header.size;
    section.link = header.link;
    section.info = header.info;
    return section;
  }

  Bytes contentOf(const CubinSection& section) const {
    return m_bytes.slice(section.extent.offset, section.extent.size);
  }

  static Bytes nameAt(const Bytes& strings, uint64_t offset) {
    const Bytes rest = strings.slice(offset, kNameLength);
    return rest.slice(0, std::min<uint64_t>(rest.view().find('\0'), rest.size()));
  }

  void readSymbols() {
    const auto table = std::find_if(m_cubin.sections.begin(), m_cubin.sections.end(),
                                    [](const CubinSection& section) { return section.type == elf::SHT_SYMTAB; });
    if (table == m_cubin.sections.end()) return;
    const bool named = table->link < m_cubin.sections.size();
    if (!named)
      m_damage.add("the symbol names are declared in section " + std::to_string(table->link) +
                   ", which does not exist");
    const Bytes strings = named ? contentOf(m_cubin.sections[table->link]) : Bytes();
    const uint64_t announced = table->extent.size / m_file.symbolSize();
    const uint64_t count = std::min(announced, Cubin::kSymbols);
    if (count < announced)
      m_damage.add(groupedText(announced) + " symbols, more than the limit of " + groupedText(Cubin::kSymbols));
    m_cubin.symbols.reserve(count);
    for (uint64_t i = 0; i < count; ++i) {
      const elf::Symbol stored = m_file.symbol(table->extent.offset + i * m_file.symbolSize());
      CubinSymbol symbol;
      symbol.name = nameAt(strings, stored.name);
      symbol.value = stored.value;
      symbol.size = stored.size;
      symbol.info = stored.info;
      symbol.other = stored.other;
      symbol.section = stored.section;
      m_cubin.symbols.push_back(std::move(symbol));
    }
  }

  // --- 3. The list of kernels, which does not grow after this. ---

  void findKernels() {
    constexpr std::string_view kText = ".text.";
    const auto& sections = m_cubin.sections;
    std::vector<uint32_t> entrySymbol(sections.size(), kNone);
    m_kernelOfSymbol.assign(m_cubin.symbols.size(), kNone);
    for (uint32_t i = 0; i < m_cubin.symbols.size(); ++i) {
      const CubinSymbol& symbol = m_cubin.symbols[i];
      if ((symbol.info & 0xf) != elf::STT_FUNC || !(symbol.other & 0x10) || symbol.section >= sections.size()) continue;
      const std::string_view name = sections[symbol.section].name.view();
      if (name.starts_with(kText) && name.substr(kText.size()) == symbol.name.view() &&
          entrySymbol[symbol.section] == kNone)
        entrySymbol[symbol.section] = i;
    }
    m_kernelOfSection.assign(sections.size(), kNone);
    for (uint32_t i = 0; i < sections.size(); ++i) {
      const CubinSection& section = sections[i];
      // Without symbols each section of code is treated as a kernel.
      if (section.type != elf::SHT_PROGBITS || !section.name.view().starts_with(kText)) continue;
      if (entrySymbol[i] == kNone && !m_cubin.symbols.empty()) continue;
      const auto number = static_cast<uint32_t>(m_cubin.kernels.size());
      CubinKernel kernel;
      kernel.name = section.name.slice(kText.size());
      kernel.extent = section.extent;
      kernel.code = contentOf(section);
      if (m_cubin.abi == 7) {
        kernel.registers = section.info >> 24;
        kernel.barriers = static_cast<uint32_t>(section.flags >> 20 & 0x7f);
      }
      m_kernelOfSection[i] = number;
      if (entrySymbol[i] != kNone) m_kernelOfSymbol[entrySymbol[i]] = number;
      m_cubin.kernels.push_back(std::move(kernel));
    }
    for (uint32_t i = 0; i < m_cubin.kernels.size(); ++i) m_kernelOfName.emplace(m_cubin.kernels[i].name.view(), i);
  }

  /// The kernel that a section `PREFIX K` belongs to: by the code section that it names, else by its own name.
  CubinKernel* kernelOf(const CubinSection& section, std::string_view prefix) {
    const std::string_view name = section.name.view();
    if (!name.starts_with(prefix)) return nullptr;
    if (section.info < m_kernelOfSection.size() && m_kernelOfSection[section.info] != kNone)
      return &m_cubin.kernels[m_kernelOfSection[section.info]];
    const auto found = m_kernelOfName.find(name.substr(prefix.size()));
    return found == m_kernelOfName.end() ? nullptr : &m_cubin.kernels[found->second];
  }

  // --- 4. Sizes of the kernels' own sections. ---

  void readKernelSections() {
    const bool reserved = m_cubin.sm.value_or(0) >= 90;
    for (const CubinSection& section : m_cubin.sections) {
      if (CubinKernel* const kernel = kernelOf(section, ".nv.shared."))
        kernel->sharedBytes = reserved ? section.size - std::min(section.size, kReservedShared) : section.size;
      else if (CubinKernel* const user = kernelOf(section, ".nv.constant0."))
        user->constantBytes = section.size;
    }
  }

  // --- 5. Records. ---

  void readInfo() {
    for (const CubinSection& section : m_cubin.sections) {
      const std::string_view name = section.name.view();
      if (name == ".nv.info") {
        forEachRecord(section, [this](const InfoRecord& record) { readGlobalRecord(record); });
      } else if (name == ".nv.compat") {
        forEachRecord(section, [this](const InfoRecord& record) {
          if (record.attribute == 0x09 && record.format == 2 && (record.number & 0xff) == 1)
            m_cubin.archSpecific = true;
        });
      } else if (CubinKernel* const kernel = kernelOf(section, ".nv.info.")) {
        forEachRecord(section, [&](const InfoRecord& record) { readKernelRecord(record, *kernel); });
      }
    }
    if (m_misnumbered) {
      for (CubinKernel& kernel : m_cubin.kernels) {
        if (m_cubin.abi != 7) kernel.registers.reset(); // ABI 7 has them in the section of code, too
        kernel.frame = kernel.minStack = kernel.maxStack = std::nullopt;
      }
      m_damage.add("records in '.nv.info' refer to symbols that are no functions, as after llvm-objcopy, so the "
                   "registers and the stack of kernels are not known");
    }
    for (CubinKernel& kernel : m_cubin.kernels)
      std::stable_sort(kernel.parameters.begin(), kernel.parameters.end(),
                       [](const auto& a, const auto& b) { return a.ordinal < b.ordinal; });
  }

  template <class F> void forEachRecord(const CubinSection& section, const F& use) {
    // Overlapping sections would be read several times; in real images they are together shorter than the image.
    if (section.extent.size > m_infoLeft) {
      m_damage.add("records at " + place(section.extent.offset) + " are not read: the sections of records overlap");
      return;
    }
    m_infoLeft -= section.extent.size;
    Reader reader(contentOf(section));
    while (reader.left() > 0) {
      const uint64_t position = section.extent.offset + reader.position();
      InfoRecord record;
      record.format = reader.number<uint8_t>("format");
      record.attribute = reader.number<uint8_t>("attribute");
      record.number = reader.number<uint16_t>("value");
      if (record.format == 4) record.payload = reader.raw("payload", record.number);
      if (!reader.ok() || record.format < 1 || record.format > 4) {
        m_damage.add("record at " + place(position) + " in '" + escapedWithin(section.name.view(), 100) + "': " +
                     (reader.ok() ? "format " + std::to_string(record.format) + " is not 1 to 4" : "it is truncated"));
        return;
      }
      use(record);
    }
  }

  void readGlobalRecord(const InfoRecord& record) {
    if (record.format != 4) return;
    const auto first = record.word(0), second = record.word(1);
    if (!first) return;
    if (record.attribute == 0x37) m_cubin.apiVersion = first;
    if (!second || *first >= m_kernelOfSymbol.size()) return;
    // Tools for other machines sort the symbols and leave the numbers in these records as they were.
    if (record.attribute == 0x2f && (m_cubin.symbols[*first].info & 0xf) != elf::STT_FUNC) m_misnumbered = true;
    if (m_kernelOfSymbol[*first] == kNone) return;
    CubinKernel& kernel = m_cubin.kernels[m_kernelOfSymbol[*first]];
    switch (record.attribute) {
    case 0x2f:
      if (m_cubin.abi != 7 || kernel.registers.value_or(0) == 0) kernel.registers = second;
      break;
    case 0x11: kernel.frame = second; break;
    case 0x12: kernel.minStack = second; break;
    case 0x23: kernel.maxStack = second; break;
    default: break;
    }
  }

  void readKernelRecord(const InfoRecord& record, CubinKernel& kernel) {
    switch (record.attribute << 8 | record.format) {
    case 0x1704: readParameter(record, kernel); break;
    case 0x1903: kernel.parameterBytes = record.number; break;
    case 0x0a04:
      if (const auto place = record.word(1)) kernel.parameterBase = *place & 0xffff;
      break;
    case 0x0504: kernel.maxThreads = record.dimensions(); break;
    case 0x1004: kernel.requiredBlock = record.dimensions(); break;
    case 0x3d04: kernel.cluster = record.dimensions(); break;
    case 0x3e01: kernel.explicitCluster = true; break;
    case 0x3f04: kernel.maxClusterRank = record.word(0); break;
    case 0x1b03: kernel.registerCap = record.number; break;
    case 0x4c02: kernel.barriers = record.number & 0xff; break;
    case 0x2b01: kernel.tensorCores = true; break;
    case 0x2804:
    case 0x2904: kernel.shuffles = true; break;
    case 0x3704:
      if (const auto version = record.word(0)) m_cubin.apiVersion = version;
      break;
    default: break;
    }
  }

  static void readParameter(const InfoRecord& record, CubinKernel& kernel) {
    const auto place = record.word(1), word = record.word(2);
    if (place && word) kernel.parameters.push_back({*place & 0xffff, *place >> 16, *word >> 18});
  }

  // --- 6. Notes of ABI 8. ---

  void readNotes() {
    for (const CubinSection& section : m_cubin.sections) {
      if (section.type != elf::SHT_NOTE) continue;
      const bool tools = section.name.view() == ".note.nv.tkinfo";
      if (!tools && section.name.view() != ".note.nv.cuinfo") continue;
      Reader reader(contentOf(section));
      const auto ownerSize = reader.number<uint32_t>("owner size");
      const auto size = reader.number<uint32_t>("size");
      const auto type = reader.number<uint32_t>("type");
      reader.raw("owner", (uint64_t{ownerSize} + 3) / 4 * 4);
      const Bytes content = reader.raw("content", size);
      if (!reader.ok()) {
        m_damage.add("the note at " + place(section.extent.offset) + " is truncated");
        continue;
      }
      if (tools && type == 0x7d0) readTools(content);
      if (!tools && type == 0x3e8) readVersion(content);
    }
  }

  /// Six u32 (2; offsets of object name, tool, release, build, options), then the strings, from whose start the offsets
  /// count. Source: seen in output of CUDA 13.0.
  void readTools(const Bytes& content) {
    Reader reader(content);
    reader.seek(12);
    const auto release = reader.number<uint32_t>("release");
    const auto build = reader.number<uint32_t>("build");
    const auto options = reader.number<uint32_t>("options");
    if (!reader.ok()) return;
    const Bytes strings = content.slice(24);
    m_cubin.toolkit = escapedWithin(nameAt(strings, release).view(), 200);
    m_cubin.build = nameAt(strings, build);
    // NVRTC contains ptxas and names it in the note, but has no build of its own. Seen: NVRTC 13.5.
    if (m_cubin.build.view() == "Build system must define TOOLS_VERSION_EXTENDED")
      m_cubin.toolkit = "compiled by NVRTC: " + m_cubin.toolkit;
    m_cubin.commandLine = nameAt(strings, options);
  }

  /// u16 2, sm number, API version, 0.
  void readVersion(const Bytes& content) {
    Reader reader(content);
    reader.seek(4);
    const auto version = reader.number<uint16_t>("api_version");
    if (reader.ok() && !m_cubin.apiVersion) m_cubin.apiVersion = version;
  }

  Bytes m_bytes;
  Cubin m_cubin;
  DamageList m_damage;
  elf::File m_file;
  uint64_t m_sectionCount = 0, m_nameSection = 0;
  bool m_misnumbered = false;                                ///< records name symbols by other numbers than the table
  uint64_t m_infoLeft;                                       ///< bytes of records that may still be read
  std::vector<uint32_t> m_kernelOfSection, m_kernelOfSymbol; ///< kNone: none
  std::unordered_map<std::string_view, uint32_t> m_kernelOfName;
};

} // namespace

std::optional<uint32_t> CubinKernel::stackBytes() const { return std::max({frame, minStack, maxStack}); }

std::optional<uint64_t> CubinKernel::blockThreads() const {
  const auto& block = requiredBlock ? requiredBlock : maxThreads;
  if (!block) return std::nullopt;
  const auto plane = checkedMultiply((*block)[0], (*block)[1]);
  return plane ? checkedMultiply(*plane, (*block)[2]) : std::nullopt;
}

std::string Cubin::architecture() const {
  return sm ? "sm_" + std::to_string(*sm) + (archSpecific ? "a" : "") : std::string();
}

const CubinKernel* Cubin::find(std::string_view kernel) const {
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [&](const CubinKernel& k) { return k.name.view() == kernel; });
  return found == kernels.end() ? nullptr : &*found;
}

Cubin readCubin(const Bytes& bytes) { return CubinReader(bytes).read(); }

std::vector<std::string> cubinWords(const Bytes& bytes) {
  const std::string architecture = readCubin(bytes).architecture();
  return {architecture.empty() ? "cubin" : "cubin " + architecture};
}

} // namespace blobscope::payloads
