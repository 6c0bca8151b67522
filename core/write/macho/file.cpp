#include "core/write/macho/file.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/container/carrier.h"
#include "core/container/number_at.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write::macho {
namespace {

/// Load commands of real files take some kilobytes.
constexpr uint64_t kMostCommandBytes = 16 << 20;
/// Symbols that label one blob: real files have one. Each is rewritten by itself.
constexpr std::size_t kMostBlobSymbols = 256;

constexpr uint32_t kDyldInfo = 0x22, kDyldInfoOnly = 0x80000022;
constexpr uint32_t kZeroFill = 0x1, kGigabyteZeroFill = 0xc, kThreadZeroFill = 0x12; // section types
constexpr uint32_t kPureInstructions = 0x80000000, kSomeInstructions = 0x400;        // section attributes
constexpr uint8_t kTypeMask = 0x0e, kInSection = 0x0e, kExternal = 0x01;             // n_type

struct Field {
  uint32_t command;
  unsigned offsetAt;
  unsigned itemSize;
  Table::Role role;
};
using Role = Table::Role;
/// LC_DYLD_INFO_ONLY counts as LC_DYLD_INFO. Numbers without a name here: LC_TWOLEVEL_HINTS, LC_SEGMENT_SPLIT_INFO,
/// LC_DYLIB_CODE_SIGN_DRS, LC_LINKER_OPTIMIZATION_HINT, LC_DYLD_EXPORTS_TRIE, LC_DYLD_CHAINED_FIXUPS, LC_ATOM_INFO,
/// LC_FUNCTION_VARIANTS, LC_FUNCTION_VARIANT_FIXUPS. Items of LC_DYSYMTAB: of 64-bit files.
constexpr Field kFields[] = {{kSymtab, 8, 16, Role::Symbols},
                             {kSymtab, 16, 1, Role::Strings},
                             {kDysymtab, 32, 8, Role::Other},
                             {kDysymtab, 40, 56, Role::Other},
                             {kDysymtab, 48, 4, Role::Other},
                             {kDysymtab, 56, 4, Role::Other},
                             {kDysymtab, 64, 8, Role::Relocations},
                             {kDysymtab, 72, 8, Role::Relocations},
                             {0x16, 8, 4, Role::Other},
                             {kCodeSignature, 8, 1, Role::Signature},
                             {0x1e, 8, 1, Role::Other},
                             {kFunctionStarts, 8, 1, Role::Other},
                             {kDataInCode, 8, 1, Role::Other},
                             {0x2b, 8, 1, Role::Other},
                             {0x2e, 8, 1, Role::Other},
                             {0x80000033, 8, 1, Role::ExportTrie},
                             {0x80000034, 8, 1, Role::ChainedFixups},
                             {0x36, 8, 1, Role::Other},
                             {0x37, 8, 1, Role::Other},
                             {0x38, 8, 1, Role::Other},
                             {kDyldInfo, 8, 1, Role::Rebases},
                             {kDyldInfo, 16, 1, Role::Other},
                             {kDyldInfo, 24, 1, Role::Other},
                             {kDyldInfo, 32, 1, Role::Other},
                             {kDyldInfo, 40, 1, Role::ExportTrie}};

std::string_view fixedName(std::string_view text, uint64_t offset) {
  const std::string_view field = text.substr(std::min<uint64_t>(offset, text.size()), 16);
  return field.substr(0, field.find('\0'));
}

void readSegment(File& file, std::size_t command) {
  const auto [id, place] = file.commands[command];
  const bool wide = id == kSegment64;
  const unsigned word = wide ? 8 : 4;
  const uint64_t headSize = wide ? kSegmentSize : 56, itemSize = wide ? kSectionSize : 68;
  if (place.size < headSize) return;
  const uint64_t at = place.offset + 24;
  Segment segment;
  segment.command = command;
  segment.name = fixedName(file.text(), place.offset + 8);
  segment.address = file.number(at, word);
  segment.memorySize = file.number(at + word, word);
  segment.file = {file.number(at + 2 * word, word), file.number(at + 3 * word, word)};
  segment.sections = file.number(at + 4 * word + 8);
  file.segments.push_back(segment);
  const uint64_t room = (place.size - headSize) / itemSize;
  if (segment.sections != room || (place.size - headSize) % itemSize != 0) file.sectionsFit = false;
  for (uint64_t i = 0; i < std::min(segment.sections, room); ++i) {
    Section section;
    section.header = place.offset + headSize + i * itemSize;
    section.name = fixedName(file.text(), section.header);
    section.segment = fixedName(file.text(), section.header + 16);
    section.address = file.number(section.header + 32, word);
    section.size = file.number(section.header + 32 + word, word);
    const auto u32 = [&](unsigned index) {
      return static_cast<uint32_t>(file.number(section.header + 32 + 2 * word + 4 * index));
    };
    section.offset = u32(0);
    section.align = u32(1);
    section.relocations = u32(2);
    section.relocationCount = u32(3);
    section.flags = u32(4);
    file.sections.push_back(section);
  }
}

} // namespace

bool Section::hasBytes() const {
  const uint32_t type = flags & 0xff;
  return type != kZeroFill && type != kGigabyteZeroFill && type != kThreadZeroFill;
}

bool Section::isCode() const { return flags & (kPureInstructions | kSomeInstructions); }

uint64_t File::number(uint64_t offset, unsigned size) const {
  return container::numberAt(text(), offset, size, bigEndian);
}

const Segment* File::findSegment(std::string_view name) const {
  const auto found =
      std::find_if(segments.begin(), segments.end(), [&](const Segment& segment) { return segment.name == name; });
  return found == segments.end() ? nullptr : &*found;
}

