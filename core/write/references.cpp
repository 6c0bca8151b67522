#include "core/write/references.h"

#include "core/container/number_at.h"

#include <algorithm>
#include <array>

namespace blobscope::write::elf {
namespace {

// Tags of the tables of relocations. Source: elf.h; Android's: AOSP bionic libc/include/elf.h.
constexpr uint64_t kTagPltSize = 2, kTagGot = 3, kTagRela = 7, kTagRelaSize = 8, kTagRel = 17, kTagRelSize = 18, kTagPltKind = 20,
                   kTagPlt = 23, kTagRelrSize = 35, kTagRelr = 36, kTagAndroidRel = 0x6000000f, kTagAndroidRela = 0x60000011,
                   kTagAndroidRelr = 0x6fffe000, kTagAndroidRelrSize = 0x6fffe001;
constexpr uint64_t kStep = 1 << 20;

/// Relocations whose number is an offset in thread-local storage or a module's number, not an address. Source: elf.h.
bool isThreadLocal(uint16_t machine, uint32_t type) {
  switch (machine) {
  case kX86: return type == 16 || type == 17 || type == 18 || type == 36;                 // DTPMOD64, DTPOFF64, TPOFF64, TLSDESC
  case kI386: return type == 14 || type == 35 || type == 36 || type == 37 || type == 41; // TLS_TPOFF, …, TLS_DESC
  case kAarch64: return type >= 1028 && type <= 1031;                                    // TLS_DTPMOD … TLSDESC
  default: return false;
  }
}

class Scan {
public:
  Scan(const File& file, Extent blob, const DynamicSymbols& symbols, Monitor& monitor)
      : m_file(file), m_blob(blob), m_symbols(symbols), m_monitor(monitor), m_map(file) {}

  Result<References> run() {
    BLOBSCOPE_CHECK(relocations());
    BLOBSCOPE_CHECK(code());
    return std::move(m_found);
  }

private:
  static Error refuse(std::string reason) {
    return Error(DiagnosticId::PlanLayout, {arg("format", "ELF"), arg("reason", reason)});
  }

  uint64_t valueOf(uint64_t tag) const {
    const DynamicTag* const found = m_file.findTag(tag);
    return found ? found->value : 0;
  }

  void hit(uint64_t address, const char* kind) {
    if (m_found.count++ > 0) return;
    m_found.firstAddress = address;
    m_found.firstKind = kind;
  }

  /// Counts what was looked at and asks whether to stop once every kStep bytes.
  bool stopped(uint64_t bytes) {
    m_looked += bytes;
    if (m_looked < m_next) return false;
    m_next = m_looked + kStep;
    m_monitor.progress("looking for references to the blob", 0, 0);
    return m_monitor.stopRequested();
  }

  // --- 1. What the loader writes. -----------------------------------------------------------------------------------
  Result<Done> relocations() {
    if (m_file.findTag(kTagAndroidRel) || m_file.findTag(kTagAndroidRela))
      return refuse("its relocations are packed in Android's way, so that references to the blob cannot be looked for");
    BLOBSCOPE_CHECK(table(valueOf(kTagRela), valueOf(kTagRelaSize), true));
    BLOBSCOPE_CHECK(table(valueOf(kTagRel), valueOf(kTagRelSize), false));
    BLOBSCOPE_CHECK(table(valueOf(kTagPlt), valueOf(kTagPltSize), valueOf(kTagPltKind) == kTagRela));
    BLOBSCOPE_CHECK(relative(valueOf(kTagRelr), valueOf(kTagRelrSize)));
    return relative(valueOf(kTagAndroidRelr), valueOf(kTagAndroidRelrSize));
  }

