#include "core/base/text.h"
#include "core/write/macho/plan.h"
#include "core/write/plan_parts.h"

#include <algorithm>
#include <utility>

namespace blobscope::write::macho {
namespace {

constexpr uint64_t kLimit = UINT32_MAX; ///< offsets in sections and tables have 32 bits
constexpr uint64_t kRelocationSize = 8, kAlign = 16, kRestAlign = 8;

class Object {
public:
  explicit Object(const Site& site) : m_site(site), m_file(site.file), m_request(site.request) {}

  Result<Plan> plan() {
    BLOBSCOPE_CHECK(checkFile());
    m_own = findOwnSection(m_site);
    BLOBSCOPE_CHECK(place());
    if (!m_own) {
      BLOBSCOPE_CHECK(moveSymbols());
      BLOBSCOPE_CHECK(checkRelocations());
    }
    makeHead();
    return write();
  }

private:
  Error refuse(DiagnosticId id, std::vector<Argument> arguments) const {
    return Error(id, std::move(arguments), m_request.blob.ref());
  }
  Error shape(std::string reason) const { return layoutError(m_request.package, std::move(reason)); }

  // --- 1. Checks. ---------------------------------------------------------------------------------------------------
  Result<Done> checkFile() {
    const auto type = [&](const char* reason) { return refuse(DiagnosticId::PlanType, {arg("reason", reason)}); };
    if (!m_file.is64 || m_file.bigEndian) return type("it is a 32-bit or big-endian Mach-O file");
    if (m_file.cpuType != CPU_TYPE_X86_64 && m_file.cpuType != CPU_TYPE_ARM64)
      return type("relocations of its processor are not supported");
    if (!m_file.isUsual()) return shape("it has more load commands or tables than any file has");
    if (m_file.segments.size() != 1 || !m_file.sectionsFit)
      return shape("it does not have exactly one segment with sections");
    m_segment = &m_file.segments.front();
    const Extent whole{0, m_file.bytes.size()};
    if (!whole.contains(m_segment->file) || m_segment->file.offset < m_file.head.end() ||
        m_segment->file.size > m_segment->memorySize || m_segment->memorySize > kLimit ||
        m_segment->address % kAlign != 0 || !checkedAdd(m_segment->address, 4 * kLimit))
      return shape("its segment has an invalid offset, size or address");
    // The data after the sections: relocations, symbols, strings and other tables.
    const uint64_t end = m_segment->file.end();
    m_next = m_file.bytes.size();
    const auto table = [&](Extent extent) {
      if (extent.size == 0) return true;
      m_next = std::min(m_next, extent.offset);
      return extent.offset >= end && whole.contains(extent);
    };
    for (const Section& section : m_file.sections) {
      if (section.file().size > 0 && !m_segment->file.contains(section.file()))
        return shape("section '" + escaped(section.name) + "' is outside of its segment");
      if (!m_segment->memory().contains(section.memory()))
        return shape("section '" + escaped(section.name) + "' has an address outside of its segment");
      if (!table(relocationsOf(section))) return shape("relocations are between the sections or outside of the file");
    }
    for (const Table& one : m_file.tables)
      if (!table(one.file)) return shape("a table is between the sections or outside of the file");
    if (!m_file.isZero({end, m_next - end})) return shape("there are unknown bytes after its sections");
    return Done{};
  }

  static Extent relocationsOf(const Section& section) {
    return {section.relocations, section.relocationCount * kRelocationSize};
  }

  // --- 2. New places. -----------------------------------------------------------------------------------------------
  Result<Done> place() {
    const auto tooLarge = [&](uint64_t size) {
      return refuse(DiagnosticId::PlanSize, {sizeArg("size", size), sizeArg("limit", kLimit)});
    };
    const uint64_t restSize = m_file.bytes.size() - m_next;
    if (m_request.newBlob.size > kLimit) return tooLarge(Extent{m_file.bytes.size(), m_request.newBlob.size}.end());
    if (m_own) {
      m_offset = m_own->offset;
      m_address = m_own->address;
    } else {
      if (m_file.sections.size() >= MAX_SECT) return shape("it has 255 sections");
      m_headGrowth = kSectionSize;
      m_offset = m_segment->file.offset + m_headGrowth + *roundedUp(m_segment->file.size, kAlign);
      m_address = m_segment->address + *roundedUp(m_segment->memorySize, kAlign);
    }
    m_newNext = *roundedUp(m_offset + m_request.newBlob.size, kRestAlign);
    if (m_newNext > kLimit || restSize > kLimit - m_newNext) return tooLarge(Extent{m_newNext, restSize}.end());
    return Done{};
  }

