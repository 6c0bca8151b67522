#include "core/protocol/outputs.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/protocol/element_code.h"
#include "core/protocol/number_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace blobscope::protocol {
namespace {

using payloads::ElementType;
using payloads::SmallFloat;
using Kind = ElementType::Kind;

/// Values between two checks of the monitor: at most 512 KiB of each side.
constexpr uint64_t kCheckLanes = uint64_t{1} << 16;
constexpr double kLargest = std::numeric_limits<double>::max();

Error cancelled() { return Error(DiagnosticId::Cancelled, {}); }

/// Distances up to 65,535 have a separate counter each; larger ones share 256 counters per power of two.
class UlpCounts {
public:
  UlpCounts() : m_counts(kExact + (64 - 16) * kSteps) {}

  void add(uint64_t distance) {
    if (distance < kExact) {
      ++m_counts[distance];
      return;
    }
    const auto power = static_cast<unsigned>(std::bit_width(distance)) - 1;
    ++m_counts[kExact + (power - 16) * kSteps + (distance >> (power - 8) & (kSteps - 1))];
  }
  /// The smallest distance that `rank` values do not exceed, or a little more.
  uint64_t reached(uint64_t rank) const {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < m_counts.size(); ++i) {
      sum += m_counts[i];
      if (sum < rank) continue;
      if (i < kExact) return i;
      const uint64_t power = (i - kExact) / kSteps + 16, step = (i - kExact) % kSteps;
      // The last counter ends at 2^64 - 1.
      return ((kSteps + step + 1) << (power - 8)) - 1;
    }
    return 0;
  }

private:
  static constexpr uint64_t kExact = 65'536, kSteps = 256;
  std::vector<uint64_t> m_counts;
};

/// A pair that may be among the worst.
struct RankedPair {
  uint64_t lane = 0;
  uint64_t a = 0, b = 0; ///< bits
  double difference = 0; ///< infinity when it is not a number
  std::optional<uint64_t> ulp;
  bool mismatch = false;
  bool unwrittenA = false, unwrittenB = false;
  bool worseThan(const RankedPair& other) const {
    if (mismatch != other.mismatch) return mismatch;
    return difference > other.difference;
  }
};

/// Maps the bits of floats to integers in the order of the floats.
class FloatOrder {
public:
  explicit FloatOrder(const ElementCode& code) : m_sign(code.hasSign() ? uint64_t{1} << (code.type().bits - 1) : 0) {}
  uint64_t distance(uint64_t a, uint64_t b) const {
    const uint64_t first = ordered(a), second = ordered(b);
    return first > second ? first - second : second - first;
  }

private:
  /// Where there is a sign, both zeros become 2^63.
  uint64_t ordered(uint64_t bits) const {
    constexpr uint64_t kMiddle = uint64_t{1} << 63;
    if (m_sign == 0) return bits;
    return (bits & m_sign) != 0 ? kMiddle - (bits & (m_sign - 1)) : kMiddle + bits;
  }
  uint64_t m_sign;
};

