#include "core/write/elf/references.h"

#include "core/container/number_at.h"

#include <algorithm>

namespace blobscope::write::elf {
namespace {

constexpr uint64_t kStep = 1 << 20;

/// Whether the value of a relocation is an offset in thread-local storage or a module number instead of an address.
/// Source: elf.h.
bool isThreadLocal(uint16_t machine, uint32_t type) {
  switch (machine) {
  case EM_X86_64: return type == 16 || type == 17 || type == 18 || type == 36; // DTPMOD64, DTPOFF64, TPOFF64, TLSDESC
  case EM_386: return type == 14 || type == 35 || type == 36 || type == 37 || type == 41; // TLS_TPOFF, …, TLS_DESC
  case EM_AARCH64: return type >= 1028 && type <= 1031;                                   // TLS_DTPMOD … TLSDESC
  default: return false;
  }
}

class Scan {
public:
  Scan(const File& file, Extent blob, const DynamicSymbols& symbols, std::span<const uint64_t> starts, Monitor& monitor)
      : m_file(file), m_blob(blob), m_symbols(symbols), m_starts(starts), m_monitor(monitor), m_map(file) {}

  Result<References> run() {
    BLOBSCOPE_CHECK(relocations());
    BLOBSCOPE_CHECK(code());
    return std::move(m_found);
  }

private:
  static Error refuse(const std::string& reason) {
    return Error(DiagnosticId::PlanLayout, {arg("format", "ELF"), arg("reason", reason)});
  }

  uint64_t valueOf(uint64_t tag) const {
    const DynamicTag* const found = m_file.findTag(tag);
    return found ? found->value : 0;
  }

  /// Counts scanned bytes and checks for a request to stop every kStep bytes.
  bool stopped(uint64_t bytes) {
    m_scanned += bytes;
    if (m_scanned < m_next) return false;
    m_next = m_scanned + kStep;
    m_monitor.progress("looking for references to the blob", 0, 0);
    return m_monitor.stopRequested();
  }

  // --- 1. Relocations. ----------------------------------------------------------------------------------------------
  Result<Done> relocations() {
    if (m_file.findTag(DT_ANDROID_REL) || m_file.findTag(DT_ANDROID_RELA))
      return refuse("its relocations are packed in Android's format, so references to the blob cannot be found");
    BLOBSCOPE_CHECK(table(valueOf(DT_RELA), valueOf(DT_RELASZ), true));
    BLOBSCOPE_CHECK(table(valueOf(DT_REL), valueOf(DT_RELSZ), false));
    BLOBSCOPE_CHECK(table(valueOf(DT_JMPREL), valueOf(DT_PLTRELSZ), valueOf(DT_PLTREL) == DT_RELA));
    BLOBSCOPE_CHECK(relative(valueOf(DT_RELR), valueOf(DT_RELRSZ)));
    return relative(valueOf(DT_ANDROID_RELR), valueOf(DT_ANDROID_RELRSZ));
  }

  Result<Done> table(uint64_t address, uint64_t size, bool withAddend) {
    if (address == 0 || size == 0) return Done{};
    const auto offset = m_map.offsetOf(address, size);
    if (!offset)
      return refuse("its table of relocations at " + hexArg("", address).value + " is not completely in the file");
    const uint64_t word = m_file.wordSize(), entry = (withAddend ? 3 : 2) * word;
    for (uint64_t at = *offset; size >= entry; at += entry, size -= entry) {
      if (stopped(entry)) return Error(DiagnosticId::Cancelled, {});
      const uint64_t place = m_file.word(at), info = m_file.word(at + word);
      uint64_t symbol = m_file.is64 ? info >> 32 : info >> 8;
      const uint32_t type = static_cast<uint32_t>(m_file.is64 ? info & UINT32_MAX : info & 0xff);
      // MIPS stores the symbol first, whatever the byte order (LLVM ELFTypes.h, isMips64EL).
      if (m_file.machine == EM_MIPS && m_file.is64 && !m_file.bigEndian) symbol = info & UINT32_MAX;
      if (std::binary_search(m_symbols.moving.begin(), m_symbols.moving.end(), symbol)) continue;
      if (symbol == 0 && isThreadLocal(m_file.machine, type)) continue;
      uint64_t target = 0;
      if (withAddend) {
        target = m_file.word(at + 2 * word);
      } else if (const auto stored = m_map.offsetOf(place, word)) {
        target = m_file.word(*stored);
      }
      if (symbol != 0) {
        // A relocation against another symbol, for example of a section. An undefined symbol has the value 0 and can
        // resolve to any address.
        if (symbol >= m_symbols.count) continue;
        const Symbol other = m_file.symbol(m_symbols.offset + symbol * m_file.symbolSize());
        if (other.section == 0 || (other.info & 15) == 6) continue; // STT_TLS
        target += other.value;
      }
      if (!m_file.is64) target &= UINT32_MAX;
      if (m_blob.contains(target)) m_found.add(place, "relocation");
    }
    return Done{};
  }

