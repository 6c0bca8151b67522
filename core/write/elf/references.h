#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/elf/file.h"
#include "core/write/code_references.h"

#include <cstdint>
#include <span>
#include <vector>

namespace blobscope::write::elf {

using namespace container::elf;

/// The dynamic symbol table, and those of its symbols that move with the blob.
struct DynamicSymbols {
  uint64_t offset = 0;          ///< in the file
  uint64_t count = 0;           ///< including the null symbol
  std::vector<uint64_t> moving; ///< symbol indexes, ascending
};

/// Finds references that would be stale after the blob moves away from the addresses `blob`: dynamic relocations into
/// it without a moving symbol, and instructions of x86-64, i386 and AArch64 that compute its address. Relocations
/// against a moving symbol follow the symbol. Source: core/formats/containers.md 2.1. The loads of the file must be
/// ascending and must not overlap. `starts`: start addresses of functions, ascending. Errors: REP-SHAPE for packed
/// relocations of an unknown form, Cancelled.
Result<References> findReferences(const File& file, Extent blob, const DynamicSymbols& symbols,
                                  std::span<const uint64_t> starts, Monitor& monitor);

} // namespace blobscope::write::elf