class Comparer {
public:
  Comparer(OutputComparison& out, const ElementCode& code, const std::vector<int64_t>& shape,
           const CompareOptions& options)
      : m_out(out), m_code(code), m_shape(shape), m_order(code), m_nansEqual(options.nansEqual),
        m_smallest(smallestNormal(code)) {
    m_edges[0] = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < m_edges.size(); ++i)
      m_edges[i] = decade(static_cast<int>(i) + OutputComparison::kLowestDecade);
  }

  void floats(uint64_t lane, uint64_t a, uint64_t b) {
    const double first = m_code.number(a), second = m_code.number(b);
    m_out.sameBits += a == b;
    if (std::isfinite(first) && std::isfinite(second)) [[likely]] {
      // The difference of the largest doubles is not a double.
      const double difference = std::min(std::fabs(first - second), kLargest);
      const uint64_t ulp = m_order.distance(a, b);
      const Tolerance& tolerance = m_out.tolerance;
      const bool fine = tolerance.ulp ? ulp <= *tolerance.ulp
                                      : difference <= tolerance.absolute + tolerance.relative * std::fabs(second);
      measure(lane, a, b, first, second, difference, ulp, !fine);
      return;
    }
    const bool nanA = std::isnan(first), nanB = std::isnan(second);
    m_out.nansCandidate += nanA;
    m_out.nansReference += nanB;
    m_out.infinitiesCandidate += std::isinf(first);
    m_out.infinitiesReference += std::isinf(second);
    if (nanA && nanB ? m_nansEqual : first == second) return;
    ++(nanA || nanB ? m_out.nanMismatches : m_out.infinityMismatches);
    mismatchOnly({lane, a, b, std::numeric_limits<double>::infinity(), std::nullopt, true});
  }
  void integers(uint64_t lane, uint64_t a, uint64_t b) {
    m_out.sameBits += a == b;
    const int64_t first = m_code.integer(a), second = m_code.integer(b);
    const bool hasSign = m_code.hasSign();
    const bool less = hasSign ? first < second : static_cast<uint64_t>(first) < static_cast<uint64_t>(second);
    const uint64_t distance = less ? static_cast<uint64_t>(second) - static_cast<uint64_t>(first)
                                   : static_cast<uint64_t>(first) - static_cast<uint64_t>(second);
    const auto value = [&](int64_t number) {
      return hasSign ? static_cast<double>(number) : static_cast<double>(static_cast<uint64_t>(number));
    };
    measure(lane, a, b, value(first), value(second), static_cast<double>(distance), distance, distance != 0);
  }
  void unwritten(uint64_t lane, uint64_t a, uint64_t b, bool ofA, bool ofB) {
    m_out.sameBits += a == b || (ofA && ofB);
    if (ofA && ofB) {
      ++m_out.unwrittenBoth;
      return;
    }
    ++m_out.unwrittenMismatches;
    mismatchOnly({lane, a, b, std::numeric_limits<double>::infinity(), std::nullopt, true, ofA, ofB});
  }

  void finish() {
    const auto measured = static_cast<long double>(m_out.measured);
    if (m_out.measured > 0) {
      m_out.meanAbsolute = asDouble(m_sum / measured);
      m_out.rootMeanSquare = asDouble(std::sqrt(m_squares / measured));
      // The square of the one largest difference may exceed the range of the sum.
      m_out.rootMeanSquare = std::min(m_out.rootMeanSquare, m_out.maxAbsolute);
      m_out.meanAbsolute = std::min(m_out.meanAbsolute, m_out.maxAbsolute);
      m_out.ulp99 = std::min(m_ulps.reached(m_out.measured - m_out.measured / 100), m_out.maxUlp);
    }
    const long double lengths = std::sqrt(m_lengthA) * std::sqrt(m_lengthB);
    if (lengths > 0 && std::isfinite(lengths))
      m_out.cosine = std::clamp(static_cast<double>(m_product / lengths), -1.0, 1.0);
    for (const RankedPair& ranked : m_worst) m_out.worst.push_back(pairOf(ranked));
    m_out.verdict = m_out.mismatches > 0            ? Verdict::Differs
                    : m_out.sameBits == m_out.count ? Verdict::Identical
                                                    : Verdict::WithinTolerance;
  }

