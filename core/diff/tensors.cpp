#include "core/diff/tensors.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/diff/bytes.h"
#include "core/payloads/tensor/tensor_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace blobscope::diff {
namespace {

using payloads::ElementType;
using payloads::Tensor;
using payloads::TensorValues;
using Kind = ElementType::Kind;

constexpr uint64_t kLookBytes = 1u << 20;
constexpr std::size_t kMostBins = 64;

template <class T> T loadAt(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Collects the results that are the same for all types.
class Collector {
public:
  explicit Collector(TensorDiff& out) : m_out(out) {}

  /// Adds two floats; `lane` counts all lanes. The frequent case of equal bits costs one comparison.
  void floats(double a, double b, uint64_t lane) {
    if (a == b) {
      if (std::isinf(a)) ++m_out.infinitiesA, ++m_out.infinitiesB;
      return;
    }
    const bool nanA = std::isnan(a), nanB = std::isnan(b);
    m_out.nansA += nanA;
    m_out.nansB += nanB;
    m_out.infinitiesA += std::isinf(a);
    m_out.infinitiesB += std::isinf(b);
    if (nanA && nanB) return;
    differ(lane);
    if (!std::isfinite(a) || !std::isfinite(b)) {
      ++m_out.withoutDifference;
      return;
    }
    // The difference of the largest doubles exceeds the range of double.
    const double difference = std::min(std::fabs(a - b), std::numeric_limits<double>::max());
    numbers(difference, std::max(std::fabs(a), std::fabs(b)), lane);
  }
  template <class T> void integers(T a, T b, uint64_t lane) {
    if (a == b) return;
    differ(lane);
    const uint64_t difference = a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
                                      : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
    numbers(static_cast<double>(difference),
            std::max(std::fabs(static_cast<double>(a)), std::fabs(static_cast<double>(b))), lane);
  }
  void bytes(const std::byte* a, const std::byte* b, uint64_t size, uint64_t lane) {
    if (std::memcmp(a, b, size) != 0) differ(lane);
  }

  /// Lanes of the places; UINT64_MAX if there is none.
  uint64_t firstLane() const { return m_first; }
  uint64_t absoluteLane() const { return m_absolute; }
  uint64_t relativeLane() const { return m_relative; }

  void finish() {
    const uint64_t numbers = m_out.count - m_out.withoutDifference;
    if (numbers > 0) {
      m_out.meanAbsolute = static_cast<double>(m_sum / static_cast<long double>(numbers));
      m_out.rootMeanSquare = static_cast<double>(std::sqrt(m_squares / static_cast<long double>(numbers)));
    }
    // Powers of two below the 64 highest share one bin.
    int low = 0, high = static_cast<int>(m_bins.size()) - 1;
    while (low <= high && m_bins[static_cast<std::size_t>(low)] == 0) ++low;
    while (high >= low && m_bins[static_cast<std::size_t>(high)] == 0) --high;
    if (low > high) return;
    const int start = std::max(low, high - static_cast<int>(kMostBins) + 1);
    uint64_t under = 0;
    for (int bin = low; bin < start; ++bin) under += m_bins[static_cast<std::size_t>(bin)];
    for (int bin = start; bin <= high; ++bin) {
      DifferenceBin out{edge(bin), edge(bin + 1), m_bins[static_cast<std::size_t>(bin)]};
      if (bin == start && under > 0) {
        out.count += under;
        out.from = 0;
      }
      m_out.histogram.push_back(out);
    }
  }

private:
  void differ(uint64_t lane) {
    if (m_out.differing++ == 0) m_first = lane;
  }
  void numbers(double difference, double larger, uint64_t lane) {
    ++m_bins[std::bit_cast<uint64_t>(difference) >> 52 & 0x7ff];
    m_sum += static_cast<long double>(difference);
    m_squares += static_cast<long double>(difference) * static_cast<long double>(difference);
    if (difference > m_out.maxAbsolute) {
      m_out.maxAbsolute = difference;
      m_absolute = lane;
    }
    // Divides only if the result may be the largest.
    if (difference <= m_out.maxRelative * larger) return;
    const double relative = std::min(difference / larger, 2.0);
    if (relative > m_out.maxRelative) {
      m_out.maxRelative = relative;
      m_relative = lane;
    }
  }
  /// Returns the smallest double with that biased exponent; 0 for exponents below the normal ones.
  static double edge(int exponent) {
    return exponent <= 0 ? 0 : std::min(std::ldexp(1.0, exponent - 1023), std::numeric_limits<double>::max());
  }

  TensorDiff& m_out;
  uint64_t m_first = UINT64_MAX, m_absolute = UINT64_MAX, m_relative = UINT64_MAX;
  long double m_sum = 0, m_squares = 0;
  std::array<uint64_t, 2048> m_bins{}; ///< by exponent of the difference
};

/// Returns whether values of both mean the same, even if their types are numbered differently.
bool meanTheSame(const Tensor& a, const Tensor& b) {
  const ElementType first = payloads::elementTypeOf(a.dtype, a.dlpack),
                    second = payloads::elementTypeOf(b.dtype, b.dlpack);
  if (first.kind != second.kind || first.lanes != second.lanes || first.laneBytes() != second.laneBytes()) return false;
  if (first.kind == Kind::Bool) return true;
  if (!first.isNumber()) return a.typeText() == b.typeText();
  return first.bits == second.bits && first.small.exponentBits == second.small.exponentBits &&
         first.small.mantissaBits == second.small.mantissaBits && first.small.bias == second.small.bias &&
         first.small.special == second.small.special;
}

/// Calls `compare(lane)` for all lanes, checking the monitor.
template <class Compare> Result<Done> each(uint64_t lanes, uint64_t laneBytes, Monitor& monitor, Compare&& compare) {
  const uint64_t step = std::max<uint64_t>(kLookBytes / std::max<uint64_t>(laneBytes, 1), 1);
  for (uint64_t from = 0; from < lanes; from += step) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("comparing values", from, lanes);
    const uint64_t to = std::min(lanes, from + step);
    for (uint64_t lane = from; lane < to; ++lane) compare(lane);
  }
  return Done{};
}

/// Returns the value of each bit pattern of a type with at most 16 bits.
std::vector<double> valuesOfCodes(const ElementType& type) {
  std::vector<double> out(std::size_t{1} << type.bits);
  for (std::size_t code = 0; code < out.size(); ++code) out[code] = payloads::numberOfBits(type, code);
  return out;
}

Result<Done> compareAll(const TensorValues& a, const TensorValues& b, uint64_t lanes, Collector& collector,
                        Monitor& monitor) {
  const ElementType& type = a.type();
  const std::byte *const first = a.bytes().data(), *const second = b.bytes().data();
  const uint64_t width = type.laneBytes();
  if (!type.isNumber()) {
    // Packed custom types are compared by their bits.
    if (a.isPacked())
      return each(lanes, 1, monitor, [&](uint64_t i) { collector.integers(a.bitsOf(i), b.bitsOf(i), i); });
    return each(lanes, width, monitor,
                [&](uint64_t i) { collector.bytes(first + i * width, second + i * width, width, i); });
  }
  switch (type.kind) {
  case Kind::Single:
    return each(lanes, 4, monitor, [&](uint64_t i) {
      collector.floats(static_cast<double>(loadAt<float>(first + i * 4)),
                       static_cast<double>(loadAt<float>(second + i * 4)), i);
    });
  case Kind::Double:
    return each(lanes, 8, monitor, [&](uint64_t i) {
      collector.floats(loadAt<double>(first + i * 8), loadAt<double>(second + i * 8), i);
    });
  case Kind::Half:
  case Kind::BFloat:
  case Kind::Small: {
    if (type.bits > 16) break;
    const std::vector<double> values = valuesOfCodes(type);
    const uint64_t mask = values.size() - 1;
    if (type.bits == 16)
      return each(lanes, 2, monitor, [&](uint64_t i) {
        collector.floats(values[loadAt<uint16_t>(first + i * 2)], values[loadAt<uint16_t>(second + i * 2)], i);
      });
    return each(lanes, 1, monitor,
                [&](uint64_t i) { collector.floats(values[a.bitsOf(i) & mask], values[b.bitsOf(i) & mask], i); });
  }
  case Kind::Signed: {
    const unsigned unused = 64 - std::min(type.bits, 64u);
    const auto value = [unused](uint64_t bits) { return static_cast<int64_t>(bits << unused) >> unused; };
    if (width == 1 && !a.isPacked() && type.bits == 8)
      return each(lanes, 1, monitor,
                  [&](uint64_t i) { collector.integers(loadAt<int8_t>(first + i), loadAt<int8_t>(second + i), i); });
    if (type.bits == 32)
      return each(lanes, 4, monitor, [&](uint64_t i) {
        collector.integers(loadAt<int32_t>(first + i * 4), loadAt<int32_t>(second + i * 4), i);
      });
    return each(lanes, width, monitor,
                [&](uint64_t i) { collector.integers(value(a.bitsOf(i)), value(b.bitsOf(i)), i); });
  }
  default: break;
  }
  return each(lanes, width, monitor, [&](uint64_t i) { collector.integers(a.bitsOf(i), b.bitsOf(i), i); });
}

TensorPlace placeOf(uint64_t lane, const Tensor& tensor, const TensorValues& a, const TensorValues& b) {
  TensorPlace out;
  if (lane == UINT64_MAX) return out;
  out.index = lane / a.type().lanes;
  out.lane = static_cast<unsigned>(lane % a.type().lanes);
  out.a = a.text(out.index);
  out.b = b.text(out.index);
  uint64_t left = out.index;
  if (!tensor.elementCount()) {
    out.at = {left};
    return out;
  }
  out.at.resize(tensor.shape.size());
  for (std::size_t axis = tensor.shape.size(); axis-- > 0;) {
    const auto extent = static_cast<uint64_t>(tensor.shape[axis]);
    out.at[axis] = extent == 0 ? 0 : left % extent;
    left = extent == 0 ? 0 : left / extent;
  }
  return out;
}

} // namespace