  // --- 3. Symbols of the blob, and other references to it. ----------------------------------------------------------
  Result<Done> moveSymbols() {
    uint64_t ordinal = 0;
    for (std::size_t i = 0; i < m_file.sections.size(); ++i)
      if (m_file.sections[i].file().contains(m_site.room)) ordinal = i + 1;
    if (ordinal == 0) return refuse(DiagnosticId::PlanNoLoad, {});
    BLOBSCOPE_TRY(symbols, findBlobSymbols(m_file, m_request.package, m_site.address, ordinal, m_request.monitor));
    if (symbols.empty())
      return refuse(DiagnosticId::PlanSymbol, {arg("reason", "no symbol of the object file labels it")});
    m_symbols = std::move(symbols);
    for (const SymbolPlace& symbol : m_symbols)
      m_edits.push_back(moveSymbol(m_file, symbol, m_file.sections.size() + 1, m_address));
    return Done{};
  }

  /// Relocations against moved symbols follow them; no other relocation may refer to the old bytes. Source of the
  /// types: Apple mach-o/x86_64/reloc.h, mach-o/arm64/reloc.h.
  Result<Done> checkRelocations() {
    const Extent blob{m_site.address, m_site.room.size};
    const bool arm = m_file.cpuType == CPU_TYPE_ARM64;
    const Table* const symbols = m_file.findTable(Role::Symbols);
    const uint64_t symbolCount = symbols ? symbols->file.size / kSymbolSize : 0;
    uint64_t visited = 0;
    for (const Section& section : m_file.sections) {
      uint64_t addend = 0;
      for (uint64_t i = 0; i < section.relocationCount; ++i) {
        if (++visited % 4096 == 0 && m_request.monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        const uint64_t at = section.relocations + i * kRelocationSize, place = m_file.number(at),
                       word = m_file.number(at + 4);
        const uint64_t index = word & 0xffffff, relative = word >> 24 & 1, size = word >> 25 & 3,
                       byName = word >> 27 & 1, type = word >> 28;
        if (arm && type == ARM64_RELOC_ADDEND) { // applies to the next relocation
          addend = index & 0x800000 ? index | ~uint64_t{0xffffff} : index;
          continue;
        }
        const uint64_t before = std::exchange(addend, 0);
        const bool subtracts = type == (arm ? ARM64_RELOC_SUBTRACTOR : X86_64_RELOC_SUBTRACTOR);
        const uint64_t address = section.address + place;
        uint64_t target = arm && type != ARM64_RELOC_UNSIGNED ? before : contentAt(section, place, size);
        // The processor adds the address of the instruction's end, so the size of the bytes after the number was
        // subtracted.
        if (!arm && type >= X86_64_RELOC_SIGNED_1 && type <= X86_64_RELOC_SIGNED_4)
          target += type == X86_64_RELOC_SIGNED_4 ? 4 : type - X86_64_RELOC_SIGNED_1 + 1;
        if (byName) {
          if (index >= symbolCount || subtracts) continue;
          const uint64_t symbolAt = symbols->file.offset + index * kSymbolSize;
          const Symbol symbol = m_file.symbol(symbolAt);
          const bool moves = std::any_of(m_symbols.begin(), m_symbols.end(),
                                         [&](const SymbolPlace& one) { return one.offset == symbolAt; });
          if (moves || (symbol.type & N_TYPE) != N_SECT) continue;
          target += symbol.value;
        } else if (relative) {
          target += address + 4;
        }
        if (!subtracts && (blob.contains(target) || blob.contains(address)))
          return refuse(DiagnosticId::PlanRelocation, {hexArg("at", address)});
      }
    }
    return Done{};
  }

  /// Returns the number that a relocation changes, with its sign.
  uint64_t contentAt(const Section& section, uint64_t place, uint64_t sizeBits) const {
    const auto size = static_cast<unsigned>(1u << sizeBits);
    if (!section.file().contains(Extent{section.offset + place, size})) return 0;
    const uint64_t value = m_file.number(section.offset + place, size), sign = uint64_t{1} << (8 * size - 1);
    return (value ^ sign) - sign;
  }

  // --- 4. Header and load commands. ---------------------------------------------------------------------------------
  void makeHead() {
    m_head = m_file.text().substr(0, m_file.head.end());
    const auto put = [&](uint64_t at, uint64_t value, unsigned size) {
      m_head.replace(at, size, numberText(value, size, false));
    };
    const auto movedOffset = [&](uint64_t offset) {
      return offset >= m_next ? m_newNext + (offset - m_next) : m_newNext;
    };
    const uint64_t end = m_segment->file.end();
    const Extent command = m_file.commands[m_segment->command].place;
    put(m_segment->addressAt + 8, m_address + m_request.newBlob.size - m_segment->address, 8);
    put(m_segment->addressAt + 16, m_segment->file.offset + m_headGrowth, 8);
    put(m_segment->addressAt + 24, m_offset + m_request.newBlob.size - m_segment->file.offset - m_headGrowth, 8);
    for (const Section& section : m_file.sections) {
      if (section.offset != 0) put(section.offsetAt(), section.offset + m_headGrowth, 4);
      if (section.relocations >= end) put(section.relocationsAt(), movedOffset(section.relocations), 4);
    }
    for (const Table& table : m_file.tables)
      if (table.file.offset >= end) put(table.offsetAt, movedOffset(table.file.offset), 4);
    if (m_own) {
      put(m_own->sizeAt(), m_request.newBlob.size, 8);
      return;
    }
    put(command.offset + 4, command.size + kSectionSize, 4);
    put(command.offset + 64, m_file.sections.size() + 1, 4);
    put(20, m_file.head.size + kSectionSize, 4);
    m_headerAt = command.end();
    m_head.insert(m_headerAt, sectionHeader(kObjectSection, kTextName, m_address, m_request.newBlob.size, m_offset));
  }

  // --- 5. The output. -----------------------------------------------------------------------------------------------
  Result<Plan> write() {
    PlanBuilder builder;
    const bool scrub = m_request.options.scrub && !m_own;
    const uint64_t headEnd = m_file.head.end();
    if (m_own) {
      std::vector<Overwrite> edits;
      addDifferences(edits, m_file.text().substr(0, headEnd), m_head, 0, "load commands");
      addPatched(builder, {0, headEnd}, edits);
    } else {
      builder.literal(Bytes::copyOf(m_head), "load commands");
      builder.step("Add a section header", m_headerAt, kSectionSize, "one new section; everything after it moves");
    }
    const uint64_t kept = m_own ? m_offset : m_segment->file.end();
    if (scrub) {
      builder.input({headEnd, m_site.room.offset - headEnd});
      builder.zeros(m_site.room.size, "old blob");
      builder.input({m_site.room.end(), kept - m_site.room.end()});
      builder.step("Fill the old place with zeros", m_site.room.offset + m_headGrowth, m_site.room.size, "requested");
    } else {
      builder.input({headEnd, kept - headEnd});
    }
    builder.zeros(m_offset - builder.position(), "padding");
    builder.blob(m_request.newBlob);
    builder.step("Write the new blob", m_offset, m_request.newBlob.size,
                 m_own ? "only tables are after it" : "does not fit in the old place");
    builder.zeros(m_newNext - builder.position(), "padding");
    addPatched(builder, {m_next, m_file.bytes.size() - m_next}, m_edits);
    builder.step("Copy relocations and tables", m_newNext, m_file.bytes.size() - m_next, "they follow the sections");
    for (const Overwrite& edit : m_edits)
      builder.step("Change the symbol", m_newNext + (edit.offset - m_next), edit.bytes.size(),
                   "linkers find the new blob by it");

    Plan plan = builder.take({m_own ? Strategy::Resize : Strategy::AppendSection});
    if (m_headGrowth > 0) addMoved(plan, {headEnd + m_headGrowth, kept - headEnd});
    if (m_newNext != m_next) addMoved(plan, {m_newNext, m_file.bytes.size() - m_next});
    describeRanges(plan, m_site, {m_offset, m_request.newBlob.size}, m_own != nullptr);
    if (!m_own)
      plan.consequences.push_back({m_request.options.scrub ? DiagnosticId::PlanScrubbed : DiagnosticId::PlanDead,
                                   {},
                                   {sizeArg("size", m_site.room.size)}});
    return plan;
  }

  const Site& m_site;
  const File& m_file;
  const PlanRequest& m_request;

  const Segment* m_segment = nullptr;
  const Section* m_own = nullptr;
  uint64_t m_next = 0, m_newNext = 0; ///< offset of the data after the sections, in the input and in the output
  uint64_t m_headGrowth = 0;
  uint64_t m_offset = 0, m_address = 0; ///< of the new blob
  std::vector<SymbolPlace> m_symbols;   ///< the symbols to move
  std::vector<Overwrite> m_edits;       ///< edits of symbols; offsets in the input
  std::string m_head;                   ///< header and load commands of the output
  uint64_t m_headerAt = 0;              ///< offset of the new section's header
};

} // namespace

const Section* findOwnSection(const Site& site) {
  const File& file = site.file;
  if (file.segments.size() != 1 || file.sections.empty()) return nullptr;
  const Section& own = file.sections.back();
  if (own.segment != kTextName || own.name != kObjectSection || own.file() != site.room || own.relocationCount != 0)
    return nullptr;
  const Segment& segment = file.segments.front();
  return segment.file.end() == own.file().end() && segment.memory().end() == own.memory().end() ? &own : nullptr;
}

Result<Plan> planObject(const Site& site) { return Object(site).plan(); }

} // namespace blobscope::write::macho