private:
  static double smallestNormal(const ElementCode& code) {
    if (!code.isFloat()) return 1;
    return code.number(code.hasSign() ? uint64_t{1} << code.mantissaBits() : 0);
  }
  static double decade(int exponent) {
    // Literals, so that powers of ten have the value to which their digits are parsed.
    constexpr double kPowers[] = {1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5,
                                  1e-4,  1e-3,  1e-2,  1e-1, 1e0,  1e1,  1e2,  1e3};
    return kPowers[exponent - OutputComparison::kLowestDecade];
  }
  static double asDouble(long double value) {
    return value < static_cast<long double>(kLargest) ? static_cast<double>(value) : kLargest;
  }

  void measure(uint64_t lane, uint64_t a, uint64_t b, double first, double second, double difference, uint64_t ulp,
               bool mismatch) {
    ++m_out.measured;
    const long double wideA = first, wideB = second;
    m_product += wideA * wideB;
    m_lengthA += wideA * wideA;
    m_lengthB += wideB * wideB;
    m_ulps.add(ulp);
    ++m_out.ulpBins[ulp <= 2 ? ulp
                             : std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(ulp - 1)) + 1,
                                                     OutputComparison::kUlpBins - 1)];
    if (difference == 0 && ulp == 0) {
      ++m_out.differenceBins[0];
      return;
    }
    const long double wide = difference;
    m_sum += wide;
    m_squares += wide * wide;
    m_out.maxUlp = std::max(m_out.maxUlp, ulp);
    m_out.maxAbsolute = std::max(m_out.maxAbsolute, difference);
    m_out.maxRelative =
        std::max(m_out.maxRelative, std::min(difference / std::max(std::fabs(second), m_smallest), kLargest));
    const auto edge = std::upper_bound(m_edges.begin(), m_edges.end(), difference);
    ++m_out.differenceBins[static_cast<std::size_t>(edge - m_edges.begin())];
    if (mismatch) count(lane);
    remember({lane, a, b, difference, ulp, mismatch});
  }
  void mismatchOnly(const RankedPair& ranked) {
    count(ranked.lane);
    remember(ranked);
  }
  void count(uint64_t lane) {
    ++m_out.mismatches;
    if (m_boxIsFull) return;
    const bool first = m_out.box.empty();
    m_out.box.resize(m_shape.size());
    m_boxIsFull = true;
    uint64_t left = lane / m_code.type().lanes;
    for (std::size_t axis = m_shape.size(); axis-- > 0;) {
      const auto extent = static_cast<uint64_t>(m_shape[axis]); // not 0: there is an element
      const uint64_t at = left % extent;
      left /= extent;
      auto& [low, high] = m_out.box[axis];
      low = first ? at : std::min(low, at);
      high = first ? at : std::max(high, at);
      m_boxIsFull = m_boxIsFull && low == 0 && high + 1 == extent;
    }
  }
  void remember(const RankedPair& ranked) {
    if (m_worst.size() == OutputComparison::kWorst) {
      if (!ranked.worseThan(m_worst.back())) return;
      m_worst.pop_back();
    }
    // After those that are as bad and came first.
    const auto at =
        std::find_if(m_worst.begin(), m_worst.end(), [&](const RankedPair& other) { return ranked.worseThan(other); });
    m_worst.insert(at, ranked);
  }
  ValuePair pairOf(const RankedPair& ranked) const {
    ValuePair out;
    const unsigned lanes = m_code.type().lanes;
    out.index = ranked.lane / lanes;
    out.lane = static_cast<unsigned>(ranked.lane % lanes);
    out.candidate = ranked.unwrittenA ? "not written" : m_code.text(ranked.a);
    out.reference = ranked.unwrittenB ? "not written" : m_code.text(ranked.b);
    if (std::isfinite(ranked.difference)) out.difference = ranked.difference;
    out.ulp = ranked.ulp;
    out.mismatch = ranked.mismatch;
    out.at.resize(m_shape.size());
    uint64_t left = out.index;
    for (std::size_t axis = m_shape.size(); axis-- > 0;) {
      const auto extent = static_cast<uint64_t>(m_shape[axis]); // not 0: there is an element
      out.at[axis] = left % extent;
      left /= extent;
    }
    return out;
  }

  OutputComparison& m_out;
  const ElementCode& m_code;
  const std::vector<int64_t>& m_shape;
  FloatOrder m_order;
  bool m_nansEqual, m_boxIsFull = false;
  double m_smallest;
  std::array<double, OutputComparison::kDifferenceBins - 1> m_edges{};
  UlpCounts m_ulps;
  std::vector<RankedPair> m_worst;
  long double m_sum = 0, m_squares = 0, m_product = 0, m_lengthA = 0, m_lengthB = 0;
};

uint64_t laneCount(const TensorOutput& output) {
  uint64_t count = output.type.lanes;
  for (const int64_t extent : output.shape)
    if (extent < 0 || __builtin_mul_overflow(count, static_cast<uint64_t>(extent), &count)) return 0;
  return count;
}

std::string shapeText(const std::vector<int64_t>& shape) {
  payloads::Tensor tensor;
  tensor.shape = shape;
  return escapedWithin(tensor.shapeText(), 200);
}

