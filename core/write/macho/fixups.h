#pragma once

#include "core/write/code_references.h"
#include "core/write/macho/plan.h"

/// What the loader does to pointers. Source: Apple mach-o/fixup-chains.h; opcodes: REBASE_OPCODE_… of mach-o/loader.h.
namespace blobscope::write::macho {

/// LC_DYLD_CHAINED_FIXUPS with one more segment, which has no fixups, in front of the last one. It has 0 or 8 bytes
/// more than before. REP-FIXUPS when it does not count the file's segments, or the last one has fixups.
Result<std::string> addSegmentToFixups(const File& file, const Table& table);

/// Looks for whatever would be stale after the blob moved away from the addresses `blob`: pointers that lead into it
/// (opcodes, chained fixups), pointers inside of it, and instructions of x86-64 and arm64 that compute its address.
/// What is bound by name follows the name. `base`: address of the Mach-O header. Source:
/// core/formats/containers.md 2.1. REP-FIXUPS for what cannot be followed, REP-SHAPE; Cancelled.
Result<References> findReferences(const File& file, const library::Package& package, Extent blob, uint64_t base,
                                  Monitor& monitor);

} // namespace blobscope::write::macho
