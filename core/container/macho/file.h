#pragma once

#include "core/base/bytes.h"
#include "core/base/extent.h"
#include "core/container/macho/constants.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The tables of a Mach-O file as stored, field by field, with the places of the fields that rewriting changes. macho.h
/// interprets them. Source of all layouts: Apple mach-o/loader.h, mach-o/nlist.h.
namespace blobscope::container::macho {

// Sizes in 64-bit files.
inline constexpr uint64_t kHeaderSize = 32, kSegmentSize = 72, kSectionSize = 80, kSymbolSize = 16;
inline constexpr std::string_view kLinkeditName = "__LINKEDIT", kTextName = "__TEXT";

struct Command {
  uint32_t id = 0; ///< LC_…
  Extent place;    ///< in the file

  bool isSegment() const { return id == LC_SEGMENT || id == LC_SEGMENT_64; }
  bool isEncryption() const { return id == LC_ENCRYPTION_INFO || id == LC_ENCRYPTION_INFO_64; }
  /// The minimum size of a command of this kind. In a segment's command the section headers follow these bytes.
  uint64_t smallestSize() const { return id == LC_SEGMENT ? 56 : id == LC_SEGMENT_64 ? kSegmentSize : 20; }
};
/// "LC_SYMTAB", or the number of a command whose name is not needed.
std::string commandName(uint32_t id);

struct Segment {
  std::size_t command = 0; ///< index in File::commands
  bool is64 = false;       ///< LC_SEGMENT_64
  std::string_view name;
  uint64_t addressAt = 0; ///< in the file: the place of the address; size in memory, offset and size in the file follow
  uint64_t address = 0, memorySize = 0;
  Extent file;
  uint32_t protection = 0; ///< initprot
  uint64_t sections = 0;   ///< number of sections, as stored
  Extent headers;          ///< of sections, to the end of the command

  uint64_t sectionSize() const { return is64 ? kSectionSize : 68; }
  /// The number of section headers that fit into the command.
  uint64_t room() const { return headers.size / sectionSize(); }
  Extent memory() const { return {address, memorySize}; }
};

struct Section {
  uint64_t header = 0; ///< place of its header in the file
  std::string_view name, segment;
  uint64_t address = 0, size = 0;
  uint32_t offset = 0, align = 0;
  uint32_t relocations = 0, relocationCount = 0;
  uint32_t flags = 0;

  uint32_t type() const { return flags & SECTION_TYPE; }
  bool hasBytes() const;
  bool isCode() const { return flags & (S_ATTR_PURE_INSTRUCTIONS | S_ATTR_SOME_INSTRUCTIONS); }
  Extent memory() const { return {address, size}; }
  Extent file() const { return {offset, hasBytes() ? size : 0}; }
  // The places of header fields in a 64-bit file.
  uint64_t sizeAt() const { return header + 40; }
  uint64_t offsetAt() const { return header + 48; }
  uint64_t relocationsAt() const { return header + 56; }
};

/// An nlist.
struct Symbol {
  uint64_t name = 0; ///< in the string table
  uint8_t type = 0, section = 0;
  uint16_t description = 0;
  uint64_t value = 0;
};

/// LC_ENCRYPTION_INFO.
struct Encryption {
  Extent file;
  uint32_t cipher = 0; ///< cryptid; 0: can be encrypted, but is not
};

enum class Role : uint8_t { Other, Symbols, Strings, ExportTrie, ChainedFixups, Rebases, Signature, Relocations };

/// The place of a table's offset and size in a kind of command.
struct TableField {
  uint32_t command = 0;  ///< LC_…; LC_DYLD_INFO also for LC_DYLD_INFO_ONLY
  unsigned offsetAt = 0; ///< in the command: u32 file offset, followed by its u32 size or count
  unsigned itemSize = 1; ///< size of what is counted there, in a 64-bit file
  Role role = Role::Other;
  std::string_view title; ///< empty when it is not shown as a part of the file
};

/// A table that a load command refers to; most tables are in __LINKEDIT.
struct Table {
  std::size_t command = 0; ///< index in File::commands
  Role role = Role::Other;
  uint64_t offsetAt = 0; ///< in the file: place of the u32 offset; its size or count is the u32 after it
  Extent file;
};

/// One file. Values are unchecked and as stored; numbers are 0 where the file ends before them.
class File {
public:
  /// The header. Nothing when the magic number is not one of Mach-O.
  static std::optional<File> readHeader(const Bytes& bytes);
  /// Reads the load commands for rewriting. Returns the reason why they do not fit or are not usual, as the end of a
  /// sentence; else empty.
  std::string readCommands();

  Bytes bytes;
  bool bigEndian = false, is64 = false;
  uint32_t cpuType = 0, cpuSubtype = 0, fileType = 0, commandCount = 0, flags = 0;
  Extent head; ///< of the load commands

  // What readCommands() reads.
  std::vector<Command> commands;
  std::vector<Segment> segments;
  std::vector<Section> sections; ///< of all segments; symbols count them from 1
  std::vector<Table> tables;     ///< also those without bytes
  bool sectionsFit = true;       ///< whether each command contains all its section headers
  Encryption encryption;         ///< the last one

  std::string_view text() const { return bytes.view(); }
  unsigned wordSize() const { return is64 ? 8 : 4; }
  uint64_t headerSize() const { return is64 ? kHeaderSize : 28; }
  uint64_t symbolSize() const { return is64 ? kSymbolSize : 12; }
  uint64_t number(uint64_t offset, unsigned size = 4) const;
  uint32_t u32(uint64_t offset) const { return static_cast<uint32_t>(number(offset)); }

  // The command at `offset`; the fields of a command, which has at least its smallestSize().
  Command command(uint64_t offset) const { return {u32(offset), {offset, number(offset + 4)}}; }
  Segment segment(const Command& command) const;
  Section section(const Segment& segment, uint64_t index) const;
  Symbol symbol(uint64_t offset) const;
  Encryption encryptionOf(const Command& command) const;
  /// The tables that this kind of command has, in the order of their fields.
  static std::span<const TableField> fieldsOf(const Command& command);
  /// The part of the file to which a field of the command refers.
  Extent tableAt(const Command& command, const TableField& field) const;

  /// Whether the file has no more load commands and tables than real files. Much of the work is done for each pair of
  /// them.
  bool isUsual() const { return commands.size() <= 16'384 && segments.size() <= 256 && tables.size() <= 256; }
  const Segment* findSegment(std::string_view name) const;
  /// The first table with that role that has bytes; with `empty` also one without bytes.
  const Table* findTable(Role role, bool empty = false) const;
  /// The offset of an address as the loader maps it; nothing when no segment's part of the file contains it.
  std::optional<uint64_t> offsetOf(uint64_t address, uint64_t size) const;
  /// Whether the file contains the whole range, and it has only zeros.
  bool isZero(Extent extent) const;

private:
  std::string_view fixedName(uint64_t offset) const;
};

} // namespace blobscope::container::macho