/// Why the bytes of an output do not fit its elements; empty when they do.
std::string faultOf(const TensorOutput& output) {
  const auto wanted = dataBytes(output.type, output.shape);
  const std::string what = "shape " + shapeText(output.shape) + " of " + typeText(output.type);
  if (!wanted || output.shape.size() > static_cast<std::size_t>(payloads::Tensor::kMaxRank))
    return what + " has no number of bytes";
  if (output.type.bits == 0 || output.type.lanes == 0) return what + " has no values";
  for (const Bytes* bytes : {&output.data, output.again ? &*output.again : nullptr})
    if (bytes && bytes->size() != *wanted)
      return what + " needs " + sizeText(*wanted) + ", but there are " + sizeText(bytes->size());
  return {};
}

/// Whether the lane still has the value with which both runs began.
bool isUnwritten(const ElementCode& code, const std::byte* first, const std::byte* second, const std::byte* fills,
                 uint64_t lane) {
  // Packed lanes begin at any bit: at the same bit in eight bytes of the fill as in the tensor.
  const uint64_t at = code.isPacked() ? lane % 8 : 0;
  return code.load(first, lane) == code.load(fills, at) && code.load(second, lane) == code.load(fills + 16, at);
}

/// Both fills, 16 bytes each.
std::array<std::byte, 32> fillBytes() {
  std::array<std::byte, 32> out{};
  std::fill_n(out.begin(), 16, std::byte{kFirstFill});
  std::fill_n(out.begin() + 16, 16, std::byte{kSecondFill});
  return out;
}

/// Calls `each(lane)` for all lanes and checks the monitor.
template <class Each> Result<Done> forLanes(uint64_t lanes, std::string_view what, Monitor& monitor, Each each) {
  for (uint64_t from = 0; from < lanes; from += kCheckLanes) {
    if (monitor.stopRequested()) return cancelled();
    monitor.progress(what, from, lanes);
    const uint64_t to = std::min(lanes, from + kCheckLanes);
    for (uint64_t lane = from; lane < to; ++lane) each(lane);
  }
  return Done{};
}

/// Types without numbers: compares bytes.
Result<Done> compareBytes(const Bytes& a, const Bytes& b, DataType type, OutputComparison& out, Monitor& monitor) {
  const uint64_t width = type.bits % 8 == 0 ? uint64_t{type.bits} / 8 : 0;
  if (width == 0 || out.count == 0) {
    const bool same = a == b; // a type of odd width; its size is limited like that of all others
    out.sameBits = same ? out.count : 0;
    out.mismatches = same ? 0 : out.count;
  } else {
    BLOBSCOPE_CHECK(forLanes(out.count, "comparing outputs", monitor, [&](uint64_t lane) {
      out.sameBits += std::memcmp(a.data() + lane * width, b.data() + lane * width, width) == 0;
    }));
    out.mismatches = out.count - out.sameBits;
  }
  out.note = typeText(type) + " has no numbers, so only different bytes are counted";
  out.verdict = out.mismatches > 0 ? Verdict::Differs : Verdict::Identical;
  return Done{};
}

std::string counted(uint64_t count, const OutputComparison& comparison) {
  const std::string_view word = comparison.severalLanes ? "value" : "element";
  return std::string(word) + (count == 1 ? "" : "s");
}

/// Compares lanes of `a` and `b`. `againA` and `againB` are the second runs; null where there is none.
Result<Done> compareAll(const ElementCode& code, const Bytes& a, const Bytes& b, const Bytes* againA,
                        const Bytes* againB, Comparer& comparer, uint64_t lanes, Monitor& monitor) {
  const std::byte *const first = a.data(), *const second = b.data();
  const bool floats = code.isFloat();
  const auto fills = fillBytes();
  return forLanes(lanes, "comparing outputs", monitor, [&](uint64_t lane) {
    const uint64_t bitsA = code.load(first, lane), bitsB = code.load(second, lane);
    const bool unwrittenA = againA && isUnwritten(code, first, againA->data(), fills.data(), lane);
    const bool unwrittenB = againB && isUnwritten(code, second, againB->data(), fills.data(), lane);
    if (unwrittenA || unwrittenB)
      comparer.unwritten(lane, bitsA, bitsB, unwrittenA, unwrittenB);
    else if (floats)
      comparer.floats(lane, bitsA, bitsB);
    else
      comparer.integers(lane, bitsA, bitsB);
  });
}

} // namespace