  Result<Done> table(uint64_t address, uint64_t size, bool withAddend) {
    if (address == 0 || size == 0) return Done{};
    const auto offset = m_map.offsetOf(address, size);
    if (!offset) return refuse("its table of relocations at " + hexArg("", address).value + " is not all in the file");
    const uint64_t word = m_file.wordSize(), entry = (withAddend ? 3 : 2) * word;
    for (uint64_t at = *offset; size >= entry; at += entry, size -= entry) {
      if (stopped(entry)) return Error(DiagnosticId::Cancelled, {});
      const uint64_t place = m_file.word(at), info = m_file.word(at + word);
      uint64_t symbol = m_file.is64 ? info >> 32 : info >> 8;
      const uint32_t type = static_cast<uint32_t>(m_file.is64 ? info & UINT32_MAX : info & 0xff);
      // MIPS stores the symbol first, whatever the byte order (LLVM ELFTypes.h, isMips64EL).
      if (m_file.machine == kMips && m_file.is64 && !m_file.bigEndian) symbol = info & UINT32_MAX;
      if (std::binary_search(m_symbols.moving.begin(), m_symbols.moving.end(), symbol)) continue;
      if (symbol == 0 && isThreadLocal(m_file.machine, type)) continue;
      uint64_t target = 0;
      if (withAddend) {
        target = m_file.word(at + 2 * word);
      } else if (const auto stored = m_map.offsetOf(place, word)) {
        target = m_file.word(*stored);
      }
      if (symbol != 0) {
        // By another symbol, of a section for example. An undefined one has the value 0 and may lead anywhere.
        if (symbol >= m_symbols.count) continue;
        const Symbol other = m_file.symbol(m_symbols.offset + symbol * m_file.symbolSize());
        if (other.section == 0 || (other.info & 15) == 6) continue; // STT_TLS
        target += other.value;
      }
      if (!m_file.is64) target &= UINT32_MAX;
      if (m_blob.contains(target)) hit(place, "relocation");
    }
    return Done{};
  }

  /// DT_RELR: an even word is an address, an odd one says by its bits which of the next words are relocated too.
  /// Source: gABI, "Relative Relocation Table" (generic-abi discussion, "Proposal for a new section type SHT_RELR").
  Result<Done> relative(uint64_t address, uint64_t size) {
    if (address == 0 || size == 0) return Done{};
    const auto offset = m_map.offsetOf(address, size);
    if (!offset) return refuse("its table of relative relocations at " + hexArg("", address).value + " is not all in the file");
    const uint64_t word = m_file.wordSize();
    uint64_t next = 0;
    const auto look = [&](uint64_t place) {
      const auto stored = m_map.offsetOf(place, word);
      if (stored && m_blob.contains(m_file.word(*stored))) hit(place, "relocation");
    };
    for (uint64_t at = *offset; size >= word; at += word, size -= word) {
      if (stopped(64 * word)) return Error(DiagnosticId::Cancelled, {});
      const uint64_t entry = m_file.word(at);
      if (entry % 2 == 0) {
        look(entry);
        next = entry + word;
        continue;
      }
      for (uint64_t bit = 1; bit < 8 * word; ++bit)
        if (entry >> bit & 1) look(next + (bit - 1) * word);
      next += (8 * word - 1) * word;
    }
    return Done{};
  }

  // --- 2. What instructions compute. --------------------------------------------------------------------------------
  Result<Done> code() {
    const bool x86 = m_file.machine == kX86 || m_file.machine == kI386, arm = m_file.machine == kAarch64;
    if (!x86 && !arm) return Done{};
    m_found.codeRead = true;
    struct Code {
      Extent file;
      uint64_t address;
    };
    std::vector<Code> parts;
    for (const SectionHeader& section : m_file.sections)
      if (section.allocated() && section.flags & kExecutes && section.file().size > 0) parts.push_back({section.file(), section.address});
    if (parts.empty())
      for (const ProgramHeader& load : m_file.loads())
        if (load.flags & 1) parts.push_back({load.file(), load.address});
    // A hostile file names the same code in each of thousands of sections.
    uint64_t total = 0;
    for (const Code& part : parts) total = Extent{total, part.file.size}.end();
    if (total > m_file.bytes.size()) return refuse("its code sections overlap");
    for (const Code& part : parts) {
      const std::string_view text = m_file.bytes.slice(part.file.offset, part.file.size).view();
      for (uint64_t from = 0; from < text.size(); from += kStep) {
        if (stopped(kStep)) return Error(DiagnosticId::Cancelled, {});
        const uint64_t to = std::min<uint64_t>(from + kStep, text.size());
        if (arm)
          scanArm(text, from, to, part.address);
        else if (m_file.is64)
          scanX86(text, from, to, part.address);
        else
          scanI386(text, from, to, part.address);
      }
    }
    return Done{};
  }

  /// Addresses that code of i386 and of x86-64's larger code models counts from: the global offset table.
  std::array<uint64_t, 3> tableBases() const {
    std::array<uint64_t, 3> bases{valueOf(kTagGot), 0, 0};
    for (const SectionHeader& section : m_file.sections) {
      const std::string_view name = m_file.sectionName(section);
      if (name == ".got") bases[1] = section.address;
      if (name == ".got.plt") bases[2] = section.address;
    }
    return bases;
  }

