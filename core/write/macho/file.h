#pragma once

#include "core/library/package.h"
#include "core/write/numbers.h"
#include "core/write/plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The parts of the Mach-O planner; planMachO (plan.h) is the way in. Source of all layouts: Apple mach-o/loader.h,
/// mach-o/nlist.h, mach-o/reloc.h; the same in llvm-project 19 llvm/include/llvm/BinaryFormat/MachO.h.
namespace blobscope::write::macho {

inline constexpr uint32_t kSegment = 0x1, kSymtab = 0x2, kDysymtab = 0xb, kSegment64 = 0x19, kCodeSignature = 0x1d,
                          kEncryption = 0x21, kFunctionStarts = 0x26, kDataInCode = 0x29, kSourceVersion = 0x2a,
                          kEncryption64 = 0x2c;
inline constexpr uint32_t kObject = 1, kExecute = 2, kDylib = 6, kBundle = 8;                       ///< MH_…
inline constexpr uint32_t kX86_64 = 0x01000007, kArm64 = 0x0100000c;                                ///< CPU_TYPE_…
inline constexpr uint64_t kHeaderSize = 32, kSegmentSize = 72, kSectionSize = 80, kSymbolSize = 16; ///< of 64-bit files
inline constexpr uint64_t kMostSections = 255; ///< MAX_SECT: n_sect has one byte
inline constexpr std::string_view kLinkeditName = "__LINKEDIT", kBlobSegment = "__TVM_BLOB",
                                  kBlobSection = "__tvm_dev_mblob", kObjectSection = "__tvm_blob";

struct Command {
  uint32_t id = 0;
  Extent place; ///< in the file
};

struct Segment {
  std::size_t command = 0;
  std::string_view name;
  uint64_t address = 0, memorySize = 0;
  Extent file;
  uint64_t sections = 0; ///< how many, as stored
  Extent memory() const { return {address, memorySize}; }
};

struct Section {
  uint64_t header = 0; ///< of its header in the file
  std::string_view name, segment;
  uint64_t address = 0, size = 0;
  uint32_t offset = 0, align = 0, flags = 0;
  uint32_t relocations = 0, relocationCount = 0;
  bool hasBytes() const;
  bool isCode() const;
  Extent memory() const { return {address, size}; }
  Extent file() const { return {offset, hasBytes() ? size : 0}; }
};

/// A table that load commands speak of, most of them in __LINKEDIT.
struct Table {
  enum class Role : uint8_t { Other, Symbols, Strings, ExportTrie, ChainedFixups, Rebases, Signature, Relocations };
  std::size_t command = 0;
  Role role = Role::Other;
  uint64_t offsetAt = 0; ///< in the file: where the u32 offset stands; its size or count is the u32 behind it
  uint64_t itemSize = 1; ///< of what is counted there
  Extent file;
};

/// The header and the load commands of one file. Values are as stored and may say anything.
class File {
public:
  /// REP-SHAPE when the load commands do not fit, or when there are two signatures.
  static Result<File> read(const library::Package& package);

  Bytes bytes;
  bool bigEndian = false, is64 = false;
  uint32_t cpuType = 0, fileType = 0, flags = 0;
  Extent head; ///< of the load commands
  std::vector<Command> commands;
  std::vector<Segment> segments;
  std::vector<Section> sections; ///< of all segments; symbols count them from 1
  std::vector<Table> tables;     ///< also those without bytes
  bool sectionsFit = true;       ///< every section header lies in its command
  std::optional<std::size_t> signatureCommand;
  bool encrypted = false;
  Extent encryption;

  std::string_view text() const { return bytes.view(); }
  unsigned wordSize() const { return is64 ? 8 : 4; }
  uint64_t number(uint64_t offset, unsigned size = 4) const;
  /// Whether it has as few load commands and tables as real files. Much of the work is done for each pair of them.
  bool isUsual() const { return commands.size() <= 16'384 && segments.size() <= 256 && tables.size() <= 256; }
  const Segment* findSegment(std::string_view name) const;
  /// The first table of that role that has bytes; `empty`: or has none.
  const Table* findTable(Table::Role role, bool empty = false) const;
  /// Where the loader sees that address, nothing when no segment's file part has it.
  std::optional<uint64_t> offsetOf(uint64_t address, uint64_t size) const;
};

/// A symbol of LC_SYMTAB that labels the blob.
struct SymbolPlace {
  uint64_t offset = 0; ///< of its nlist_64 in the file
  uint8_t section = 0;
  bool external = false;
};
/// The symbols with the name of a carrier at `address`, ascending; in an object file also of the section that holds it.
/// REP-SHAPE when there are more than real files have; Cancelled.
Result<std::vector<SymbolPlace>> findBlobSymbols(const File& file, const library::Package& package, uint64_t address,
                                                 uint64_t ordinal, Monitor& monitor);

/// The symbol's entry with another section and address.
Overwrite moveSymbol(const File& file, const SymbolPlace& symbol, uint64_t section, uint64_t address);

/// Bytes of `extent` of the input as they go to the output: what `edits` say is put in, the rest copied. `edits`:
/// ascending and apart from one another; those outside are left out.
void emit(PlanBuilder& builder, Extent extent, const std::vector<Overwrite>& edits);

/// Whether the file has nothing but zeros in that range, all of which is there.
bool isZero(const File& file, Extent extent);

} // namespace blobscope::write::macho