Result<OutputStatistics> computeOutputStatistics(const TensorOutput& output, Monitor& monitor) {
  longWork("protocol::computeOutputStatistics");
  if (std::string fault = faultOf(output); !fault.empty())
    return Error(DiagnosticId::RunProtocol, {arg("reason", std::move(fault))});
  OutputStatistics out;
  const uint64_t lanes = laneCount(output);
  const auto code = ElementCode::of(output.type);
  if (!code) {
    out.values.count = lanes;
    return out;
  }
  BLOBSCOPE_TRY(values, payloads::computeStatistics(tensorOf(output.type, output.shape, output.data), monitor));
  out.values = std::move(values);
  out.sum =
      static_cast<double>(static_cast<long double>(out.values.mean) * static_cast<long double>(out.values.finite()));
  if (!output.again) return out;
  uint64_t unwritten = 0;
  const auto fills = fillBytes();
  BLOBSCOPE_CHECK(forLanes(lanes, "searching for unwritten elements", monitor, [&](uint64_t lane) {
    unwritten += isUnwritten(*code, output.data.data(), output.again->data(), fills.data(), lane);
  }));
  out.unwritten = unwritten;
  return out;
}

Tolerance defaultTolerance(DataType type) {
  const auto code = ElementCode::of(type);
  switch (code ? code->type().kind : Kind::Opaque) {
  case Kind::Double: return {1e-12, 1e-10, std::nullopt};
  case Kind::Single: return {1e-5, 1e-4, std::nullopt};
  case Kind::Half: return {2e-3, 1e-2, std::nullopt};
  case Kind::BFloat: return {1.6e-2, 2e-2, std::nullopt};
  case Kind::Small: return {0, 0, 1};
  default: return {};
  }
}

std::optional<CompareOptions> parseTolerance(std::string_view text) {
  CompareOptions out;
  const std::size_t comma = text.find(',');
  const auto read = [](std::string_view word, std::optional<double>& number) {
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    double value = 0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (failure != std::errc{} || end != word.data() + word.size() || !std::isfinite(value) || value < 0) return false;
    number = value;
    return true;
  };
  if (!read(text.substr(0, comma), out.absolute)) return std::nullopt;
  if (comma != std::string_view::npos && !read(text.substr(comma + 1), out.relative)) return std::nullopt;
  return out;
}

Tolerance toleranceOf(DataType type, const CompareOptions& options) {
  Tolerance out = defaultTolerance(type);
  const auto code = ElementCode::of(type);
  if (!code || !code->isFloat()) return {};
  if (options.ulp) return {0, 0, options.ulp};
  if (options.absolute || options.relative) out.ulp.reset();
  out.absolute = options.absolute.value_or(out.absolute);
  out.relative = options.relative.value_or(out.relative);
  return out;
}

std::string toleranceText(const Tolerance& tolerance) {
  if (tolerance.ulp) return groupedText(*tolerance.ulp) + " ULP";
  if (tolerance.absolute == 0 && tolerance.relative == 0) return {};
  return "atol " + plainNumber(tolerance.absolute) + ", rtol " + plainNumber(tolerance.relative);
}

std::string_view verdictName(Verdict verdict) {
  switch (verdict) {
  case Verdict::Identical: return "identical";
  case Verdict::WithinTolerance: return "within tolerance";
  case Verdict::Differs: return "differs";
  case Verdict::NotComparable: break;
  }
  return "not comparable";
}

