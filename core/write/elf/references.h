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

/// The dynamic symbol table, and which of its symbols go with the blob.
struct DynamicSymbols {
  uint64_t offset = 0;          ///< in the file
  uint64_t count = 0;           ///< with the null symbol
  std::vector<uint64_t> moving; ///< numbers, ascending
};

/// Looks for whatever would be stale after the blob moved away from the addresses `blob`: dynamic relocations that lead
/// into it other than by a moving symbol, and instructions of x86-64, i386 and AArch64 that compute its address. What
/// relocations say by a moving symbol follows it. Source: core/formats/containers.md 2.1.
/// The file's loads must be ascending and must not overlap. REP-SHAPE for packed relocations whose form is not known;
/// Cancelled.
/// `starts`: where functions begin, ascending.
Result<References> findReferences(const File& file, Extent blob, const DynamicSymbols& symbols,
                                  std::span<const uint64_t> starts, Monitor& monitor);

} // namespace blobscope::write::elf