const Table* File::findTable(Table::Role role, bool empty) const {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const Table& table) {
    return table.role == role && (empty || table.file.size > 0);
  });
  return found == tables.end() ? nullptr : &*found;
}

std::optional<uint64_t> File::offsetOf(uint64_t address, uint64_t size) const {
  for (const Segment& segment : segments) {
    const Extent loaded{segment.address, std::min(segment.file.size, segment.memorySize)};
    if (!loaded.contains(Extent{address, size})) continue;
    const Extent place{segment.file.offset + (address - segment.address), size};
    if (Extent{0, bytes.size()}.contains(place)) return place.offset;
  }
  return std::nullopt;
}

Result<File> File::read(const library::Package& package) {
  File file;
  file.bytes = package.bytes;
  const uint64_t magic = container::numberAt(file.text(), 0, 4, false);
  file.bigEndian = magic == 0xcefaedfe || magic == 0xcffaedfe;
  file.is64 = magic == 0xfeedfacf || magic == 0xcffaedfe;
  file.cpuType = static_cast<uint32_t>(file.number(4));
  file.fileType = static_cast<uint32_t>(file.number(12));
  file.flags = static_cast<uint32_t>(file.number(24));
  file.head = {file.is64 ? kHeaderSize : 28, file.number(20)};
  if (file.head.end() > file.bytes.size() || file.head.size > kMostCommandBytes)
    return layoutError(package, "its load commands do not fit");
  uint64_t at = file.head.offset;
  for (uint64_t i = 0, count = file.number(16); i < count; ++i) {
    const auto id = static_cast<uint32_t>(file.number(at));
    const Extent place{at, file.number(at + 4)};
    if (file.head.end() - at < 8 || place.size < 8 || !file.head.contains(place))
      return layoutError(package, "load command " + std::to_string(i) + " at " + hexText(at) + " does not fit");
    const std::size_t command = file.commands.size();
    file.commands.push_back({id, place});
    if (id == kSegment || id == kSegment64) readSegment(file, command);
    if (id == kCodeSignature && place.size >= 16) {
      if (file.signatureCommand) return layoutError(package, "it has two code signatures");
      file.signatureCommand = command;
    }
    if ((id == kEncryption || id == kEncryption64) && place.size >= 20) {
      file.encryption = {file.number(at + 8), file.number(at + 12)};
      file.encrypted = file.number(at + 16) != 0;
    }
    for (const Field& field : kFields) {
      const bool same = field.command == id || (field.command == kDyldInfo && id == kDyldInfoOnly);
      if (!same || place.size < field.offsetAt + 8) continue;
      const uint64_t offsetAt = at + field.offsetAt,
                     item = field.role == Role::Symbols && !file.is64 ? 12 : field.itemSize;
      file.tables.push_back(
          {command, field.role, offsetAt, item, {file.number(offsetAt), file.number(offsetAt + 4) * item}});
    }
    at += place.size;
  }
  return file;
}

Result<std::vector<SymbolPlace>> findBlobSymbols(const File& file, const library::Package& package, uint64_t address,
                                                 uint64_t ordinal, Monitor& monitor) {
  std::vector<SymbolPlace> found;
  const Table *const symbols = file.findTable(Role::Symbols), *const strings = file.findTable(Role::Strings);
  if (!symbols || !strings) return found;
  const Extent whole{0, file.bytes.size()};
  if (!whole.contains(symbols->file) || !whole.contains(strings->file))
    return layoutError(package, "its symbol table is not all there");
  const std::string_view names = file.text().substr(strings->file.offset, strings->file.size);
  const uint64_t count = symbols->file.size / kSymbolSize;
  for (uint64_t i = 0; i < count; ++i) {
    if (i % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const uint64_t at = symbols->file.offset + i * kSymbolSize;
    const uint64_t type = file.number(at + 4, 1), section = file.number(at + 5, 1), nameAt = file.number(at);
    if ((type & kTypeMask) != kInSection || file.number(at + 8, 8) != address || nameAt >= names.size()) continue;
    if (ordinal != 0 && section != ordinal) continue;
    // Carriers' names are short; all symbols may point into one text without end.
    std::string_view name = names.substr(nameAt, 4'096);
    name = name.substr(0, name.find('\0'));
    if (!container::matchCarrier(name)) continue;
    if (found.size() == kMostBlobSymbols)
      return layoutError(package, "more than " + std::to_string(kMostBlobSymbols) + " symbols label the blob");
    found.push_back({at, static_cast<uint8_t>(section), (type & kExternal) != 0});
  }
  return found;
}

Overwrite moveSymbol(const File& file, const SymbolPlace& symbol, uint64_t section, uint64_t address) {
  // n_sect, n_desc, n_value
  const std::string entry = numberText(section, 1, false) + numberText(file.number(symbol.offset + 6, 2), 2, false) +
                            numberText(address, 8, false);
  return {symbol.offset + 5, Bytes::copyOf(entry), "symbol"};
}

void emit(PlanBuilder& builder, Extent extent, const std::vector<Overwrite>& edits) {
  uint64_t done = extent.offset;
  for (const Overwrite& edit : edits) {
    if (edit.offset < done || !extent.contains(Extent{edit.offset, edit.bytes.size()})) continue;
    builder.input({done, edit.offset - done});
    builder.literal(edit.bytes, edit.why);
    done = edit.offset + edit.bytes.size();
  }
  builder.input({done, extent.end() - done});
}

bool isZero(const File& file, Extent extent) {
  const Bytes part = file.bytes.slice(extent.offset, extent.size);
  return part.size() == extent.size && part.view().find_first_not_of('\0') == std::string_view::npos;
}

} // namespace blobscope::write::macho