namespace {

class DifferenceGrid final : public view::GridSource {
public:
  DifferenceGrid(const Tensor& a, const Tensor& b) : m_a(a), m_b(b) {}
  uint64_t stored() const override { return std::min(m_a.stored(), m_b.stored()); }
  std::string text(uint64_t index) const override {
    if (index >= stored()) return {};
    const std::string a = m_a.text(index), b = m_b.text(index);
    return a == b ? a : a + " → " + b;
  }
  void numbers(uint64_t first, uint64_t step, std::span<double> out) const override {
    for (double& number : out) {
      number = difference(first);
      first = step > UINT64_MAX - first ? UINT64_MAX : first + step;
    }
  }

private:
  double difference(uint64_t index) const {
    const double a = m_a.number(index), b = m_b.number(index);
    const bool bothNan = std::isnan(a) && std::isnan(b) && index < stored();
    return a == b || bothNan ? 0 : b - a;
  }
  TensorValues m_a, m_b;
};

} // namespace

std::shared_ptr<const view::GridSource> differenceGrid(const Tensor& a, const Tensor& b) {
  return std::make_shared<DifferenceGrid>(a, b);
}

Result<TensorDiff> compareTensors(const Tensor& a, const Tensor& b, Monitor& monitor) {
  longWork("diff::compareTensors");
  TensorDiff out;
  const TensorValues first(a), second(b);
  if (!meanTheSame(a, b)) {
    out.note = "the types differ, " + a.typeText() + " and " + b.typeText() + ", so the values are not compared";
    return out;
  }
  if (a.shape != b.shape) {
    out.note = "the shapes differ, " + a.shapeText() + " and " + b.shapeText() + ", so the values are not compared";
    return out;
  }
  if (first.layout() != second.layout()) {
    out.note = "the tensors are stored in " + sizeText(a.data.size()) + " and " + sizeText(b.data.size()) +
               ", so the values are not compared";
    return out;
  }
  const ElementType& type = first.type();
  if (type.laneBytes() == 0 || type.lanes == 0) {
    out.note = a.typeText() + " has no values";
    return out;
  }
  if (first.layout() == payloads::Layout::None) {
    out.note = "TVM does not state where values of the type " + a.typeText() + " are, so they are not compared";
    return out;
  }
  out.compared = true;
  const uint64_t stored = std::min(first.stored(), second.stored());
  out.count = stored * type.lanes;
  if (stored < std::max(first.count(), second.count()))
    out.note = "only " + groupedText(stored) + " of " + groupedText(std::max(first.count(), second.count())) +
               " values are stored in both";
  else if (!type.isNumber())
    out.note = a.typeText() + " has no order, so only different values are counted";

  ByteOptions options;
  options.ranges = 0;
  options.buckets = 0;
  BLOBSCOPE_TRY(bytes, compareBytes(a.data, b.data, options, monitor));
  out.bytesDiffering = bytes.differing + bytes.rest();
  Collector collector(out);
  BLOBSCOPE_CHECK(compareAll(first, second, out.count, collector, monitor));
  if (!type.isNumber()) {
    // Differences of bit patterns are meaningless.
    out.maxAbsolute = out.maxRelative = 0;
  } else {
    collector.finish();
    out.maxAbsoluteAt = placeOf(collector.absoluteLane(), a, first, second);
    out.maxRelativeAt = placeOf(collector.relativeLane(), a, first, second);
  }
  out.first = placeOf(collector.firstLane(), a, first, second);
  return out;
}

} // namespace blobscope::diff