  /// Any four bytes may be a displacement that counts from the end of its instruction, behind which an immediate of up
  /// to four bytes can stand. No disassembler: odds of a false alarm are 5·size/2³².
  void scanX86(std::string_view text, uint64_t from, uint64_t to, uint64_t address) {
    const auto bases = tableBases();
    const uint64_t start = m_blob.offset;
    for (uint64_t at = from; at < to && at + 4 <= text.size(); ++at) {
      const int64_t displacement = container::numberAt<int32_t>(text, at);
      const uint64_t behind = start - (address + at + 4 + static_cast<uint64_t>(displacement));
      if (behind <= 4 && behind != 3) hit(address + at, "instruction");
      // movabs with the distance from the table, as code of the medium and large models has it.
      if (at + 8 > text.size()) continue;
      const uint64_t wide = container::numberAt<uint64_t>(text, at);
      for (const uint64_t base : bases)
        if (base != 0 && wide == start - base) hit(address + at, "instruction");
    }
  }

  /// Code of a shared library counts from the table; addresses as they are have relocations.
  void scanI386(std::string_view text, uint64_t from, uint64_t to, uint64_t address) {
    const auto bases = tableBases();
    const uint32_t start = static_cast<uint32_t>(m_blob.offset);
    for (uint64_t at = from; at < to && at + 4 <= text.size(); ++at) {
      const uint32_t word = container::numberAt<uint32_t>(text, at);
      bool found = false;
      for (const uint64_t base : bases) found = found || (base != 0 && word == start - static_cast<uint32_t>(base));
      if (found) hit(address + at, "instruction");
    }
  }

  /// ADR, or ADRP with an ADD or a load of the same register within 16 instructions. Instructions are little-endian in
  /// both byte orders. Source: Arm Architecture Reference Manual, C6.2, encodings of ADR, ADRP, ADD (immediate) and LDR.
  void scanArm(std::string_view text, uint64_t from, uint64_t to, uint64_t address) {
    constexpr uint64_t kAhead = 16;
    for (uint64_t at = from + (0 - from) % 4; at < to && at + 4 <= text.size(); at += 4) {
      const uint32_t word = container::numberAt<uint32_t>(text, at);
      if ((word & 0x1f000000) != 0x10000000) continue;
      const uint64_t low = word >> 29 & 3, high = word >> 5 & 0x7ffff;
      const uint64_t immediate = high << 2 | low;
      const uint64_t distance = immediate & 1 << 20 ? immediate | ~uint64_t{0x1fffff} : immediate;
      if (!(word & 0x80000000)) {
        if (m_blob.contains(address + at + distance)) hit(address + at, "instruction");
        continue;
      }
      const uint64_t page = ((address + at) & ~uint64_t{0xfff}) + (distance << 12);
      if (page + 0xfff < m_blob.offset || page >= m_blob.end()) continue;
      const uint32_t target = word & 31;
      for (uint64_t i = 1; i <= kAhead && at + 4 * i + 4 <= text.size(); ++i) {
        const uint32_t next = container::numberAt<uint32_t>(text, at + 4 * i);
        if ((next & 0x1f00001f) == (0x10000000 | target)) break; // the register gets another address
        if ((next >> 5 & 31) != target) continue;
        const uint64_t part = next >> 10 & 0xfff;
        const bool adds = (next & 0xff800000) == 0x91000000;              // ADD Xd, Xn, #imm{, LSL #12}
        const bool loads = (next & 0x3b000000) == 0x39000000;             // LDR and STR with an unsigned offset
        const uint64_t offset = adds ? part << (next >> 22 & 1 ? 12 : 0) : part << (next >> 30);
        if ((adds || loads) && m_blob.contains(page + offset)) {
          hit(address + at, "instruction");
          break;
        }
        if (adds && (next & 31) == target) break; // used up
      }
    }
  }

  const File& m_file;
  const Extent m_blob;
  const DynamicSymbols& m_symbols;
  Monitor& m_monitor;
  const AddressMap m_map;
  References m_found;
  uint64_t m_looked = 0, m_next = 0;
};

} // namespace

Result<References> findReferences(const File& file, Extent blob, const DynamicSymbols& symbols, Monitor& monitor) {
  return Scan(file, blob, symbols, monitor).run();
}

} // namespace blobscope::write::elf
