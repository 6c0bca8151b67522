#pragma once

#include "core/container/elf/file.h"
#include "core/write/elf/references.h"
#include "core/write/numbers.h"
#include "core/write/plan_parts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Types that the parts of the ELF planner share; planElf (plan.h) is the entry point.
namespace blobscope::write::elf {

using namespace container::elf;

/// Returns REP-SHAPE with that reason.
Error shapeError(const std::string& reason);

/// A symbol table entry that labels the blob.
struct SymbolPlace {
  uint64_t offset = 0; ///< offset in the file
  uint64_t number = 0; ///< index in its table
  Symbol symbol;
  bool dynamic = false;
};

/// The blob in its file.
struct Site {
  const PlanRequest& request;
  File file;
  uint64_t offset = 0;              ///< offset of the blob in the file
  uint64_t address = 0;             ///< in memory; in an object file relative to its section
  uint64_t room = 0;                ///< size of the old blob in bytes
  std::vector<SymbolPlace> symbols; ///< all symbols that must follow the blob, by ascending offset
  DynamicSymbols table;             ///< the dynamic symbol table; count 0 when it is not where the loader finds it

  Extent place() const { return {offset, room}; }
};

/// Replaces bytes of the input by the same number of other bytes. Kind::Copy: they are copied from offset `from` of the
/// input.
struct Patch {
  enum class Kind { Literal, Zeros, Copy };
  uint64_t offset = 0; ///< offset in the input
  uint64_t size = 0;
  Kind kind = Kind::Literal;
  std::string bytes;
  uint64_t from = 0;
  std::string why;
};

/// Patches of one range of the input.
class Patches {
public:
  /// Adds nothing when the file already has these bytes.
  void set(const File& file, uint64_t offset, std::string bytes, std::string why);
  void zeros(uint64_t offset, uint64_t size, std::string why);
  void copy(uint64_t offset, Extent from, std::string why);
  /// Sorts the patches. REP-SHAPE when two overlap, or one is not in `within`.
  Result<Done> settle(Extent within);
  /// Appends `extent` of the input, with the patches in it, to the output. Call settle() first.
  void addPatched(PlanBuilder& builder, Extent extent) const;
  std::size_t size() const { return m_patches.size(); }

private:
  std::vector<Patch> m_patches;
};

/// Adds REP-BUILDID-KEPT when the file has a build id.
void noteBuildId(const File& file, Plan& plan);

/// Plans the same file with the new blob, which is not larger than the old one, in its place. Error: REP-SHAPE.
Result<Plan> inPlace(const Site& site);

/// Resizes the blob at its offset when no loaded bytes are after it; else returns nothing. Source:
/// core/formats/containers.md 4.2, 4.3.
Result<std::optional<Plan>> resizeTail(const Site& site);

/// Puts the blob into a new segment after all others. Source: core/formats/containers.md 4.4, 4.5.
/// REP-TYPE, REP-PRELINK, REP-SYM, REP-NOLOAD, REP-SHAPE, REP-PHDR, REP-REF, REP-4G; Cancelled.
Result<Plan> appendBlob(const Site& site);

/// Plans an object file, whose blob may have any size. Resizes the section that contains the blob and moves what is
/// after the blob: symbols, relocations, addends, other sections. When addends are stored in the relocated bytes (REL),
/// a larger blob is put into a separate section instead, and the symbol is redirected to it. Returns nothing when only
/// an in-place plan for a smaller blob is possible. Source: core/formats/containers.md 8. REP-SHAPE, REP-NOLOAD,
/// REP-REL, REP-REF, REP-4G; Cancelled.
Result<std::optional<Plan>> planObject(const Site& site);

/// How the program header table gets an additional entry.
struct Slot {
  struct Slid {
    std::size_t section = 0;
    uint64_t offset = 0; ///< offset in the output
  };
  Strategy strategy = Strategy::AppendNull;
  std::vector<ProgramHeader> programs; ///< the new table; the entry `load` is still empty
  std::size_t load = 0;
  bool tableMoves = false;        ///< whether the table moves to the beginning of the new segment
  std::vector<Slid> slid;         ///< notes that move by a few bytes
  std::vector<std::size_t> moved; ///< tables that move to the beginning of the new segment, in file order
  uint64_t freedEnd = 0;          ///< slide: the bytes from the end of the table up to this offset are rewritten
};
/// Returns the first possible way of: PT_NULL entry, spare bytes, slide, note, moved table. Error: REP-PHDR.
Result<Slot> findSlot(const Site& site);

} // namespace blobscope::write::elf
