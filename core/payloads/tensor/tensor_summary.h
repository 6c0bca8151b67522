#pragma once

#include "core/payloads/tensor/tensor_values.h"

namespace blobscope::payloads {

/// What is known about all values of a tensor, or about a sample of them.
struct TensorSummary {
  TensorStatistics statistics; ///< of the values that were read; each lane counts as a value
  uint64_t count = 0;          ///< all stored lanes
  /// 1 %, a half and 99 % of the finite values are at most this; 0 without finite values.
  double low = 0, median = 0, high = 0;
  /// Whether the three were computed from a part of the values that were read.
  bool estimated = false;
  double norm = 0;                    ///< Euclidean norm of the finite values that were read
  std::optional<uint64_t> different;  ///< number of different finite values; not for large tensors
  std::optional<uint64_t> subnormals; ///< values too small for the full precision of their type; as `different`

  bool isSampled() const { return statistics.count < count; }
};

/// Tensors with more bytes than this are sampled, unless all values are asked for.
constexpr uint64_t kWholeTensorBytes = uint64_t{64} << 20;

/// Reads all values if `exact` or if there are at most kWholeTensorBytes; else 16 MiB in blocks of 16 KiB at equal
/// distances. Needs at most 32 MiB of memory. Error: only Cancelled.
Result<TensorSummary> summarizeTensor(const Tensor& tensor, bool exact, Monitor& monitor);

/// Returns a tensor of one axis with at most about `bytes` bytes of the values, in blocks at equal distances; the
/// tensor itself if it is not larger.
Tensor sampleTensor(const Tensor& tensor, uint64_t bytes);

} // namespace blobscope::payloads
