#pragma once

#include "core/container/macho/file.h"
#include "core/library/package.h"
#include "core/write/numbers.h"
#include "core/write/plan.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Types that the parts of the Mach-O planner share; planMachO (plan.h) is the entry point.
namespace blobscope::write::macho {

using namespace container::macho;

inline constexpr std::string_view kBlobSegment = "__TVM_BLOB", kBlobSection = "__tvm_dev_mblob",
                                  kObjectSection = "__tvm_blob";

/// The blob in its file.
struct Site {
  const PlanRequest& request;
  const File& file;
  Extent room;          ///< of the old blob in the file
  uint64_t address = 0; ///< of the old blob in memory; in an object file an address as in its section headers
};

/// Returns the segment that contains only the blob, directly before __LINKEDIT; null when the blob is somewhere else.
const Segment* findOwnSegment(const Site& site);
/// Returns the section that contains only the blob, the last one of an object file; null when the blob is somewhere
/// else.
const Section* findOwnSection(const Site& site);

/// Plans the blob in a new segment of a library, or its separate segment with another size. Source:
/// core/formats/containers.md 6.3. REP-TYPE, REP-SHAPE, REP-SYM, REP-NOLOAD, REP-REF, REP-HDRPAD, REP-TRIE, REP-FIXUPS,
/// REP-SIGNED, REP-4G; Cancelled.
Result<Plan> planImage(const Site& site);

/// Plans the blob in a new section of an object file, or its separate section with another size. Source:
/// core/formats/containers.md 8. REP-TYPE, REP-SHAPE, REP-SYM, REP-REL, REP-4G; Cancelled.
Result<Plan> planObject(const Site& site);

/// A symbol of LC_SYMTAB that labels the blob.
struct SymbolPlace {
  uint64_t offset = 0; ///< offset of its nlist_64 in the file
  uint8_t section = 0;
  bool external = false;
};
/// Returns the symbols with the name of a carrier at `address`, ascending; in an object file only those of section
/// `ordinal`. Errors: REP-SHAPE when there are more than real files have, Cancelled.
Result<std::vector<SymbolPlace>> findBlobSymbols(const File& file, const library::Package& package, uint64_t address,
                                                 uint64_t ordinal, Monitor& monitor);

/// Returns an overwrite of the symbol's entry with another section and address.
Overwrite moveSymbol(const File& file, const SymbolPlace& symbol, uint64_t section, uint64_t address);

/// Appends `extent` of the input to the output: bytes of `edits` replace the input, the rest is copied. `edits` must be
/// ascending and must not overlap; those outside of `extent` are skipped.
void addPatched(PlanBuilder& builder, Extent extent, const std::vector<Overwrite>& edits);

/// Returns a field of 16 bytes with a name of at most 16 bytes.
std::string nameField(std::string_view name);
/// Returns the header of a new section in a 64-bit file, aligned to 16 bytes and without relocations.
std::string sectionHeader(std::string_view name, std::string_view segment, uint64_t address, uint64_t size,
                          uint64_t offset);

/// Fills the ranges of a plan whose blob is at `place` in the output; the old blob stays as dead bytes unless it is
/// resized.
void describeRanges(Plan& plan, const Site& site, Extent place, bool resized);

} // namespace blobscope::write::macho
