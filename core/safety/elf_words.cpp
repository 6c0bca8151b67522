#include "core/container/elf/file.h"
#include "core/container/number_at.h"
#include "core/requirements/import_facts.h"
#include "core/safety/address_space.h"

#include <algorithm>

namespace blobscope::safety {
namespace {

namespace elf = container::elf;

constexpr uint64_t kRelocations = 4'000'000;

/// Types of relocations per machine that fill a word with an address. Source: the processor supplements of the System V
/// ABI; for i386, ARM and RISC-V only what chooses a function is needed.
struct Types {
  uint16_t machine = 0;
  uint32_t absolute = 0, globalData = 0, jumpSlot = 0, relative = 0, irelative = 0;
};
constexpr Types kTypes[] = {{elf::EM_X86_64, 1, 6, 7, 8, 37},
                            {elf::EM_AARCH64, 257, 1025, 1026, 1027, 1032},
                            {elf::EM_386, 1, 6, 7, 8, 42},
                            {elf::EM_ARM, 2, 21, 22, 23, 160},
                            {elf::EM_RISCV, 2, 2, 5, 3, 58}};
constexpr uint32_t kNone = 0, kArm64None = 256;

class ElfWords {
public:
  ElfWords(AddressSpace& space, Monitor& monitor) : m_space(space), m_image(space.image()), m_monitor(monitor) {}

