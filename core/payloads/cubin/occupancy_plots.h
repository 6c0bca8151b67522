#pragma once

#include "core/view/plot.h"

#include <cstdint>
#include <optional>
#include <string>

namespace blobscope::payloads {

/// Block size of an estimate when a kernel was compiled for any: a common choice.
inline constexpr uint32_t kAssumedThreads = 256;

/// What the occupancy of a kernel depends on.
struct KernelUse {
  std::string name;                ///< may be empty
  uint32_t registers = 0;          ///< per thread
  uint64_t sharedBytes = 0;        ///< per block
  std::optional<uint32_t> threads; ///< per block, at most kMaxBlockThreads
};

/// Returns the occupancy of a kernel over the block size, over the registers and over the shared memory; no plots for a
/// device that findMultiprocessor() does not know.
view::PlotPage occupancyPlots(uint32_t sm, const KernelUse& use);

} // namespace blobscope::payloads
