#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace blobscope::library {

/// The result of decoding and re-encoding a blob. `owned + unknown == size`.
struct Verification {
  bool identical = false;
  std::optional<uint64_t> differsAt; ///< offset in the blob
  uint64_t size = 0;
  uint64_t owned = 0;              ///< bytes that a field explains
  uint64_t unknown = 0;            ///< bytes kept unchanged: undecoded payloads, remaining bytes
  std::vector<uint32_t> undecoded; ///< module numbers
};

/// Encodes the blob from its decoded values, compares the bytes, and counts those that fields own. Error: only
/// Cancelled.
Result<Verification> computeVerification(const Blob& blob, Monitor& monitor);

} // namespace blobscope::library
