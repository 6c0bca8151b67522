#include "core/write/macho/fixups.h"

#include "core/base/text.h"
#include "core/container/leb128.h"
#include "core/container/number_at.h"
#include "core/write/function_starts.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write::macho {
namespace {

using container::numberAt;

// dyld_chained_fixups_header: fixups_version, starts_offset, imports_offset, symbols_offset, imports_count, …; then
// dyld_chained_starts_in_image: seg_count, seg_info_offset[seg_count], each relative to seg_count, 0 for none.
constexpr unsigned kStartsOffset = 4, kImportsOffset = 8, kSymbolsOffset = 12;
constexpr uint64_t kFixupsHeader = 28;
// dyld_chained_starts_in_segment: size, page_size, pointer_format, segment_offset, max_valid_pointer, page_count,
// page_start[page_count].
constexpr uint64_t kStartsHeader = 22;

Error refuse(std::string reason) { return Error(DiagnosticId::PlanFixups, {{"reason", std::move(reason)}}); }

/// DYLD_CHAINED_PTR_…: the format of a pointer in a chain.
struct PointerFormat {
  unsigned number;
  unsigned stride;     ///< unit of `next` in bytes
  unsigned nextBits;   ///< number of bits from bit 51 on
  unsigned targetBits; ///< number of the lowest bits, which store the target
  bool fromHeader;     ///< the target is relative to the Mach-O header, not to 0
  bool authenticated;  ///< bit 63 marks authentication and bit 62 a binding; otherwise bit 63 marks a binding
};
constexpr PointerFormat kFormats[] = {
    {DYLD_CHAINED_PTR_ARM64E, 8, 11, 43, false, true},
    {DYLD_CHAINED_PTR_64, 4, 12, 36, false, false},
    {DYLD_CHAINED_PTR_64_OFFSET, 4, 12, 36, true, false},
    {DYLD_CHAINED_PTR_ARM64E_USERLAND, 8, 11, 43, true, true},
    {DYLD_CHAINED_PTR_ARM64E_USERLAND24, 8, 11, 43, true, true},
};

class Scan {
public:
  Scan(const File& file, const library::Package& package, Extent blob, uint64_t base, Monitor& monitor)
      : m_file(file), m_package(package), m_blob(blob), m_base(base), m_monitor(monitor) {}

  Result<References> run() {
    if (const Table* const table = m_file.findTable(Role::Relocations))
      return layoutError(m_package, "it has relocations at " + hexText(table->file.offset));
    // When arm64e uses opcodes, BIND_OPCODE_THREADED chains its pointers.
    const bool threads = m_file.cpuType == CPU_TYPE_ARM64 && (m_file.cpuSubtype & 0xff) == CPU_SUBTYPE_ARM64E;
    if (threads && m_file.findTable(Role::Rebases, true)) return refuse("pointers of arm64e are not listed by opcodes");
    if (const Table* const table = m_file.findTable(Role::Rebases)) BLOBSCOPE_CHECK(scanOpcodes(table->file));
    if (const Table* const table = m_file.findTable(Role::ChainedFixups)) BLOBSCOPE_CHECK(scanChains(table->file));
    std::vector<CodePart> parts;
    for (const Section& section : m_file.sections)
      if (section.isCode() && section.size > 0)
        parts.push_back({m_file.bytes.slice(section.file().offset, section.file().size).view(), section.address});
    const Processor processor = m_file.cpuType == CPU_TYPE_X86_64 ? Processor::X86_64 : Processor::Aarch64;
    BLOBSCOPE_TRY(starts, functionStarts(m_package.image, m_monitor));
    for (const Table& table : m_file.tables)
      if (table.command < m_file.commands.size() && m_file.commands[table.command].id == LC_FUNCTION_STARTS &&
          Extent{0, m_file.bytes.size()}.contains(table.file))
        addFunctionStarts(m_file.text().substr(table.file.offset, table.file.size), m_base, starts);
    sortStarts(starts);
    BLOBSCOPE_CHECK(findInCode(processor, parts, m_blob, {}, starts, m_found, m_monitor));
    return m_found;
  }

private:
  /// Handles a pointer to `target` at `offset` of a segment.
  void addPointer(const Segment& segment, uint64_t offset, uint64_t target) {
    const uint64_t address = segment.address + offset;
    if (m_blob.contains(target) || m_blob.contains(address)) m_found.add(address, "relocation");
  }

