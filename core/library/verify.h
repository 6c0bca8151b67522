#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace blobscope::library {

/// What decoding and encoding a blob again showed. `owned + unknown == size`.
struct Verification {
  bool identical = false;
  std::optional<uint64_t> differsAt; ///< in the blob
  uint64_t size = 0;
  uint64_t owned = 0;              ///< bytes that a field explains
  uint64_t unknown = 0;            ///< bytes kept as they are: undecoded payloads, left-over bytes
  std::vector<uint32_t> undecoded; ///< module numbers
};

/// Encodes the blob from its decoded values, compares, and counts the bytes that fields own. Error: only Cancelled.
Result<Verification> computeVerification(const Blob& blob, Monitor& monitor);

} // namespace blobscope::library
