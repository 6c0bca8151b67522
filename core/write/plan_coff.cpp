#include "core/container/coff_tables.h"
#include "core/write/plan_parts.h"

namespace blobscope::write {
namespace {

namespace coff = container::coff;
using container::numberAt;

constexpr uint8_t kStatic = 3; // IMAGE_SYM_CLASS_STATIC

/// CRC of the output's bytes as section symbols hold it: begun with all ones, not complemented. Source: llvm-project 19
/// llvm/lib/MC/WinCOFFObjectWriter.cpp (JamCRC over each section), which stores it for every section with content.
Result<uint32_t> computeSectionCrc(OutputReader& reader, Extent section, Monitor& monitor) {
  constexpr uint64_t kStep = 1 << 20;
  uint32_t crc = 0xffffffff;
  for (uint64_t at = section.offset; at < section.end(); at += kStep) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    crc = continueCrc(crc, reader.read(at, std::min(kStep, section.end() - at)).view());
  }
  return crc;
}

/// The place of the checksum in the auxiliary record of the symbol that stands for section `number`, 0 when there is
/// none. Source: "PE Format", auxiliary format 5.
uint64_t findChecksum(std::string_view text, const coff::SymbolTable& table, uint64_t number) {
  const uint64_t size = table.recordSize();
  for (uint64_t i = 0, at = table.offset; i < table.count && Extent{0, text.size()}.contains(Extent{at, size}); ++i, at += size) {
    const auto section = table.wide ? numberAt<uint32_t>(text, at + 12) : numberAt<uint16_t>(text, at + 12);
    const uint64_t tail = at + (table.wide ? 16 : 14);
    const auto storage = numberAt<uint8_t>(text, tail + 2), auxiliary = numberAt<uint8_t>(text, tail + 3);
    if (section == number && storage == kStatic && auxiliary > 0 && numberAt<uint32_t>(text, at + 8) == 0 &&
        Extent{0, text.size()}.contains(Extent{at + size, size}))
      return at + size + 8;
    i += auxiliary;
    at += auxiliary * size;
  }
  return 0;
}

} // namespace

Result<Plan> planCoff(const library::Package& package, const library::Blob& blob, const NewBlob& fresh, const PlanOptions&, Monitor& monitor) {
  BLOBSCOPE_TRY(room, roomFor(package, blob, fresh));
  Plan plan = overwritePlan(package, room, fresh, {});

  // A linker compares the checksums of sections that may stand for one another (COMDAT) instead of their bytes.
  const std::string_view text = package.bytes.view();
  const bool wide = numberAt<uint32_t>(text, 0) == 0xffff0000;
  const coff::SymbolTable table = wide ? coff::SymbolTable{numberAt<uint32_t>(text, 48), numberAt<uint32_t>(text, 52), true}
                                       : coff::SymbolTable{numberAt<uint32_t>(text, 8), numberAt<uint32_t>(text, 12), false};
  const uint64_t headers = wide ? 56 : coff::kFileHeader + numberAt<uint16_t>(text, 16);
  const uint64_t count = wide ? numberAt<uint32_t>(text, 44) : numberAt<uint16_t>(text, 2);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = headers + i * coff::kSectionHeader;
    if (!Extent{0, text.size()}.contains(Extent{at, coff::kSectionHeader})) break;
    const Extent section{numberAt<uint32_t>(text, at + 20), numberAt<uint32_t>(text, at + 16)};
    if (!section.contains(room) || !Extent{0, text.size()}.contains(section)) continue;
    const uint64_t checksumAt = findChecksum(text, table, i + 1);
    const auto old = numberAt<uint32_t>(text, checksumAt);
    if (checksumAt == 0 || old == 0 || (checksumAt < room.end() && checksumAt + 4 > room.offset)) break;
    // Only what was right before is made right again: other producers may put something else there.
    const Plan before = [&] { Plan same; same.parts.push_back({Part::From::Input, {0, text.size()}, {}, 0}); return same; }();
    OutputReader oldBytes(before, package.bytes), newBytes(plan, package.bytes);
    BLOBSCOPE_TRY(oldCrc, computeSectionCrc(oldBytes, section, monitor));
    if (oldCrc != old) break;
    BLOBSCOPE_TRY(newCrc, computeSectionCrc(newBytes, section, monitor));
    return overwritePlan(package, room, fresh, {{checksumAt, Bytes::copyOf(numberText(newCrc, 4, false)), "checksum of the section"}});
  }
  return plan;
}

} // namespace blobscope::write