  bool stopped() { return ++m_steps % 4096 == 0 && m_monitor.stopRequested(); }

  Result<Done> scanOpcodes(Extent place) {
    const std::string_view opcodes = m_file.bytes.slice(place.offset, place.size).view();
    // No two rebases apply to the same pointer, so the size of the file limits their number.
    uint64_t left = m_file.bytes.size() / 4;
    const Segment* segment = nullptr;
    uint64_t offset = 0;
    for (uint64_t at = 0; at < opcodes.size();) {
      const auto byte = static_cast<unsigned char>(opcodes[at++]);
      const unsigned opcode = byte & REBASE_OPCODE_MASK, immediate = byte & REBASE_IMMEDIATE_MASK;
      uint64_t value = 0, times = 0, skip = 0;
      const auto number = [&](uint64_t& into) {
        return container::readUleb(opcodes, at, into) == container::LebEnd::Whole;
      };
      bool good = true;
      switch (opcode) {
      case REBASE_OPCODE_DONE: return Done{};
      case REBASE_OPCODE_SET_TYPE_IMM: good = immediate == REBASE_TYPE_POINTER; break; // the others are for 32-bit code
      case REBASE_OPCODE_SET_SEGMENT_AND_OFFSET_ULEB:
        good = immediate < m_file.segments.size() && number(offset);
        if (good) segment = &m_file.segments[immediate];
        break;
      case REBASE_OPCODE_ADD_ADDR_ULEB: good = number(value), offset += value; break; // modulo 2⁶⁴, as loaders do it
      case REBASE_OPCODE_ADD_ADDR_IMM_SCALED: offset += immediate * uint64_t{8}; break;
      case REBASE_OPCODE_DO_REBASE_IMM_TIMES: times = immediate; break;
      case REBASE_OPCODE_DO_REBASE_ULEB_TIMES: good = number(times); break;
      case REBASE_OPCODE_DO_REBASE_ADD_ADDR_ULEB: good = number(skip), times = 1; break;
      case REBASE_OPCODE_DO_REBASE_ULEB_TIMES_SKIPPING_ULEB: good = number(times) && number(skip); break;
      default: good = false;
      }
      if (!good || times > left || (times > 0 && !segment))
        return refuse("rebase opcode " + hexText(byte) + " at " + hexText(place.offset + at - 1) +
                      " cannot be followed");
      left -= times;
      for (; times > 0; --times, offset += 8 + skip) {
        if (stopped()) return Error(DiagnosticId::Cancelled, {});
        if (!Extent{0, segment->memorySize}.contains(Extent{offset, 8}))
          return refuse("a rebase is outside of its segment");
        if (Extent{0, segment->file.size}.contains(Extent{offset, 8}))
          addPointer(*segment, offset, m_file.number(segment->file.offset + offset, 8));
      }
    }
    return Done{};
  }

  Result<Done> scanChains(Extent place) {
    const std::string_view fixups = m_file.bytes.slice(place.offset, place.size).view();
    const uint64_t starts = numberAt(fixups, kStartsOffset, 4, false), count = numberAt(fixups, starts, 4, false);
    if (count > m_file.segments.size())
      return refuse("it counts " + std::to_string(count) + " segments of " + std::to_string(m_file.segments.size()));
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t info = numberAt(fixups, starts + 4 + 4 * i, 4, false);
      if (info != 0) BLOBSCOPE_CHECK(scanSegment(m_file.segments[i], fixups, starts + info));
    }
    return Done{};
  }

