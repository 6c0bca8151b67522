#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/write/numbers.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The headers of an ELF file as stored, for rewriting them: read, changed, written back field by field. What the file
/// means stands in container/elf.h. Source of all layouts and numbers: System V ABI, chapters 4 and 5, and elf.h.
namespace blobscope::write::elf {

constexpr uint16_t kRelocatable = 1, kExecutable = 2, kShared = 3; ///< e_type: ET_…
constexpr uint16_t kI386 = 3, kMips = 8, kS390 = 22, kArm = 40, kX86 = 62, kAarch64 = 183, kRiscv = 243; ///< EM_…
/// p_type: PT_…
constexpr uint32_t kNull = 0, kLoad = 1, kDynamic = 2, kNote = 4, kTable = 6, kProperty = 0x6474e553;
/// sh_type: SHT_…
constexpr uint32_t kProgBits = 1, kSymTab = 2, kStrTab = 3, kRela = 4, kHash = 5, kNoteSection = 7, kNoBits = 8,
                   kRel = 9, kDynSym = 11, kGroup = 17, kSymTabIndex = 18, kGnuHash = 0x6ffffff6;
constexpr uint64_t kAlloc = 2, kExecutes = 4, kInfoLink = 0x40, kTls = 0x400; ///< sh_flags: SHF_…
/// d_tag: DT_…
constexpr uint64_t kTagHash = 4, kTagStrings = 5, kTagSymbols = 6, kTagGnuHash = 0x6ffffef5;
constexpr uint16_t kFirstReserved = 0xff00; ///< SHN_LORESERVE

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
  /// What it occupies of the file.
  Extent file() const { return {offset, type == kNoBits || type == kNull ? 0 : size}; }
  bool allocated() const { return flags & kAlloc; }
};

struct Symbol {
  uint32_t name = 0;
  uint8_t info = 0, other = 0;
  uint16_t section = 0;
  uint64_t value = 0, size = 0;
};

struct DynamicTag {
  uint64_t tag = 0, value = 0;
  uint64_t valueOffset = 0; ///< in the file
};

/// A field of the file header.
enum class Field { ProgramsOffset, SectionsOffset, ProgramCount, SectionCount, NamesIndex };

/// The headers of one file. Values are as stored and may say anything; each table is read only where all of it lies in
/// the file.
class File {
public:
  /// REP-SHAPE when it is no ELF file, or a table has entries of a size that does not exist.
  static Result<File> read(const Bytes& bytes);

  Bytes bytes;
  bool is64 = true;
  bool bigEndian = false;
  uint16_t type = 0, machine = 0;
  uint64_t programsOffset = 0, sectionsOffset = 0;
  uint16_t namesIndex = 0;
  std::vector<ProgramHeader> programs;
  std::vector<SectionHeader> sections;                          ///< empty when there are none, or they cannot be read
  std::vector<DynamicTag> dynamic;                              ///< up to the end tag
  std::string programsProblem, sectionsProblem, dynamicProblem; ///< why a table was not read, else empty

  uint64_t wordSize() const { return is64 ? 8 : 4; }
  uint64_t programSize() const { return is64 ? 56 : 32; }
  uint64_t sectionSize() const { return is64 ? 64 : 40; }
  uint64_t symbolSize() const { return is64 ? 24 : 16; }
  /// Largest offset and address that the class can hold.
  uint64_t limit() const { return is64 ? INT64_MAX : UINT32_MAX; }
  Extent programTable() const { return {programsOffset, programs.size() * programSize()}; }
  Extent sectionTable() const { return {sectionsOffset, sections.size() * sectionSize()}; }

  /// The number at `offset`, 0 where the file ends before it.
  uint64_t number(uint64_t offset, unsigned size) const;
  uint64_t word(uint64_t offset) const { return number(offset, static_cast<unsigned>(wordSize())); }
  Symbol symbol(uint64_t offset) const;

  std::string encode(uint64_t value, uint64_t size) const;
  std::string encode(const ProgramHeader& header) const;
  std::string encode(const SectionHeader& header) const;
  std::string encode(const Symbol& symbol) const;
  /// Where a field of the file header lies, and how many bytes it has.
  Extent place(Field field) const;
  /// Where the size of a symbol lies.
  Extent sizePlace(uint64_t symbolOffset) const;

  /// The PT_LOAD entries in table order, those without memory left out.
  std::vector<ProgramHeader> loads() const;
  const DynamicTag* findTag(uint64_t tag) const;
  /// As stored, any bytes, at most 256 of them; empty when the file has no names. Valid as long as `bytes`.
  std::string_view sectionName(const SectionHeader& section) const;
  /// Whether a note of the build id is there, and nothing but such notes, in these bytes of the file.
  /// Source: gABI "Note Section"; NT_GNU_BUILD_ID of elf.h.
  struct Notes {
    bool buildId = false;
    bool others = false;
  };
  Notes readNotes(Extent extent, uint64_t align) const;

private:
  void readPrograms(uint64_t count, uint64_t entrySize);
  void readSections(uint64_t count, uint64_t entrySize);
  void readDynamic();
  ProgramHeader program(uint64_t offset) const;
  SectionHeader section(uint64_t offset) const;
};

/// Finds bytes by their address; made from loads that are ascending and do not overlap.
class AddressMap {
public:
  explicit AddressMap(const File& file) : m_loads(file.loads()) {}
  /// Offset in the file, nothing when not all `size` bytes come from one place of it.
  std::optional<uint64_t> offsetOf(uint64_t address, uint64_t size) const;

private:
  std::vector<ProgramHeader> m_loads;
};

} // namespace blobscope::write::elf
