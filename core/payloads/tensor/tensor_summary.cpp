#include "core/payloads/tensor/tensor_summary.h"

#include "core/base/thread_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace blobscope::payloads {
namespace {

constexpr uint64_t kBlockBytes = 16u << 10, kStatisticsBytes = 16u << 20;
constexpr uint64_t kSorted = 1u << 19; ///< values that are sorted at once: less than 100 ms

/// The smallest positive value with the full precision of the type; 0 for types without subnormal numbers.
double leastNormal(const ElementType& type) {
  using Kind = ElementType::Kind;
  switch (type.kind) {
  case Kind::Half: return std::ldexp(1.0, -14);
  case Kind::BFloat:
  case Kind::Single: return static_cast<double>(std::numeric_limits<float>::min());
  case Kind::Double: return std::numeric_limits<double>::min();
  case Kind::Small:
    if (type.small.special == SmallFloat::Special::Scale) return 0;
    return std::ldexp(1.0, 1 - type.small.bias);
  default: return 0;
  }
}

/// Sorts some of the finite values to find those in the middle and near the ends.
Result<Done> addOrder(const Tensor& tensor, TensorSummary& out, Monitor& monitor) {
  const ElementType type = elementTypeOf(tensor.dtype, tensor.dlpack);
  const uint64_t width = std::max<uint64_t>(type.laneBytes(), 1);
  const bool whole = out.statistics.count <= kSorted;
  const TensorValues values(whole ? tensor : sampleTensor(tensor, kSorted * width));
  out.estimated = !whole;
  std::vector<double> sorted;
  sorted.reserve(std::min(values.stored() * type.lanes, kSorted));
  uint64_t subnormals = 0;
  const double normal = leastNormal(type);
  for (uint64_t i = 0; i < values.stored(); ++i) {
    if (i % 65'536 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    for (unsigned lane = 0; lane < type.lanes && sorted.size() < kSorted; ++lane) {
      const double value = values.number(i, lane);
      if (!std::isfinite(value)) continue;
      subnormals += value != 0 && std::fabs(value) < normal;
      sorted.push_back(value == 0 ? 0 : value); // -0 equals 0
    }
  }
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  if (sorted.empty()) return Done{};
  std::ranges::sort(sorted);
  const auto at = [&](double part) {
    return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1) + 0.5)];
  };
  out.low = at(0.01);
  out.median = at(0.5);
  out.high = at(0.99);
  if (!whole) return Done{};
  out.subnormals = subnormals;
  out.different = static_cast<uint64_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  return Done{};
}

} // namespace

Tensor sampleTensor(const Tensor& tensor, uint64_t bytes) {
  const TensorValues values(tensor);
  const ElementType& type = values.type();
  // Eight packed elements are whole bytes.
  const uint64_t elementBits = uint64_t{type.bits} * type.lanes;
  const uint64_t unit = values.isPacked() ? elementBits : type.laneBytes() * type.lanes;
  const uint64_t size = values.usedBytes();
  if (unit == 0 || size <= bytes) return tensor;
  const uint64_t block = std::max<uint64_t>(kBlockBytes / unit, 1) * unit;
  const uint64_t blocks = std::max<uint64_t>(bytes / block, 1), units = size / unit;
  std::string data;
  data.reserve(blocks * block);
  for (uint64_t i = 0; i < blocks; ++i) {
    const uint64_t first = units / blocks * i + units % blocks * i / blocks;
    data += tensor.data.slice(first * unit, std::min(block, size - first * unit) / unit * unit).view();
  }
  Tensor out;
  out.dtype = tensor.dtype;
  out.dlpack = tensor.dlpack;
  out.packed = tensor.packed;
  out.rank = 1;
  out.shape = {static_cast<int64_t>(values.isPacked() ? data.size() / unit * 8 : data.size() / unit)};
  out.data = Bytes::copyOf(data);
  return out;
}

Result<TensorSummary> summarizeTensor(const Tensor& tensor, bool exact, Monitor& monitor) {
  longWork("payloads::summarizeTensor");
  const TensorValues values(tensor);
  TensorSummary out;
  out.count = values.stored() * values.type().lanes;
  const bool sampled = !exact && tensor.data.size() > kWholeTensorBytes;
  const Tensor part = sampled ? sampleTensor(tensor, kStatisticsBytes) : tensor;
  BLOBSCOPE_TRY(statistics, computeStatistics(part, monitor));
  out.statistics = statistics;
  if (!values.type().isNumber() || statistics.finite() == 0) return out;
  const auto finite = static_cast<double>(statistics.finite());
  out.norm = std::sqrt(finite) * std::hypot(statistics.mean, statistics.deviation);
  BLOBSCOPE_CHECK(addOrder(part, out, monitor));
  return out;
}

} // namespace blobscope::payloads