  /// DT_RELR: an even word is an address, the bits of an odd one select further words to relocate. Source: gABI,
  /// "Relative Relocation Table" (generic-abi discussion, "Proposal for a new section type SHT_RELR").
  Result<Done> relative(uint64_t address, uint64_t size) {
    if (address == 0 || size == 0) return Done{};
    const auto offset = m_map.offsetOf(address, size);
    if (!offset)
      return refuse("its table of relative relocations at " + hexArg("", address).value +
                    " is not completely in the file");
    const uint64_t word = m_file.wordSize();
    uint64_t next = 0;
    const auto checkPlace = [&](uint64_t place) {
      const auto stored = m_map.offsetOf(place, word);
      if (stored && m_blob.contains(m_file.word(*stored))) m_found.add(place, "relocation");
    };
    for (uint64_t at = *offset; size >= word; at += word, size -= word) {
      if (stopped(64 * word)) return Error(DiagnosticId::Cancelled, {});
      const uint64_t entry = m_file.word(at);
      if (entry % 2 == 0) {
        checkPlace(entry);
        next = entry + word;
        continue;
      }
      for (uint64_t bit = 1; bit < 8 * word; ++bit)
        if (entry >> bit & 1) checkPlace(next + (bit - 1) * word);
      next += (8 * word - 1) * word;
    }
    return Done{};
  }

  // --- 2. Instructions. ---------------------------------------------------------------------------------------------
  Result<Done> code() {
    const auto processor = processorOf(m_file);
    if (!processor) return Done{};
    std::vector<CodePart> parts;
    const auto add = [&](Extent place, uint64_t address) {
      parts.push_back({m_file.bytes.slice(place.offset, place.size).view(), address});
    };
    for (const SectionHeader& section : m_file.sections)
      if (section.allocated() && section.flags & SHF_EXECINSTR && section.file().size > 0)
        add(section.file(), section.address);
    if (parts.empty())
      for (const ProgramHeader& load : m_file.loads())
        if (load.flags & 1) add(load.file(), load.address);
    // A crafted file can name the same code in each of thousands of sections.
    uint64_t total = 0;
    for (const CodePart& part : parts) total = Extent{total, part.bytes.size()}.end();
    if (total > m_file.bytes.size()) return refuse("its code sections overlap");
    return findInCode(*processor, parts, m_blob, tableBases(), m_starts, m_found, m_monitor);
  }

  static std::optional<Processor> processorOf(const File& file) {
    switch (file.machine) {
    case EM_X86_64: return file.is64 ? Processor::X86_64 : Processor::I386;
    case EM_386: return Processor::I386;
    case EM_AARCH64: return Processor::Aarch64;
    default: return std::nullopt;
    }
  }

  /// Returns the addresses to which code of i386 and of the larger code models of x86-64 is relative: the global offset
  /// table.
  std::vector<uint64_t> tableBases() const {
    std::vector<uint64_t> bases{valueOf(DT_PLTGOT), 0, 0};
    for (const SectionHeader& section : m_file.sections) {
      const std::string_view name = m_file.sectionName(section);
      if (name == ".got") bases[1] = section.address;
      if (name == ".got.plt") bases[2] = section.address;
    }
    return bases;
  }

  const File& m_file;
  const Extent m_blob;
  const DynamicSymbols& m_symbols;
  const std::span<const uint64_t> m_starts;
  Monitor& m_monitor;
  const AddressMap m_map;
  References m_found;
  uint64_t m_scanned = 0, m_next = 0;
};

} // namespace

Result<References> findReferences(const File& file, Extent blob, const DynamicSymbols& symbols,
                                  std::span<const uint64_t> starts, Monitor& monitor) {
  return Scan(file, blob, symbols, starts, monitor).run();
}

} // namespace blobscope::write::elf