std::string OutputComparison::sentence() const {
  if (verdict == Verdict::NotComparable) return "not comparable: " + note;
  if (count == 0) return "both have no elements";
  const std::string limit = toleranceText(tolerance);
  const std::string of = " of " + groupedText(count) + " " + counted(count, *this);
  std::string out;
  if (verdict == Verdict::Identical) {
    out = groupedText(count) + of + " identical";
  } else if (verdict == Verdict::WithinTolerance) {
    out = groupedText(count) + of + (limit.empty() ? " equal" : " within " + limit);
  } else {
    out = groupedText(mismatches) + of + (mismatches == 1 ? " differs" : " differ") +
          (limit.empty() ? "" : " by more than " + limit);
  }
  if (maxAbsolute > 0 && verdict != Verdict::Identical) out += "; largest difference " + roundedNumber(maxAbsolute);
  if (nanMismatches > 0) out += "; " + groupedText(nanMismatches) + " of them with NaN";
  if (infinityMismatches > 0) out += "; " + groupedText(infinityMismatches) + " of them with an infinity";
  if (unwrittenMismatches > 0) out += "; " + groupedText(unwrittenMismatches) + " written by one only";
  if (unwrittenBoth > 0) out += "; " + groupedText(unwrittenBoth) + " not written by either";
  return out;
}

std::string differenceBinText(std::size_t bin) {
  const auto power = [](int exponent) {
    return exponent == 0 ? std::string("1") : exponent == 1 ? std::string("10") : "1e" + std::to_string(exponent);
  };
  const int from = static_cast<int>(bin) - 1 + OutputComparison::kLowestDecade;
  if (bin == 0) return "0";
  if (bin == 1) return "below " + power(from + 1);
  return bin + 1 >= OutputComparison::kDifferenceBins ? power(from) + " and more"
                                                      : power(from) + " to " + power(from + 1);
}

Result<OutputComparison> compareOutputs(const TensorOutput& candidate, const TensorOutput& reference,
                                        const CompareOptions& options, Monitor& monitor) {
  longWork("protocol::compareOutputs");
  OutputComparison out;
  if (candidate.type != reference.type) {
    out.note = "the types differ, " + typeText(candidate.type) + " and " + typeText(reference.type);
    return out;
  }
  if (candidate.shape != reference.shape) {
    out.note = "the shapes differ, " + shapeText(candidate.shape) + " and " + shapeText(reference.shape);
    return out;
  }
  for (const TensorOutput* side : {&candidate, &reference}) {
    out.note = faultOf(*side);
    if (!out.note.empty()) return out;
  }
  out.count = laneCount(candidate);
  out.severalLanes = candidate.type.lanes > 1;
  out.tolerance = toleranceOf(candidate.type, options);
  const auto code = ElementCode::of(candidate.type);
  if (!code) {
    BLOBSCOPE_CHECK(compareBytes(candidate.data, reference.data, candidate.type, out, monitor));
    return out;
  }
  Comparer comparer(out, *code, candidate.shape, options);
  BLOBSCOPE_CHECK(compareAll(*code, candidate.data, reference.data, candidate.again ? &*candidate.again : nullptr,
                             reference.again ? &*reference.again : nullptr, comparer, out.count, monitor));
  comparer.finish();
  return out;
}

Result<OutputComparison> compareRuns(const TensorOutput& output, Monitor& monitor) {
  longWork("protocol::compareRuns");
  OutputComparison out;
  out.note = output.again ? faultOf(output) : "there is no second run";
  if (!out.note.empty()) return out;
  out.count = laneCount(output);
  out.severalLanes = output.type.lanes > 1;
  const auto code = ElementCode::of(output.type);
  if (!code) {
    BLOBSCOPE_CHECK(compareBytes(*output.again, output.data, output.type, out, monitor));
    return out;
  }
  Comparer comparer(out, *code, output.shape, {});
  const std::byte *const second = output.again->data(), *const first = output.data.data();
  const bool floats = code->isFloat();
  const auto fills = fillBytes();
  BLOBSCOPE_CHECK(forLanes(out.count, "comparing two runs", monitor, [&](uint64_t lane) {
    const uint64_t a = code->load(second, lane), b = code->load(first, lane);
    if (isUnwritten(*code, first, second, fills.data(), lane))
      comparer.unwritten(lane, a, b, true, true);
    else if (floats)
      comparer.floats(lane, a, b);
    else
      comparer.integers(lane, a, b);
  }));
  comparer.finish();
  return out;
}

std::string determinismText(const OutputComparison& runs) {
  if (runs.verdict == Verdict::NotComparable) return "it is unknown whether it is deterministic: " + runs.note;
  return runs.verdict == Verdict::Differs ? "not deterministic: " + runs.sentence() : "both runs gave the same";
}

} // namespace blobscope::protocol
