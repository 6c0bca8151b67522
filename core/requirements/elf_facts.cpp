#include "core/requirements/elf_facts.h"

#include "core/base/text.h"
#include "core/container/elf/file.h"

#include <algorithm>
#include <charconv>

namespace blobscope::requirements {
namespace {

namespace elf = container::elf;

constexpr std::size_t kListed = 1'024;       // maximum of needed libraries, of run paths
constexpr std::size_t kNameBytes = 4'096;    // maximum length of a name
constexpr std::size_t kPlaces = 4'000'000;   // maximum of words that relocations fill
constexpr uint64_t kVersionEntries = 65'536; // maximum of versions; the number of a version has 16 bits

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
    m_out.data.resize(m_dynamicSymbols);
    m_out.damage = damage();
    m_strings = bytesAt(valueOf(elf::DT_STRTAB), valueOf(elf::DT_STRSZ));
    readTags();
    BLOBSCOPE_CHECK(readVersions());
    BLOBSCOPE_CHECK(readRelocations());
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
    const std::string_view rest = m_strings.view().substr(offset, kNameBytes);
    return std::string(rest.substr(0, rest.find('\0')));
  }
  uint64_t numberIn(const Bytes& bytes, uint64_t at, unsigned size) const {
    if (!Extent{0, bytes.size()}.contains(Extent{at, size})) return 0;
    return m_file.number(static_cast<uint64_t>(bytes.data() - m_image.file.data()) + at, size);
  }

  /// Why the loader refuses the file. Source: glibc elf/dl-load.c, open_verify and _dl_map_object_from_fd.
  std::string damage() const {
    if (m_image.kind == container::Kind::Object) return {};
    if (!m_file.programsProblem.empty()) return "the program headers cannot be read: " + m_file.programsProblem;
    if (m_file.type != elf::ET_DYN)
      return "the file is not a shared library: its type is " + std::to_string(m_file.type);
    for (std::size_t i = 0; i < m_file.programs.size(); ++i) {
      const elf::ProgramHeader& header = m_file.programs[i];
      const bool used = header.type == elf::PT_LOAD || header.type == elf::PT_DYNAMIC;
      if (used && header.fileSize > 0 && !Extent{0, m_file.bytes.size()}.contains(header.file()))
        return "the segment of program header " + std::to_string(i) + " at " + hexText(header.offset) + " with " +
               countText(header.fileSize, "byte") + " extends past the end of the file at " +
               hexText(m_file.bytes.size());
    }
    if (!m_file.dynamicProblem.empty()) return m_file.dynamicProblem;
    if (m_file.loads().empty()) return "it has no segment that is loaded";
    if (valueOf(elf::DT_FLAGS_1) & elf::DF_1_PIE) return "the file is a program, not a shared library";
    return {};
  }

  void readTags() {
    for (const elf::DynamicTag& tag : m_file.dynamic) {
      const auto add = [&](std::vector<std::string>& list) {
        if (list.size() < kListed) list.push_back(stringAt(tag.value));
      };
      if (tag.tag == elf::DT_NEEDED) add(m_out.needed);
      if (tag.tag == elf::DT_RPATH || tag.tag == elf::DT_RUNPATH) add(m_out.runPaths);
      if (tag.tag == elf::DT_BIND_NOW || (tag.tag == elf::DT_FLAGS && tag.value & elf::DF_BIND_NOW) ||
          (tag.tag == elf::DT_FLAGS_1 && tag.value & elf::DF_1_NOW))
        m_out.bindsAtOnce = true;
    }
  }

  /// DT_VERNEED: for each library a list of versions, each with the number that DT_VERSYM stores per symbol.
  Result<Done> readVersions() {
    const Bytes needs = bytesAt(valueOf(elf::DT_VERNEED), UINT64_MAX),
                numbers = bytesAt(valueOf(elf::DT_VERSYM), 2 * (m_dynamicSymbols + 1));
    const uint64_t libraries = std::min(valueOf(elf::DT_VERNEEDNUM), kVersionEntries);
    std::unordered_map<uint64_t, std::string> names;
    uint64_t read = 0;
    for (uint64_t i = 0, at = 0; i < libraries && at < needs.size(); ++i) {
      const uint64_t count = numberIn(needs, at + 2, 2), next = numberIn(needs, at + 12, 4);
      uint64_t entry = at + numberIn(needs, at + 8, 4);
      for (uint64_t j = 0; j < count && read < kVersionEntries && entry < needs.size(); ++j, ++read) {
        if (read % 4'096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        std::string name = stringAt(numberIn(needs, entry + 8, 4));
        addGlibc(name);
        names.try_emplace(numberIn(needs, entry + 6, 2) & 0x7fff, std::move(name));
        const uint64_t step = numberIn(needs, entry + 12, 4);
        if (step == 0) break;
        entry += step;
      }
      if (next == 0) break;
      at += next;
    }
    for (uint64_t i = 0; i < m_dynamicSymbols && !names.empty(); ++i) {
      if (i % 4'096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      if (m_image.symbols[i].defined) continue;
      const auto found = names.find(numberIn(numbers, 2 * (i + 1), 2) & 0x7fff);
      if (found != names.end()) m_out.versions[i] = found->second;
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
    const bool plain = valueOf(elf::DT_PLTREL) == elf::DT_RELA;
    BLOBSCOPE_CHECK(readTable(valueOf(elf::DT_RELA), valueOf(elf::DT_RELASZ), true, false));
    BLOBSCOPE_CHECK(readTable(valueOf(elf::DT_REL), valueOf(elf::DT_RELSZ), false, false));
    return readTable(valueOf(elf::DT_JMPREL), valueOf(elf::DT_PLTRELSZ), plain, true);
  }

  /// `late`: the table of functions that are bound at their first call.
  Result<Done> readTable(uint64_t address, uint64_t size, bool withAddend, bool late) {
    const uint64_t word = m_file.wordSize(), entry = (withAddend ? 3 : 2) * word;
    const Bytes table = bytesAt(address, size);
    for (uint64_t at = 0; at + entry <= table.size(); at += entry) {
      if (m_read++ % 4'096 == 0) {
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        m_monitor.progress("reading relocations", at, table.size());
      }
      const uint64_t place = numberIn(table, at, static_cast<unsigned>(word)),
                     info = numberIn(table, at + word, static_cast<unsigned>(word));
      uint64_t symbol = m_file.is64 ? info >> 32 : info >> 8;
      // MIPS stores the symbol first, whatever the byte order (LLVM ELFTypes.h, isMips64EL).
      if (m_file.machine == elf::EM_MIPS && m_file.is64 && !m_file.bigEndian) symbol = info & UINT32_MAX;
      if (symbol == 0 || symbol > m_dynamicSymbols) continue; // entry 0 is the null symbol
      --symbol;
      if (!late) m_out.data[symbol] = true;
      if (m_out.places.size() < kPlaces) m_out.places.emplace(place, static_cast<uint32_t>(symbol));
    }
    return Done{};
  }

  const container::Image& m_image;
  Monitor& m_monitor;
  elf::File m_file;
  Bytes m_strings;
  uint64_t m_dynamicSymbols = 0, m_read = 0;
  std::vector<uint32_t> m_glibc;
  ElfFacts m_out;
};

} // namespace

Result<ElfFacts> readElfFacts(const container::Image& image, Monitor& monitor) { return Facts(image, monitor).read(); }

} // namespace blobscope::requirements