  Result<Done> scanSegment(const Segment& segment, std::string_view fixups, uint64_t at) {
    const uint64_t pageSize = numberAt(fixups, at + 4, 2, false), number = numberAt(fixups, at + 6, 2, false),
                   pages = numberAt(fixups, at + 20, 2, false);
    const auto format = std::find_if(std::begin(kFormats), std::end(kFormats),
                                     [&](const PointerFormat& one) { return one.number == number; });
    if (format == std::end(kFormats)) return refuse("its pointers have the format " + std::to_string(number));
    if (!Extent{0, fixups.size()}.contains(Extent{at, kStartsHeader + 2 * pages}) || pageSize < 4096)
      return refuse("its data about a segment is truncated");
    if (numberAt(fixups, at + 8, 8, false) != segment.address - m_base)
      return refuse("it has another address for segment '" + escaped(segment.name) + "'");
    for (uint64_t page = 0; page < pages; ++page) {
      const uint64_t start = numberAt(fixups, at + kStartsHeader + 2 * page, 2, false);
      if (start == DYLD_CHAINED_PTR_START_NONE) continue;
      if (start & DYLD_CHAINED_PTR_START_MULTI) return refuse("a page has several chains");
      for (uint64_t inPage = start;;) {
        if (stopped()) return Error(DiagnosticId::Cancelled, {});
        const uint64_t offset = page * pageSize + inPage;
        if (inPage > pageSize - 4 || !Extent{0, segment.file.size}.contains(Extent{offset, 8}))
          return refuse("a chain leaves its page or segment");
        const uint64_t raw = m_file.number(segment.file.offset + offset, 8);
        const bool bound = raw >> (format->authenticated ? 62 : 63) & 1;
        if (!bound) {
          const bool signs = format->authenticated && raw >> 63;
          const uint64_t target = raw & ((uint64_t{1} << (signs ? 32 : format->targetBits)) - 1);
          addPointer(segment, offset, target + (format->fromHeader || signs ? m_base : 0));
        } else if (m_blob.contains(segment.address + offset)) {
          addPointer(segment, offset, 0);
        }
        const uint64_t next = raw >> 51 & ((uint64_t{1} << format->nextBits) - 1);
        if (next == 0) break;
        inPage += next * format->stride;
      }
    }
    return Done{};
  }

  const File& m_file;
  const library::Package& m_package;
  const Extent m_blob;
  const uint64_t m_base;
  Monitor& m_monitor;
  References m_found;
  uint64_t m_steps = 0;
};

} // namespace

Result<std::string> addSegmentToFixups(const File& file, const Table& table) {
  const Bytes bytes = file.bytes.slice(table.file.offset, table.file.size);
  std::string fixups(bytes.view());
  const auto number = [&](uint64_t at) { return numberAt(fixups, at, 4, false); };
  const auto put = [&](uint64_t at, uint64_t value) { fixups.replace(at, 4, numberText(value, 4, false)); };
  const uint64_t starts = number(kStartsOffset), count = number(starts), size = fixups.size();
  if (bytes.size() != table.file.size || size < kFixupsHeader || number(0) != 0)
    return refuse("its version is not known");
  if (starts < kFixupsHeader || count != file.segments.size())
    return refuse("it counts " + std::to_string(count) + " segments of " + std::to_string(file.segments.size()));
  const uint64_t list = starts + 4, end = list + 4 * count;
  if (end > size) return refuse("its list of segments is truncated");
  if (number(end - 4) != 0) return refuse("the last segment has fix-ups");

  // Everything else is after the list.
  uint64_t nextUsed = size;
  std::vector<uint64_t> fields = {kImportsOffset, kSymbolsOffset};
  for (const uint64_t field : fields) {
    if (const uint64_t at = number(field); at < end)
      return refuse("its tables are in another order");
    else
      nextUsed = std::min(nextUsed, at);
  }
  for (uint64_t at = list; at < end; at += 4) {
    const uint64_t info = number(at);
    if (info == 0) continue;
    if (starts + info < end || starts + info >= size) return refuse("its tables are in another order");
    nextUsed = std::min(nextUsed, starts + info);
    fields.push_back(at);
  }
  put(starts, count + 1);
  const bool free = nextUsed - end >= 4 && fixups.find_first_not_of('\0', end) >= std::min<uint64_t>(end + 4, size);
  if (free) return fixups;
  // Eight bytes, so that the following data keeps its alignment.
  for (const uint64_t field : fields) put(field, number(field) + 8);
  fixups.insert(end, 8, '\0');
  return fixups;
}

Result<References> findReferences(const File& file, const library::Package& package, Extent blob, uint64_t base,
                                  Monitor& monitor) {
  return Scan(file, package, blob, base, monitor).run();
}

} // namespace blobscope::write::macho