  Result<Done> read() {
    auto header = elf::File::readHeader(m_image.file);
    if (!header) return Done{};
    // Tables of a crafted file may share their bytes.
    m_limit = std::min(kRelocations, m_image.file.size() / 8);
    m_file = std::move(*header);
    m_file.readTables();
    for (const Types& types : kTypes)
      if (types.machine == m_file.machine) m_types = types;
    if (m_image.kind == container::Kind::Object) return readObject();
    const bool plain = valueOf(elf::DT_PLTREL) == elf::DT_RELA;
    BLOBSCOPE_CHECK(readTable(valueOf(elf::DT_RELA), valueOf(elf::DT_RELASZ), true));
    BLOBSCOPE_CHECK(readTable(valueOf(elf::DT_REL), valueOf(elf::DT_RELSZ), false));
    BLOBSCOPE_CHECK(readTable(valueOf(elf::DT_JMPREL), valueOf(elf::DT_PLTRELSZ), plain));
    return readIfuncs();
  }

private:
  uint64_t valueOf(uint64_t tag) const {
    const elf::DynamicTag* const found = m_file.findTag(tag);
    return found ? found->value : 0;
  }
  uint64_t numberIn(const Bytes& bytes, uint64_t at, unsigned size) const {
    return container::numberAt(bytes.view(), at, size, m_file.bigEndian);
  }
  bool mustStop() { return m_read++ % 4'096 == 0 && m_monitor.stopRequested(); }

  Result<Done> readTable(uint64_t address, uint64_t size, bool withAddend) {
    const auto found = address == 0 ? std::nullopt : m_image.findBytesAt(address);
    if (!found) return Done{};
    const Bytes table = found->slice(0, size);
    const auto word = static_cast<unsigned>(m_file.wordSize());
    const uint64_t entry = (withAddend ? 3 : 2) * uint64_t{word};
    for (uint64_t at = 0; at + entry <= table.size() && m_read < m_limit; at += entry) {
      if (mustStop()) return Error(DiagnosticId::Cancelled, {});
      const uint64_t place = numberIn(table, at, word), info = numberIn(table, at + word, word);
      const uint64_t symbol = m_file.is64 ? info >> 32 : info >> 8;
      const uint64_t type = m_file.is64 ? info & UINT32_MAX : info & 0xff;
      uint64_t addend = withAddend ? numberIn(table, at + 2 * uint64_t{word}, word) : 0;
      // Without addends, these words contain something else before they are filled.
      if (!withAddend && type != m_types.globalData && type != m_types.jumpSlot)
        if (const auto stored = m_image.findBytesAt(place)) addend = numberIn(*stored, 0, word);
      if (m_space.isCode(place)) m_space.setTextRelocations();
      addWord(place, symbol, type, addend);
    }
    return Done{};
  }

  void addWord(uint64_t place, uint64_t symbol, uint64_t type, uint64_t addend) {
    if (type == kNone || type == kArm64None) return;
    if (type == m_types.irelative) {
      m_space.addResolver(addend);
      m_space.setWord(place, {0, "(chosen by the resolver)"});
    } else if (type == m_types.relative) {
      m_space.setWord(place, {addend, {}});
    } else if (type != m_types.absolute && type != m_types.globalData && type != m_types.jumpSlot) {
      m_space.setWord(place, {0, {}}); // no address, or one that is not followed
    } else if (symbol == 0) {
      m_space.setWord(place, {addend, {}});
    } else if (symbol <= m_image.symbols.size()) { // entry 0 is the null symbol, which the image omits
      const container::Symbol& target = m_image.symbols[symbol - 1];
      if (target.defined)
        m_space.setWord(place, {target.value + addend, {}});
      else if (addend == 0)
        m_space.setWord(place, {0, target.name.substr(0, 4'096)});
      else
        m_space.setWord(place, {0, {}}); // another function than the named one
    }
  }

  /// Symbols of type STT_GNU_IFUNC: the loader calls them when another symbol is bound to them.
  Result<Done> readIfuncs() {
    const auto table = m_image.findBytesAt(valueOf(elf::DT_SYMTAB));
    if (!table) return Done{};
    const uint64_t offset = static_cast<uint64_t>(table->data() - m_image.file.data());
    for (uint64_t i = 0; i < m_image.symbols.size() && m_image.symbols[i].dynamic; ++i) {
      if (mustStop()) return Error(DiagnosticId::Cancelled, {});
      const elf::Symbol symbol = m_file.symbol(offset + (i + 1) * m_file.symbolSize());
      if ((symbol.info & 15) == elf::STT_GNU_IFUNC && symbol.section != elf::SHN_UNDEF)
        m_space.addResolver(symbol.value);
    }
    return Done{};
  }

  // --- object files: each relocation section names the section that it changes.
  Result<Done> readObject() {
    for (const elf::SectionHeader& header : m_file.sections) {
      if (header.type != elf::SHT_RELA && header.type != elf::SHT_REL) continue;
      if (header.info == 0 || header.info >= m_file.sections.size() || header.link >= m_file.sections.size()) continue;
      const elf::SectionHeader& changed = m_file.sections[header.info];
      if (!changed.allocated()) continue;
      BLOBSCOPE_CHECK(readSection(header, m_file.sections[header.link]));
    }
    return Done{};
  }
  Result<Done> readSection(const elf::SectionHeader& table, const elf::SectionHeader& symbols) {
    const bool withAddend = table.type == elf::SHT_RELA;
    const auto word = static_cast<unsigned>(m_file.wordSize());
    const uint64_t entry = (withAddend ? 3 : 2) * uint64_t{word};
    const Bytes bytes = m_image.file.slice(table.offset, table.size);
    for (uint64_t at = 0; at + entry <= bytes.size() && m_read < m_limit; at += entry) {
      if (mustStop()) return Error(DiagnosticId::Cancelled, {});
      const uint64_t offset = numberIn(bytes, at, word), info = numberIn(bytes, at + word, word);
      const uint64_t number = m_file.is64 ? info >> 32 : info >> 8;
      const elf::Symbol symbol = m_file.symbol(symbols.offset + number * m_file.symbolSize());
      const uint64_t place = AddressSpace::sectionAddress(table.info) + offset;
      if (number == 0 || number >= symbols.size / m_file.symbolSize()) continue;
      if (symbol.section == elf::SHN_UNDEF) {
        m_space.setWord(place, {0, nameOf(symbols, symbol)});
        continue;
      }
      if (symbol.section >= m_file.sections.size()) continue;
      uint64_t addend = withAddend ? numberIn(bytes, at + 2 * uint64_t{word}, word) : 0;
      // Distances of x86-64 count from the end of their four bytes.
      const uint64_t type = m_file.is64 ? info & UINT32_MAX : info & 0xff;
      if (m_file.machine == elf::EM_X86_64 && (type == 2 || type == 4)) addend += 4; // R_X86_64_PC32, _PLT32
      m_space.setWord(place, {AddressSpace::sectionAddress(symbol.section) + symbol.value + addend, {}});
    }
    return Done{};
  }
  std::string_view nameOf(const elf::SectionHeader& symbols, const elf::Symbol& symbol) const {
    if (symbols.link >= m_file.sections.size()) return {};
    const elf::SectionHeader& strings = m_file.sections[symbols.link];
    const std::string_view text = m_image.file.slice(strings.offset, strings.size).view();
    if (symbol.name >= text.size()) return {};
    const std::string_view rest = text.substr(symbol.name, 4'096);
    return rest.substr(0, rest.find('\0'));
  }

  AddressSpace& m_space;
  const container::Image& m_image;
  Monitor& m_monitor;
  elf::File m_file;
  Types m_types{};
  uint64_t m_read = 0, m_limit = 0;
};

} // namespace

Result<Done> addElfWords(AddressSpace& space, Monitor& monitor) { return ElfWords(space, monitor).read(); }

Result<Done> addMachOWords(AddressSpace& space, Monitor& monitor) {
  BLOBSCOPE_TRY(facts, requirements::readImportFacts(space.image(), monitor));
  for (const auto& [address, stored] : facts.places)
    space.setWord(address,
                  {0, space.own(space.image().underscores && stored.starts_with('_') ? stored.substr(1) : stored)});
  return Done{};
}

} // namespace blobscope::safety
