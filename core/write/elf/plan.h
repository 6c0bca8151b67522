#pragma once

#include "core/container/elf/file.h"
#include "core/write/elf/references.h"
#include "core/write/numbers.h"
#include "core/write/plan_parts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What the parts of the ELF planner hand one another; planElf (plan.h) is the way in.
namespace blobscope::write::elf {

using namespace container::elf;

/// REP-SHAPE with that reason.
Error shapeError(const std::string& reason);

/// A symbol table entry that labels the blob.
struct SymbolPlace {
  uint64_t offset = 0; ///< in the file
  uint64_t number = 0; ///< in its table
  Symbol symbol;
  bool dynamic = false;
};

/// The blob in its file.
struct Site {
  const PlanRequest& request;
  File file;
  uint64_t offset = 0;              ///< of the blob in the file
  uint64_t address = 0;             ///< in memory; in an object file counted from its section
  uint64_t room = 0;                ///< bytes of the old blob
  std::vector<SymbolPlace> symbols; ///< all that are to follow the blob, by ascending offset
  DynamicSymbols table;             ///< the loader's symbol table; count 0 when it is not where the loader finds it

  Extent place() const { return {offset, room}; }
};

/// Bytes of the input that become others, in the same number. `copy`: taken from another place of the input.
struct Patch {
  enum class Kind { Literal, Zeros, Copy };
  uint64_t offset = 0; ///< in the input
  uint64_t size = 0;
  Kind kind = Kind::Literal;
  std::string bytes;
  uint64_t from = 0;
  std::string why;
};

/// Patches of one stretch of the input.
class Patches {
public:
  /// Nothing when the file holds these bytes already.
  void set(const File& file, uint64_t offset, std::string bytes, std::string why);
  void zeros(uint64_t offset, uint64_t size, std::string why);
  void copy(uint64_t offset, Extent from, std::string why);
  /// Sorts them. REP-SHAPE when two overlap, or one does not lie in `within`.
  Result<Done> settle(Extent within);
  /// Appends `extent` of the input to the output with the patches that lie in it. Call settle() before.
  void emit(PlanBuilder& builder, Extent extent) const;
  std::size_t size() const { return m_patches.size(); }

private:
  std::vector<Patch> m_patches;
};

/// REP-BUILDID-KEPT when the file has a build id.
void noteBuildId(const File& file, Plan& plan);

/// The same file with other bytes in the blob's place, which are not more than before. REP-SHAPE.
Result<Plan> inPlace(const Site& site);

/// Makes the blob larger or smaller where it is: nothing that is loaded lies behind it. Nothing when that is not so.
/// Source: core/formats/containers.md 4.2, 4.3.
Result<std::optional<Plan>> resizeTail(const Site& site);

/// Puts the blob into a new segment behind all others. Source: core/formats/containers.md 4.4, 4.5.
/// REP-TYPE, REP-PRELINK, REP-SYM, REP-NOLOAD, REP-SHAPE, REP-PHDR, REP-REF, REP-4G; Cancelled.
Result<Plan> appendBlob(const Site& site);

/// An object file, whose blob may take any size.
/// Makes the section that holds the blob larger or smaller and moves what lies behind it: symbols, relocations,
/// addends, other sections. Where an addend is stored in the place that it belongs to (REL), a larger blob gets a
/// section of its own instead, to which the symbol is redirected. Nothing when only a plan in place is left, for a
/// smaller blob. Source: core/formats/containers.md 8. REP-SHAPE, REP-NOLOAD, REP-REL, REP-REF, REP-4G; Cancelled.
Result<std::optional<Plan>> planObject(const Site& site);

/// How the program header table gets one more entry.
struct Slot {
  struct Slid {
    std::size_t section = 0;
    uint64_t offset = 0; ///< in the output
  };
  Strategy strategy = Strategy::AppendNull;
  std::vector<ProgramHeader> programs; ///< the new table; the entry `load` is to be filled in
  std::size_t load = 0;
  bool tableMoves = false;        ///< to the beginning of the new segment
  std::vector<Slid> slid;         ///< notes that go a few bytes on
  std::vector<std::size_t> moved; ///< tables that go to the beginning of the new segment, in file order
  uint64_t freedEnd = 0;          ///< slide: all from the end of the table up to here is written anew
};
/// The first of PT_NULL entry, spare bytes, slide, note, moved table that is possible. REP-PHDR.
Result<Slot> findSlot(const Site& site);

} // namespace blobscope::write::elf
