#pragma once

#include "core/base/bytes.h"
#include "core/base/extent.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <vector>

namespace blobscope::diff {

struct ByteOptions {
  uint64_t ranges = 4'096; ///< at most this many ranges are kept
  uint32_t buckets = 256;  ///< of the map; 0: no map
};

/// Two byte strings, compared position by position.
struct ByteDiff {
  uint64_t sizeA = 0, sizeB = 0;
  uint64_t differing = 0;     ///< positions that both sides have and whose bytes differ
  uint64_t rangeCount = 0;    ///< runs of adjacent differing positions; bytes that only one side has are not counted
  std::vector<Extent> ranges; ///< the first of them, in order, from the start of the bytes
  /// Number of positions per bucket of `bucketBytes` that differ or exist on one side only; the buckets tile the longer
  /// side.
  std::vector<uint64_t> map;
  uint64_t bucketBytes = 0;

  bool same() const { return differing == 0 && sizeA == sizeB; }
  uint64_t shared() const { return sizeA < sizeB ? sizeA : sizeB; }
  /// Bytes that only the longer side has.
  uint64_t rest() const { return (sizeA < sizeB ? sizeB : sizeA) - shared(); }
  uint64_t rangesLeftOut() const { return rangeCount - ranges.size(); }
};

/// Reads both in pieces of 1 MiB. Bytes at the same memory address are not read. Error: only Cancelled.
Result<ByteDiff> compareBytes(const Bytes& a, const Bytes& b, const ByteOptions& options, Monitor& monitor);

} // namespace blobscope::diff
