#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/payloads/tensor/tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace blobscope::diff {

/// How many differences are at least `from` and less than `to`, a power of two each.
struct DifferenceBin {
  double from = 0, to = 0;
  uint64_t count = 0;
  friend bool operator==(const DifferenceBin&, const DifferenceBin&) = default;
};

/// A place where two tensors differ.
struct TensorPlace {
  uint64_t index = 0;       ///< of the element, row-major
  std::vector<uint64_t> at; ///< its index on each axis
  unsigned lane = 0;        ///< of types with several
  std::string a, b;         ///< both values, as payloads::TensorValues says them
};

/// Two tensors compared number by number. Values of a type with several lanes count one by one.
struct TensorDiff {
  /// Why they cannot be compared, a sentence: other shape, other type; then everything else is 0. Or a remark, when
  /// only a part of the values could be: fewer are stored than the shape asks for, or the type has no order.
  std::string note;
  bool compared = false;

  uint64_t count = 0;     ///< values that both have
  uint64_t differing = 0; ///< of other value; -0 equals 0, NaN equals NaN
  /// Differing ones without a difference that is a number: NaN on one side, or an infinity.
  uint64_t withoutDifference = 0;
  uint64_t nansA = 0, nansB = 0, infinitiesA = 0, infinitiesB = 0;
  uint64_t bytesDiffering = 0; ///< stored bytes that are not the same

  double maxAbsolute = 0;                          ///< |a - b|
  double maxRelative = 0;                          ///< |a - b| / max(|a|, |b|), the same from both sides
  double meanAbsolute = 0;                         ///< over all values but those without difference
  double rootMeanSquare = 0;                       ///< likewise
  TensorPlace maxAbsoluteAt, maxRelativeAt, first; ///< only when differing > 0; the maxima's only when they are
  /// Differences other than 0, ascending; at most 64 bins, empty ones at both ends left out.
  std::vector<DifferenceBin> histogram;

  bool same() const { return compared && bytesDiffering == 0; }
};

/// Compares two tensors of one shape and type. Integers are subtracted exactly and then rounded to a double. Types
/// without an order (handles, complex numbers, types of users) are compared by their bytes, so that only `differing`
/// and `first` are told. Looks at the monitor every 1 MiB; the only error is Cancelled.
Result<TensorDiff> compareTensors(const payloads::Tensor& a, const payloads::Tensor& b, Monitor& monitor);

} // namespace blobscope::diff
