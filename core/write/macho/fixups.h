#pragma once

#include "core/write/code_references.h"
#include "core/write/macho/plan.h"

/// Fix-ups, with which the loader changes pointers. Source: Apple mach-o/fixup-chains.h; opcodes: REBASE_OPCODE_… of
/// mach-o/loader.h.
namespace blobscope::write::macho {

/// Returns LC_DYLD_CHAINED_FIXUPS with an additional segment without fix-ups before the last one. The size grows by 0
/// or 8 bytes. REP-FIXUPS when its count differs from the segments of the file, or the last segment has fix-ups.
Result<std::string> addSegmentToFixups(const File& file, const Table& table);

/// Finds references that would be stale after the blob moves away from the addresses `blob`: pointers into it (opcodes,
/// chained fix-ups), pointers inside it, and instructions of x86-64 and arm64 that compute its address. Bindings by
/// name follow the name. `base`: address of the Mach-O header. Source: core/formats/containers.md 2.1. Errors:
/// REP-FIXUPS for fix-ups that cannot be followed, REP-SHAPE, Cancelled.
Result<References> findReferences(const File& file, const library::Package& package, Extent blob, uint64_t base,
                                  Monitor& monitor);

} // namespace blobscope::write::macho
