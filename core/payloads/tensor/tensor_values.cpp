#include "core/payloads/tensor/tensor_values.h"

#include "core/base/text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace blobscope::payloads {
namespace {

using Kind = ElementType::Kind;

template <class T> T loadAt(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

float halfValue(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16, exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  if (exponent == 0) return std::copysign(std::ldexp(static_cast<float>(mantissa), -24), sign ? -1.0f : 1.0f);
  const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

float bfloatValue(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

float smallValue(const SmallFloat& format, uint64_t bits) {
  using Special = SmallFloat::Special;
  const unsigned width = format.exponentBits + format.mantissaBits;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  if (format.special == Special::Scale) return bits == 255 ? kNan : std::ldexp(1.0f, static_cast<int>(bits) - 127);
  const bool negative = bits >> width & 1;
  const auto magnitude = static_cast<unsigned>(bits & ((1u << width) - 1));
  const unsigned exponent = magnitude >> format.mantissaBits, mantissa = magnitude & ((1u << format.mantissaBits) - 1);
  const unsigned highest = (1u << format.exponentBits) - 1;
  if (format.special == Special::NegativeNan && negative && magnitude == 0) return kNan;
  if (format.special == Special::OneNan && magnitude == (1u << width) - 1) return kNan;
  if (format.special == Special::Ieee && exponent == highest) {
    if (mantissa != 0) return kNan;
    return negative ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
  }
  const unsigned significand = exponent == 0 ? mantissa : mantissa | 1u << format.mantissaBits;
  const int power = static_cast<int>(exponent == 0 ? 1 : exponent) - format.bias - format.mantissaBits;
  const float value = std::ldexp(static_cast<float>(significand), power);
  return negative ? -value : value;
}

int64_t signExtended(uint64_t bits, unsigned width) {
  const unsigned unused = 64 - width;
  return static_cast<int64_t>(bits << unused) >> unused;
}

template <class T> std::string shortest(T value) {
  if (std::isnan(value)) return "nan";
  std::array<char, 64> digits;
  const auto [end, failure] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return std::string(digits.data(), end);
}

/// The value of at most 32 bits, exact for the kinds for which it is called.
float floatOf(const ElementType& type, uint64_t bits) {
  switch (type.kind) {
  case Kind::Half: return halfValue(static_cast<uint16_t>(bits));
  case Kind::BFloat: return bfloatValue(static_cast<uint16_t>(bits));
  case Kind::Single: return std::bit_cast<float>(static_cast<uint32_t>(bits));
  default: return smallValue(type.small, bits);
  }
}

} // namespace

double numberOfBits(const ElementType& type, uint64_t bits) {
  switch (type.kind) {
  case Kind::Bool: return bits != 0;
  case Kind::Signed: return static_cast<double>(signExtended(bits, type.bits));
  case Kind::Unsigned: return static_cast<double>(bits);
  case Kind::Double: return std::bit_cast<double>(bits);
  case Kind::Half:
  case Kind::Single:
  case Kind::BFloat:
  case Kind::Small: return static_cast<double>(floatOf(type, bits));
  default: return std::numeric_limits<double>::quiet_NaN();
  }
}

std::string textOfBits(const ElementType& type, uint64_t bits) {
  switch (type.kind) {
  case Kind::Bool: return bits != 0 ? "true" : "false";
  case Kind::Signed: return std::to_string(signExtended(bits, type.bits));
  case Kind::Unsigned: return std::to_string(bits);
  case Kind::Double: return shortest(std::bit_cast<double>(bits));
  default: return shortest(floatOf(type, bits));
  }
}

namespace {

/// Collects the parts of the result that all ways of reading share.
class Collector {
public:
  explicit Collector(TensorStatistics& out) : m_out(out) {}

  /// The first pass: `times` lanes with that value.
  void add(double value, uint64_t times) {
    if (std::isfinite(value)) {
      m_out.zeros += value == 0 ? times : 0;
      m_out.minimum = std::min(m_out.minimum, value);
      m_out.maximum = std::max(m_out.maximum, value);
      m_sum += static_cast<long double>(value) * static_cast<long double>(times);
    } else if (std::isnan(value)) {
      m_out.nans += times;
    } else {
      m_out.infinities += times;
    }
  }
  void begin() {
    m_out.minimum = std::numeric_limits<double>::infinity();
    m_out.maximum = -m_out.minimum;
  }
  /// Between the passes: minimum, maximum and mean are final from here on.
  void between() {
    if (m_out.finite() == 0) {
      m_out.minimum = m_out.maximum = 0;
      return;
    }
    m_out.mean = static_cast<double>(m_sum / static_cast<long double>(m_out.finite()));
    // Halves, because the range of all doubles does not fit into a double.
    const double width = m_out.maximum / 2 - m_out.minimum / 2;
    m_scale = TensorStatistics::kBins / width / 2;
    m_wide = !std::isfinite(m_out.maximum - m_out.minimum) || !std::isfinite(m_scale);
  }
  void setSum(long double sum) { m_sum = sum; }
  /// The second pass; only finite values.
  void place(double value, uint64_t times) { m_out.histogram[bin(value)] += times; }
  std::size_t bin(double value) const {
    const double at = m_wide ? slowBin(value) : (value - m_out.minimum) * m_scale;
    if (!(at > 0)) return 0;
    return at < TensorStatistics::kBins ? static_cast<std::size_t>(at) : TensorStatistics::kBins - 1;
  }
  void finish(long double squares) {
    if (m_out.finite() > 0)
      m_out.deviation = static_cast<double>(std::sqrt(squares / static_cast<long double>(m_out.finite())));
  }

private:
  double slowBin(double value) const {
    const double width = m_out.maximum / 2 - m_out.minimum / 2;
    return width > 0 ? (value / 2 - m_out.minimum / 2) / width * TensorStatistics::kBins : 0;
  }

  TensorStatistics& m_out;
  long double m_sum = 0;
  double m_scale = 0;
  bool m_wide = false;
};

Error cancelled() { return Error(DiagnosticId::Cancelled, {}); }

constexpr uint64_t kLookBytes = 1u << 20;
constexpr const char* kWhat = "reading values";

/// Lanes of at most 16 bits: it is sufficient to know how often each of the 65,536 bit patterns occurs.
Result<Done> countCodes(const TensorValues& values, uint64_t lanes, std::vector<uint64_t>& counts, Monitor& monitor) {
  const std::byte* const data = values.bytes().data();
  const uint64_t bytesPerLane = values.type().laneBytes();
  const uint64_t mask = (uint64_t{1} << values.type().bits) - 1;
  const bool direct = !values.isPacked() && (values.type().bits == 8 || values.type().bits == 16);
  const uint64_t step = kLookBytes / bytesPerLane;
  // With one table, equal neighbours would wait for each other's increment.
  std::vector<uint64_t> second(counts.size(), 0);
  for (uint64_t from = 0; from < lanes; from += step) {
    if (monitor.stopRequested()) return cancelled();
    monitor.progress(kWhat, from, lanes);
    const uint64_t to = std::min(lanes, from + step);
    uint64_t i = from;
    if (direct && bytesPerLane == 2) {
      for (; i + 2 <= to; i += 2) {
        const auto pair = loadAt<uint32_t>(data + i * 2);
        ++counts[pair & 0xffff];
        ++second[pair >> 16];
      }
      for (; i < to; ++i) ++counts[loadAt<uint16_t>(data + i * 2)];
    } else if (direct) {
      for (; i + 2 <= to; i += 2) {
        ++counts[std::to_integer<unsigned>(data[i])];
        ++second[std::to_integer<unsigned>(data[i + 1])];
      }
      for (; i < to; ++i) ++counts[std::to_integer<unsigned>(data[i])];
    } else {
      for (; i < to; ++i) ++counts[values.bitsOf(i) & mask];
    }
  }
  for (std::size_t code = 0; code < counts.size(); ++code) counts[code] += second[code];
  return Done{};
}

Result<Done> fromCodes(const TensorValues& values, uint64_t lanes, TensorStatistics& out, Monitor& monitor) {
  std::vector<uint64_t> counts(std::size_t{1} << values.type().bits, 0);
  BLOBSCOPE_CHECK(countCodes(values, lanes, counts, monitor));
  Collector collector(out);
  collector.begin();
  uint64_t smallest = 0, largest = 0;
  for (uint64_t code = 0; code < counts.size(); ++code) {
    if (counts[code] == 0) continue;
    const double value = numberOfBits(values.type(), code);
    if (std::isfinite(value) && value < out.minimum) smallest = code;
    if (std::isfinite(value) && value > out.maximum) largest = code;
    collector.add(value, counts[code]);
  }
  collector.between();
  if (out.finite() == 0) return Done{};
  out.minimumText = textOfBits(values.type(), smallest);
  out.maximumText = textOfBits(values.type(), largest);
  long double squares = 0;
  for (uint64_t code = 0; code < counts.size(); ++code) {
    const double value = numberOfBits(values.type(), code);
    if (counts[code] == 0 || !std::isfinite(value)) continue;
    collector.place(value, counts[code]);
    const long double away = static_cast<long double>(value) - out.mean;
    squares += away * away * static_cast<long double>(counts[code]);
  }
  collector.finish(squares);
  return Done{};
}

/// Calls `each(value)` for all lanes in blocks of a sum's size, and `block()` after each block.
template <class Load, class Each, class Block>
Result<Done> forBlocks(uint64_t lanes, uint64_t bytesPerLane, uint64_t done, Monitor& monitor, Load load, Each each,
                       Block block) {
  const uint64_t step = kLookBytes / bytesPerLane, small = 4096;
  for (uint64_t from = 0; from < lanes; from += step) {
    if (monitor.stopRequested()) return cancelled();
    monitor.progress(kWhat, done + from, 2 * lanes);
    const uint64_t end = std::min(lanes, from + step);
    for (uint64_t start = from; start < end; start += small) {
      const uint64_t to = std::min(end, start + small);
      for (uint64_t i = start; i < to; ++i) each(load(i));
      block();
    }
  }
  return Done{};
}

/// Wider lanes, in two passes. Sums of 4,096 values are doubles, their sum has a wider type.
template <class T, class Load>
Result<Done> fromValues(uint64_t lanes, uint64_t bytesPerLane, TensorStatistics& out, Monitor& monitor, Load load) {
  Collector collector(out);
  T smallest = std::numeric_limits<T>::max(), largest = std::numeric_limits<T>::lowest();
  long double sum = 0;
  double part = 0;
  uint64_t zeros = 0, odd = 0, nans = 0;
  BLOBSCOPE_CHECK(forBlocks(
      lanes, bytesPerLane, 0, monitor, load,
      [&](T value) {
        if constexpr (std::is_floating_point_v<T>) {
          if (!(std::abs(value) <= std::numeric_limits<T>::max())) [[unlikely]] {
            ++odd;
            nans += std::isnan(value);
            return;
          }
        }
        zeros += value == 0;
        smallest = value < smallest ? value : smallest;
        largest = value > largest ? value : largest;
        part += static_cast<double>(value);
      },
      [&] { sum += std::exchange(part, 0.0); }));
  out.zeros = zeros;
  out.nans = nans;
  out.infinities = odd - nans;
  collector.begin();
  collector.setSum(sum);
  if (out.finite() > 0) {
    out.minimum = static_cast<double>(smallest);
    out.maximum = static_cast<double>(largest);
    if constexpr (std::is_floating_point_v<T>) {
      out.minimumText = shortest(smallest);
      out.maximumText = shortest(largest);
    } else {
      out.minimumText = std::to_string(smallest);
      out.maximumText = std::to_string(largest);
    }
  }
  collector.between();
  if (out.finite() == 0) return Done{};
  long double squares = 0;
  BLOBSCOPE_CHECK(forBlocks(
      lanes, bytesPerLane, lanes, monitor, load,
      [&](T value) {
        if constexpr (std::is_floating_point_v<T>)
          if (!(std::abs(value) <= std::numeric_limits<T>::max())) [[unlikely]]
            return;
        const double number = static_cast<double>(value), away = number - out.mean;
        part += away * away;
        ++out.histogram[collector.bin(number)];
      },
      [&] { squares += std::exchange(part, 0.0); }));
  collector.finish(squares);
  return Done{};
}

} // namespace

ElementType elementTypeOf(uint32_t dtype, bool dlpack) {
  using Special = SmallFloat::Special;
  constexpr SmallFloat kE3m4 = {3, 4, 3, Special::Ieee}, kE4m3 = {4, 3, 7, Special::Ieee},
                       kE4m3b11fnuz = {4, 3, 11, Special::NegativeNan}, kE4m3fn = {4, 3, 7, Special::OneNan},
                       kE4m3fnuz = {4, 3, 8, Special::NegativeNan}, kE5m2 = {5, 2, 15, Special::Ieee},
                       kE5m2fnuz = {5, 2, 16, Special::NegativeNan}, kE8m0fnu = {8, 0, 127, Special::Scale},
                       kE2m3fn = {2, 3, 1, Special::None}, kE3m2fn = {3, 2, 3, Special::None},
                       kE2m1fn = {2, 1, 1, Special::None};
  constexpr std::array<SmallFloat, 11> kDlpack = {kE3m4,     kE4m3,    kE4m3b11fnuz, kE4m3fn, kE4m3fnuz, kE5m2,
                                                  kE5m2fnuz, kE8m0fnu, kE2m3fn,      kE3m2fn, kE2m1fn};
  constexpr std::array<SmallFloat, 3> kOlder = {kE4m3fn, kE5m2, kE2m1fn};
  const unsigned code = dtype & 0xff;
  ElementType type;
  type.bits = dtype >> 8 & 0xff;
  type.lanes = dtype >> 16;
  const auto small = [&](const SmallFloat& format) {
    const unsigned width = format.exponentBits + format.mantissaBits + (format.special == Special::Scale ? 0u : 1u);
    if (type.bits != width) return;
    type.kind = Kind::Small;
    type.small = format;
  };
  const bool integer = type.bits >= 1 && type.bits <= 64;
  switch (code) {
  case 0:
    if (integer) type.kind = Kind::Signed;
    break;
  case 1:
    if (integer) type.kind = type.bits == 1 ? Kind::Bool : Kind::Unsigned;
    break;
  case 2:
    type.kind = type.bits == 16   ? Kind::Half
                : type.bits == 32 ? Kind::Single
                : type.bits == 64 ? Kind::Double
                                  : Kind::Opaque;
    break;
  case 3: break;
  case 4:
    if (type.bits == 16) type.kind = Kind::BFloat;
    break;
  case 5:
    type.kind = type.bits == 64 ? Kind::ComplexSingle : type.bits == 128 ? Kind::ComplexDouble : Kind::Opaque;
    break;
  default:
    if (dlpack && code == 6 && integer)
      type.kind = Kind::Bool;
    else if (dlpack && code >= 7 && code - 7 < kDlpack.size())
      small(kDlpack[code - 7]);
    else if (!dlpack && code - 6 < kOlder.size())
      small(kOlder[code - 6]);
  }
  return type;
}

std::optional<uint64_t> writtenBytes(const Tensor& tensor) {
  const auto count = tensor.elementCount();
  uint64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, elementTypeOf(tensor.dtype, tensor.dlpack).laneBytes(), &bytes))
    return std::nullopt;
  return bytes;
}

namespace {

Layout layoutOf(const Tensor& tensor, const ElementType& type) {
  if (type.bits >= 8 || type.bits == 0) return Layout::Bytes;
  if (type.kind == Kind::Small && type.bits == 4) return Layout::HighFirst;
  if (tensor.packed) return Layout::LowFirst;
  return type.kind == Kind::Bool ? Layout::Bytes : Layout::None; // a bool takes a byte also where it has one bit
}

} // namespace

TensorValues::TensorValues(const Tensor& tensor)
    : m_bytes(tensor.data), m_type(elementTypeOf(tensor.dtype, tensor.dlpack)) {
  const uint64_t size = m_bytes.size(), elementBytes = m_type.laneBytes() * m_type.lanes;
  const uint64_t elementBits = uint64_t{m_type.bits} * m_type.lanes;
  const auto count = tensor.elementCount();
  if (elementBytes == 0) {
    m_count = count.value_or(0);
    return;
  }
  m_layout = layoutOf(tensor, m_type);
  const uint64_t room = isPacked() ? size * 8 / elementBits : size / elementBytes;
  m_count = count.value_or(room);
  m_stored = m_layout == Layout::None ? 0 : std::min(m_count, room);
}

uint64_t TensorValues::usedBytes() const {
  const uint64_t lanes = m_stored * m_type.lanes;
  return isPacked() ? (lanes * m_type.bits + 7) / 8 : lanes * m_type.laneBytes();
}

uint64_t TensorValues::firstBit(uint64_t lane) const {
  if (m_layout == Layout::HighFirst) return (lane ^ 1) * 4;
  return lane * (m_layout == Layout::LowFirst ? m_type.bits : m_type.laneBytes() * 8);
}

uint64_t TensorValues::bitsOf(uint64_t lane) const {
  const uint64_t mask = m_type.bits >= 64 ? UINT64_MAX : (uint64_t{1} << m_type.bits) - 1;
  if (isPacked()) {
    const uint64_t at = firstBit(lane);
    auto bits = std::to_integer<uint64_t>(m_bytes.data()[at / 8]);
    if (at % 8 + m_type.bits > 8) bits |= std::to_integer<uint64_t>(m_bytes.data()[at / 8 + 1]) << 8;
    return bits >> at % 8 & mask;
  }
  const uint64_t width = m_type.laneBytes();
  uint64_t bits = 0;
  std::memcpy(&bits, m_bytes.data() + lane * width, std::min<uint64_t>(width, 8));
  // A bool is true for any byte that is not 0.
  return m_type.kind == Kind::Bool ? bits != 0 : bits & mask;
}

std::string TensorValues::laneText(uint64_t lane) const {
  const uint64_t width = m_type.laneBytes();
  const std::byte* const at = m_bytes.data() + lane * width;
  switch (m_type.kind) {
  case Kind::ComplexSingle: {
    const auto imaginary = loadAt<float>(at + 4);
    return shortest(loadAt<float>(at)) + (std::signbit(imaginary) ? "" : "+") + shortest(imaginary) + "j";
  }
  case Kind::ComplexDouble: {
    const auto imaginary = loadAt<double>(at + 8);
    return shortest(loadAt<double>(at)) + (std::signbit(imaginary) ? "" : "+") + shortest(imaginary) + "j";
  }
  case Kind::Opaque:
    if (isPacked()) return hexText(bitsOf(lane));
    if (width <= 8) return hexText(bitsOf(lane));
    return hexDigits(m_bytes.view().substr(lane * width, width));
  default: return textOfBits(m_type, bitsOf(lane));
  }
}

std::string TensorValues::text(uint64_t index) const {
  if (index >= m_stored) return {};
  if (m_type.lanes == 1) return laneText(index);
  constexpr unsigned kShownLanes = 16;
  std::string out = "(";
  for (unsigned lane = 0; lane < m_type.lanes && lane < kShownLanes; ++lane)
    out += (lane > 0 ? ", " : "") + laneText(index * m_type.lanes + lane);
  return out + (m_type.lanes > kShownLanes ? ", …)" : ")");
}

double TensorValues::number(uint64_t index, unsigned lane) const {
  if (index >= m_stored || lane >= m_type.lanes || !m_type.isNumber()) return std::numeric_limits<double>::quiet_NaN();
  return numberOfBits(m_type, bitsOf(index * m_type.lanes + lane));
}

Result<TensorStatistics> computeStatistics(const Tensor& tensor, Monitor& monitor) {
  const TensorValues values(tensor);
  const ElementType& type = values.type();
  const uint64_t lanes = values.stored() * type.lanes, width = type.laneBytes();
  TensorStatistics out;
  out.count = lanes;
  if (!type.isNumber() || lanes == 0) return out;
  const std::byte* const data = values.bytes().data();
  Result<Done> read = Done{};
  if (type.bits <= 16 && type.kind != Kind::Double && type.kind != Kind::Single) {
    read = fromCodes(values, lanes, out, monitor);
  } else if (type.kind == Kind::Single) {
    read = fromValues<float>(lanes, width, out, monitor, [data](uint64_t i) { return loadAt<float>(data + i * 4); });
  } else if (type.kind == Kind::Double) {
    read = fromValues<double>(lanes, width, out, monitor, [data](uint64_t i) { return loadAt<double>(data + i * 8); });
  } else if (type.kind == Kind::Signed && type.bits == 32) {
    read =
        fromValues<int32_t>(lanes, width, out, monitor, [data](uint64_t i) { return loadAt<int32_t>(data + i * 4); });
  } else if (type.kind == Kind::Signed) {
    const unsigned bits = type.bits;
    read = fromValues<int64_t>(lanes, width, out, monitor,
                               [&, bits](uint64_t i) { return signExtended(values.bitsOf(i), bits); });
  } else {
    read = fromValues<uint64_t>(lanes, width, out, monitor, [&](uint64_t i) { return values.bitsOf(i); });
  }
  BLOBSCOPE_CHECK(std::move(read));
  return out;
}

} // namespace blobscope::payloads
