#pragma once

#include "core/base/bytes.h"
#include "core/base/extent.h"
#include "core/container/elf/constants.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The tables of an ELF file as stored, field by field, with the places of the fields that rewriting changes. elf.h
/// interprets them. Source of all layouts: System V ABI, chapters 4 and 5.
namespace blobscope::container::elf {

inline constexpr std::string_view kMagic = "\x7f\x45\x4c\x46";

struct ProgramHeader {
  uint32_t type = 0, flags = 0;
  uint64_t offset = 0, address = 0, physical = 0, fileSize = 0, memorySize = 0, align = 0;
  Extent file() const { return {offset, fileSize}; }
  Extent memory() const { return {address, memorySize}; }
};

struct SectionHeader {
  uint32_t name = 0, type = 0;
  uint64_t flags = 0, address = 0, offset = 0, size = 0;
  uint32_t link = 0, info = 0;
  uint64_t align = 0, entrySize = 0;
  /// Its range in the file.
  Extent file() const { return {offset, type == SHT_NOBITS || type == SHT_NULL ? 0 : size}; }
  bool allocated() const { return flags & SHF_ALLOC; }
};

struct Symbol {
  uint32_t name = 0;
  uint8_t info = 0, other = 0;
  uint16_t section = 0;
  uint64_t value = 0, size = 0;
};

/// A note in a part of the file. Places count from the start of the part and may be outside it.
struct Note {
  uint32_t type = 0;
  Extent name; ///< with its NUL
  Extent content;
  uint64_t next = 0; ///< where the next note begins
};

struct DynamicTag {
  uint64_t tag = 0, value = 0;
  uint64_t valueOffset = 0; ///< in the file
};

/// A field of the file header.
enum class HeaderField { ProgramsOffset, SectionsOffset, ProgramCount, SectionCount, NamesIndex };

/// One file. Values are unchecked and as stored.
class File {
public:
  /// The file header. Nothing when it is cut off, or has an unknown class or byte order.
  static std::optional<File> readHeader(const Bytes& bytes);
  /// Reads the tables for rewriting. A table is read only when the file contains all of it and its size is not above
  /// that of real ones.
  void readTables();

  Bytes bytes;
  bool is64 = true;
  bool bigEndian = false;
  uint8_t osAbi = 0, abiVersion = 0; ///< of e_ident
  uint16_t type = 0, machine = 0;
  uint32_t version = 0, flags = 0;
  uint64_t entry = 0;
  uint64_t programsOffset = 0, sectionsOffset = 0;
  uint16_t programEntrySize = 0, programCount = 0, sectionEntrySize = 0, sectionCount = 0;
  uint16_t namesIndex = 0;

  // What readTables() reads.
  std::vector<ProgramHeader> programs;
  std::vector<SectionHeader> sections;                          ///< empty when there are none, or they cannot be read
  std::vector<DynamicTag> dynamic;                              ///< up to the end tag
  std::string programsProblem, sectionsProblem, dynamicProblem; ///< why a table was not read; otherwise empty

  uint64_t wordSize() const { return is64 ? 8 : 4; }
  uint64_t headerSize() const { return is64 ? 64 : 52; }
  uint64_t programSize() const { return is64 ? 56 : 32; }
  uint64_t sectionSize() const { return is64 ? 64 : 40; }
  uint64_t symbolSize() const { return is64 ? 24 : 16; }
  /// The largest offset and address that the class allows.
  uint64_t limit() const { return is64 ? INT64_MAX : UINT32_MAX; }
  Extent programTable() const { return {programsOffset, programs.size() * programSize()}; }
  Extent sectionTable() const { return {sectionsOffset, sections.size() * sectionSize()}; }

  /// The number at `offset`, 0 where the file ends before it.
  uint64_t number(uint64_t offset, unsigned size) const;
  uint64_t word(uint64_t offset) const { return number(offset, static_cast<unsigned>(wordSize())); }
  // An entry at `offset`; fields are 0 where the file ends before them.
  ProgramHeader program(uint64_t offset) const;
  SectionHeader section(uint64_t offset) const;
  Symbol symbol(uint64_t offset) const;
  DynamicTag tag(uint64_t offset) const;
  uint64_t tagSize() const { return 2 * wordSize(); }
  /// The note at `at` in `part`, which is in the file; nothing when the part does not contain its header. `align`: 4 or
  /// 8. Source: gABI "Note Section".
  std::optional<Note> note(Extent part, uint64_t at, uint64_t align) const;

  std::string encode(uint64_t value, uint64_t size) const;
  std::string encode(const ProgramHeader& header) const;
  std::string encode(const SectionHeader& header) const;
  std::string encode(const Symbol& symbol) const;
  /// The place and size of a field of the file header.
  Extent place(HeaderField field) const;
  /// The place of a symbol's size.
  Extent sizePlace(uint64_t symbolOffset) const;

  /// The PT_LOAD entries in table order, without those that take no memory.
  std::vector<ProgramHeader> loads() const;
  const DynamicTag* findTag(uint64_t tag) const;
  /// The name as stored, any bytes, at most 256 of them; empty when the file has no names. Valid as long as `bytes`.
  std::string_view sectionName(const SectionHeader& section) const;
  /// Whether a note of the build id is there, and nothing but such notes, in these bytes of the file.
  struct Notes {
    bool buildId = false;
    bool others = false;
  };
  Notes readNotes(Extent extent, uint64_t align) const;

private:
  void readPrograms();
  void readSections();
  void readDynamic();
};

/// Finds bytes by their address; made from loads that are ascending and do not overlap.
class AddressMap {
public:
  explicit AddressMap(const File& file) : m_loads(file.loads()) {}
  /// Offset in the file; nothing when the `size` bytes are not contiguous in it.
  std::optional<uint64_t> offsetOf(uint64_t address, uint64_t size) const;

private:
  std::vector<ProgramHeader> m_loads;
};

} // namespace blobscope::container::elf
