#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/payloads/tensor/tensor.h"
#include "core/view/grid.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace blobscope::diff {

/// The number of differences that are at least `from` and less than `to`, both powers of two.
struct DifferenceBin {
  double from = 0, to = 0;
  uint64_t count = 0;
  friend bool operator==(const DifferenceBin&, const DifferenceBin&) = default;
};

/// A place where two tensors differ.
struct TensorPlace {
  uint64_t index = 0;       ///< of the element, row-major
  std::vector<uint64_t> at; ///< its index on each axis
  unsigned lane = 0;        ///< for types with several lanes
  std::string a, b;         ///< both values, as payloads::TensorValues formats them
};

/// Two tensors compared number by number. Each lane of a type with several lanes counts as one value.
struct TensorDiff {
  /// A sentence why they cannot be compared (different shape or type); then everything else is 0. Or a remark that only
  /// a part of the values could be compared: fewer are stored than the shape requires, or the type has no order.
  std::string note;
  bool compared = false;

  uint64_t count = 0;     ///< values that both have
  uint64_t differing = 0; ///< values that differ; -0 equals 0, NaN equals NaN
  /// Differing values whose difference is not a finite number: NaN on one side, or an infinity.
  uint64_t withoutDifference = 0;
  uint64_t nansA = 0, nansB = 0, infinitiesA = 0, infinitiesB = 0;
  uint64_t bytesDiffering = 0; ///< stored bytes that differ

  double maxAbsolute = 0;                          ///< |a - b|
  double maxRelative = 0;                          ///< |a - b| / max(|a|, |b|), symmetric
  double meanAbsolute = 0;                         ///< over all values except those in withoutDifference
  double rootMeanSquare = 0;                       ///< over the same values
  TensorPlace maxAbsoluteAt, maxRelativeAt, first; ///< only when differing > 0; the maxima only when they are > 0 too
  /// Nonzero differences, ascending; at most 64 bins, without the empty ones at both ends.
  std::vector<DifferenceBin> histogram;

  bool same() const { return compared && bytesDiffering == 0; }
};

/// Compares two tensors of the same shape and type. Integers are subtracted exactly, then rounded to a double. Types
/// without an order (handles, complex numbers, custom types) are compared by their bytes, so that only `differing` and
/// `first` are set. Checks the monitor every 1 MiB; the only error is Cancelled.
Result<TensorDiff> compareTensors(const payloads::Tensor& a, const payloads::Tensor& b, Monitor& monitor);

/// The differences b - a of two tensors of the same shape, for a heat map; the text of an element has both values. NaN
/// where a difference is not a finite number, except that equal values have the difference 0.
std::shared_ptr<const view::GridSource> differenceGrid(const payloads::Tensor& a, const payloads::Tensor& b);

} // namespace blobscope::diff
