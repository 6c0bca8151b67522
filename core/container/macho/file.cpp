#include "core/container/macho/file.h"

#include "core/base/text.h"
#include "core/container/number_at.h"

#include <algorithm>
#include <utility>

namespace blobscope::container::macho {
namespace {

/// Load commands of real files take some kilobytes.
constexpr uint64_t kMostCommandBytes = 16 << 20;

/// The fields of one command are next to each other.
constexpr TableField kFields[] = {
    {LC_SYMTAB, 8, kSymbolSize, Role::Symbols, "(symbol table)"},
    {LC_SYMTAB, 16, 1, Role::Strings, "(string table)"},
    {LC_DYSYMTAB, 32, 8, Role::Other, {}},
    {LC_DYSYMTAB, 40, 56, Role::Other, {}},
    {LC_DYSYMTAB, 48, 4, Role::Other, {}},
    {LC_DYSYMTAB, 56, 4, Role::Other, "(indirect symbol table)"},
    {LC_DYSYMTAB, 64, 8, Role::Relocations, {}},
    {LC_DYSYMTAB, 72, 8, Role::Relocations, {}},
    {LC_TWOLEVEL_HINTS, 8, 4, Role::Other, {}},
    {LC_CODE_SIGNATURE, 8, 1, Role::Signature, "(code signature)"},
    {LC_SEGMENT_SPLIT_INFO, 8, 1, Role::Other, "(segment split info)"},
    {LC_FUNCTION_STARTS, 8, 1, Role::Other, "(function starts)"},
    {LC_DATA_IN_CODE, 8, 1, Role::Other, "(data in code)"},
    {LC_DYLIB_CODE_SIGN_DRS, 8, 1, Role::Other, "(signing requirements)"},
    {LC_LINKER_OPTIMIZATION_HINT, 8, 1, Role::Other, "(linker optimization hints)"},
    {LC_DYLD_EXPORTS_TRIE, 8, 1, Role::ExportTrie, "(export trie)"},
    {LC_DYLD_CHAINED_FIXUPS, 8, 1, Role::ChainedFixups, "(chained fixups)"},
    {LC_ATOM_INFO, 8, 1, Role::Other, "(atom info)"},
    {LC_FUNCTION_VARIANTS, 8, 1, Role::Other, {}},
    {LC_FUNCTION_VARIANT_FIXUPS, 8, 1, Role::Other, {}},
    {LC_DYLD_INFO, 8, 1, Role::Rebases, "(rebase opcodes)"},
    {LC_DYLD_INFO, 16, 1, Role::Other, "(bind opcodes)"},
    {LC_DYLD_INFO, 24, 1, Role::Other, "(weak bind opcodes)"},
    {LC_DYLD_INFO, 32, 1, Role::Other, "(lazy bind opcodes)"},
    {LC_DYLD_INFO, 40, 1, Role::ExportTrie, "(export trie)"},
};

} // namespace

std::string commandName(uint32_t id) {
  switch (id) {
  case LC_SEGMENT: return "LC_SEGMENT";
  case LC_SEGMENT_64: return "LC_SEGMENT_64";
  case LC_SYMTAB: return "LC_SYMTAB";
  case LC_DYSYMTAB: return "LC_DYSYMTAB";
  case LC_CODE_SIGNATURE: return "LC_CODE_SIGNATURE";
  case LC_ENCRYPTION_INFO: return "LC_ENCRYPTION_INFO";
  case LC_ENCRYPTION_INFO_64: return "LC_ENCRYPTION_INFO_64";
  case LC_DYLD_INFO: return "LC_DYLD_INFO";
  case LC_DYLD_INFO_ONLY: return "LC_DYLD_INFO_ONLY";
  case LC_FUNCTION_STARTS: return "LC_FUNCTION_STARTS";
  case LC_DATA_IN_CODE: return "LC_DATA_IN_CODE";
  case LC_SOURCE_VERSION: return "LC_SOURCE_VERSION";
  case LC_BUILD_VERSION: return "LC_BUILD_VERSION";
  case LC_DYLD_EXPORTS_TRIE: return "LC_DYLD_EXPORTS_TRIE";
  case LC_DYLD_CHAINED_FIXUPS: return "LC_DYLD_CHAINED_FIXUPS";
  default: return hexText(id);
  }
}

bool Section::hasBytes() const {
  return type() != S_ZEROFILL && type() != S_GB_ZEROFILL && type() != S_THREAD_LOCAL_ZEROFILL;
}

uint64_t File::number(uint64_t offset, unsigned size) const { return numberAt(text(), offset, size, bigEndian); }

/// A name field of 16 bytes, padded with NUL if the name is shorter.
std::string_view File::fixedName(uint64_t offset) const {
  const std::string_view field = text().substr(std::min<uint64_t>(offset, text().size()), 16);
  return field.substr(0, field.find('\0'));
}

std::optional<File> File::readHeader(const Bytes& bytes) {
  File file;
  file.bytes = bytes;
  const uint64_t big = numberAt(file.text(), 0, 4, true);
  file.bigEndian = big == MH_MAGIC || big == MH_MAGIC_64;
  const uint32_t magic = file.u32(0);
  if (magic != MH_MAGIC && magic != MH_MAGIC_64) return std::nullopt;
  file.is64 = magic == MH_MAGIC_64;
  file.cpuType = file.u32(4);
  file.cpuSubtype = file.u32(8);
  file.fileType = file.u32(12);
  file.commandCount = file.u32(16);
  file.head = {file.headerSize(), file.number(20)};
  file.flags = file.u32(24);
  return file;
}

Segment File::segment(const Command& command) const {
  Segment segment;
  segment.is64 = command.id == LC_SEGMENT_64;
  const unsigned word = segment.is64 ? 8 : 4;
  const uint64_t headSize = command.smallestSize();
  segment.name = fixedName(command.place.offset + 8);
  segment.addressAt = command.place.offset + 24;
  const auto field = [&](unsigned index) { return number(segment.addressAt + index * word, word); };
  segment.address = field(0);
  segment.memorySize = field(1);
  segment.file = {field(2), field(3)};
  segment.protection = u32(segment.addressAt + 4 * word + 4);
  segment.sections = number(segment.addressAt + 4 * word + 8);
  segment.headers = {command.place.offset + headSize, command.place.size - headSize};
  return segment;
}

Section File::section(const Segment& segment, uint64_t index) const {
  const unsigned word = segment.is64 ? 8 : 4;
  Section section;
  section.header = segment.headers.offset + index * segment.sectionSize();
  section.name = fixedName(section.header);
  section.segment = fixedName(section.header + 16);
  section.address = number(section.header + 32, word);
  section.size = number(section.header + 32 + word, word);
  const uint64_t rest = section.header + 32 + 2 * word;
  section.offset = u32(rest);
  section.align = u32(rest + 4);
  section.relocations = u32(rest + 8);
  section.relocationCount = u32(rest + 12);
  section.flags = u32(rest + 16);
  return section;
}

Symbol File::symbol(uint64_t offset) const {
  return {number(offset), static_cast<uint8_t>(number(offset + 4, 1)), static_cast<uint8_t>(number(offset + 5, 1)),
          static_cast<uint16_t>(number(offset + 6, 2)), number(offset + 8, wordSize())};
}

Encryption File::encryptionOf(const Command& command) const {
  const uint64_t at = command.place.offset + 8;
  return {{number(at), number(at + 4)}, u32(at + 8)};
}

std::span<const TableField> File::fieldsOf(const Command& command) {
  const uint32_t id = command.id == LC_DYLD_INFO_ONLY ? LC_DYLD_INFO : command.id;
  const auto other = [&](const TableField& field) { return field.command != id; };
  const auto* const first = std::find_if_not(std::begin(kFields), std::end(kFields), other);
  return {first, std::find_if(first, std::end(kFields), other)};
}

Extent File::tableAt(const Command& command, const TableField& field) const {
  const uint64_t at = command.place.offset + field.offsetAt;
  return {number(at), number(at + 4) * (field.role == Role::Symbols ? symbolSize() : field.itemSize)};
}

std::string File::readCommands() {
  if (head.end() > bytes.size() || head.size > kMostCommandBytes) return "its load commands do not fit";
  bool isSigned = false;
  uint64_t at = head.offset;
  for (uint64_t i = 0; i < commandCount; ++i) {
    const Command command = this->command(at);
    const Extent place = command.place;
    if (head.end() - at < 8 || place.size < 8 || !head.contains(place))
      return "load command " + std::to_string(i) + " at " + hexText(at) + " does not fit";
    commands.push_back(command);
    at += place.size;
    if (command.isSegment() && place.size >= command.smallestSize()) {
      Segment& found = segments.emplace_back(segment(command));
      found.command = i;
      if (found.sections != found.room() || found.headers.size % found.sectionSize() != 0) sectionsFit = false;
      for (uint64_t k = 0; k < std::min(found.sections, found.room()); ++k) sections.push_back(section(found, k));
    }
    if (command.isEncryption() && place.size >= command.smallestSize()) encryption = encryptionOf(command);
    for (const TableField& field : fieldsOf(command)) {
      if (place.size < field.offsetAt + 8) continue;
      if (field.role == Role::Signature && std::exchange(isSigned, true)) return "it has two code signatures";
      tables.push_back({i, field.role, place.offset + field.offsetAt, tableAt(command, field)});
    }
  }
  return {};
}

const Segment* File::findSegment(std::string_view name) const {
  const auto found =
      std::find_if(segments.begin(), segments.end(), [&](const Segment& segment) { return segment.name == name; });
  return found == segments.end() ? nullptr : &*found;
}

const Table* File::findTable(Role role, bool empty) const {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const Table& table) {
    return table.role == role && (empty || table.file.size > 0);
  });
  return found == tables.end() ? nullptr : &*found;
}

std::optional<uint64_t> File::offsetOf(uint64_t address, uint64_t size) const {
  for (const Segment& segment : segments) {
    const Extent loaded{segment.address, std::min(segment.file.size, segment.memorySize)};
    if (!loaded.contains(Extent{address, size})) continue;
    const auto offset = checkedAdd(segment.file.offset, address - segment.address);
    if (offset && Extent{0, bytes.size()}.contains(Extent{*offset, size})) return offset;
  }
  return std::nullopt;
}

bool File::isZero(Extent extent) const {
  const Bytes part = bytes.slice(extent.offset, extent.size);
  return part.size() == extent.size && part.view().find_first_not_of('\0') == std::string_view::npos;
}

} // namespace blobscope::container::macho
