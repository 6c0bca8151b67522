#include "core/protocol/element_code.h"

#include "core/base/field_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace blobscope::protocol {
namespace {

using payloads::ElementType;
using payloads::SmallFloat;
using payloads::Tensor;
using Kind = ElementType::Kind;

uint32_t storedType(DataType type) { return type.code | uint32_t{type.bits} << 8 | uint32_t{type.lanes} << 16; }

bool isPackedType(DataType type) {
  // As in dataBytes(): a bool takes one byte.
  return type.bits < 8 && !(type.code == 1 && type.bits == 1 && type.lanes == 1);
}

} // namespace

std::string typeText(DataType type) { return dataTypeName(storedType(type), true); }

Tensor tensorOf(DataType type, std::vector<int64_t> shape, Bytes data) {
  Tensor out;
  out.dtype = storedType(type);
  out.dlpack = true;
  out.rank = static_cast<int32_t>(std::min<std::size_t>(shape.size(), Tensor::kMaxRank));
  out.shape = std::move(shape);
  out.data = std::move(data);
  out.packed = isPackedType(type);
  return out;
}

std::optional<ElementCode> ElementCode::of(DataType type) {
  const ElementType element = payloads::elementTypeOf(storedType(type), true);
  if (!element.isNumber() || element.lanes == 0 || element.bits == 0 || element.bits > 64) return std::nullopt;
  if (element.bits > 8 && element.bits % 8 != 0) return std::nullopt;
  return ElementCode(type);
}

ElementCode::ElementCode(DataType type)
    : m_type(payloads::elementTypeOf(storedType(type), true)), m_packed(isPackedType(type)) {
  if (isFloat()) initialiseFloat();
}

bool ElementCode::isFloat() const {
  switch (m_type.kind) {
  case Kind::Half:
  case Kind::Single:
  case Kind::Double:
  case Kind::BFloat:
  case Kind::Small: return true;
  default: return false;
  }
}

bool ElementCode::hasSign() const {
  if (m_type.kind == Kind::Small) return m_type.small.special != SmallFloat::Special::Scale;
  return isFloat() || m_type.kind == Kind::Signed;
}

void ElementCode::initialiseFloat() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (m_type.kind) {
  case Kind::Half: m_exponentBits = 5, m_mantissaBits = 10; break;
  case Kind::BFloat: m_exponentBits = 8, m_mantissaBits = 7; break;
  case Kind::Single: m_exponentBits = 8, m_mantissaBits = 23; break;
  case Kind::Double: m_exponentBits = 11, m_mantissaBits = 52; break;
  default: m_exponentBits = m_type.small.exponentBits, m_mantissaBits = m_type.small.mantissaBits;
  }
  if (m_type.bits > 16) {
    m_infinity = ((uint64_t{1} << m_exponentBits) - 1) << m_mantissaBits;
    m_nan = *m_infinity | uint64_t{1} << (m_mantissaBits - 1);
    m_largest = number(*m_infinity - 1);
    return;
  }
  const std::size_t count = std::size_t{1} << m_type.bits;
  m_numbers.resize(count);
  for (std::size_t code = 0; code < count; ++code) {
    const double value = m_numbers[code] = payloads::numberOfBits(m_type, code);
    if (value == kInfinity) m_infinity = code;
    if (std::isnan(value) && !m_nan) m_nan = code;
    if (std::isfinite(value)) m_largest = std::max(m_largest, value);
  }
  if (m_infinity) m_nan = *m_infinity | uint64_t{1} << (m_mantissaBits - 1);
  const std::size_t magnitudes = hasSign() ? count / 2 : count;
  while (m_finite < magnitudes && std::isfinite(m_numbers[m_finite])) ++m_finite;
}

uint64_t ElementCode::firstBit(uint64_t lane) const {
  const bool highFirst = m_type.kind == Kind::Small && m_type.bits == 4; // as payloads::Layout::HighFirst
  return highFirst ? (lane ^ 1) * 4 : lane * m_type.bits;
}

uint64_t ElementCode::load(const std::byte* data, uint64_t lane) const {
  uint64_t bits = 0;
  if (m_packed) {
    const uint64_t at = firstBit(lane);
    bits = std::to_integer<uint64_t>(data[at / 8]);
    if (at % 8 + m_type.bits > 8) bits |= std::to_integer<uint64_t>(data[at / 8 + 1]) << 8;
    return bits >> at % 8 & mask();
  }
  const std::size_t width = m_type.laneBytes();
  std::memcpy(&bits, data + lane * width, width);
  return bits;
}

void ElementCode::store(std::byte* data, uint64_t lane, uint64_t bits) const {
  if (!m_packed) {
    const std::size_t width = m_type.laneBytes();
    std::memcpy(data + lane * width, &bits, width);
    return;
  }
  const uint64_t at = firstBit(lane);
  const uint64_t shifted = (bits & mask()) << at % 8;
  data[at / 8] |= static_cast<std::byte>(shifted & 0xff);
  if (at % 8 + m_type.bits > 8) data[at / 8 + 1] |= static_cast<std::byte>(shifted >> 8);
}

int64_t ElementCode::integer(uint64_t bits) const {
  if (m_type.kind == Kind::Bool) return bits != 0;
  const unsigned unused = 64 - m_type.bits;
  if (m_type.kind == Kind::Signed) return static_cast<int64_t>(bits << unused) >> unused;
  return static_cast<int64_t>(bits);
}

double ElementCode::number(uint64_t bits) const {
  switch (m_type.kind) {
  case Kind::Single: return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  case Kind::Double: return std::bit_cast<double>(bits);
  case Kind::Unsigned: return static_cast<double>(bits);
  case Kind::Bool:
  case Kind::Signed: return static_cast<double>(integer(bits));
  default: return m_numbers[bits & mask()];
  }
}

std::string ElementCode::text(uint64_t bits) const { return payloads::textOfBits(m_type, bits); }

int64_t ElementCode::integerMinimum() const {
  return m_type.kind == Kind::Signed ? -static_cast<int64_t>(mask() >> 1) - 1 : 0;
}

uint64_t ElementCode::integerMaximum() const {
  if (m_type.kind == Kind::Bool) return 1;
  return m_type.kind == Kind::Signed ? mask() >> 1 : mask();
}

uint64_t ElementCode::encode(double value) const {
  if (m_type.kind == Kind::Double) return std::bit_cast<uint64_t>(value);
  return m_type.kind == Kind::Small ? encodeSmall(value) : encodeIeee(value);
}

uint64_t ElementCode::encodeIeee(double value) const {
  const auto source = std::bit_cast<uint64_t>(value);
  const uint64_t sign = (source >> 63) << (m_exponentBits + m_mantissaBits);
  const auto exponent = static_cast<int>(source >> 52 & 0x7ff);
  if (std::isnan(value)) return *m_nan;
  if (std::isinf(value)) return sign | *m_infinity;
  if (exponent == 0) return sign; // float64's own subnormals are far below those of the other types
  const int bias = (1 << (m_exponentBits - 1)) - 1;
  const int target = exponent - 1023 + bias;
  const uint64_t significand = (source & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  const int dropped = 52 - static_cast<int>(m_mantissaBits) + (target <= 0 ? 1 - target : 0);
  if (dropped > 53) return sign;
  uint64_t kept = significand >> dropped;
  const uint64_t rest = significand & ((uint64_t{1} << dropped) - 1), half = uint64_t{1} << (dropped - 1);
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  // `kept` includes the leading one, which adds to the exponent; a carry from rounding does the same.
  const uint64_t magnitude = target <= 0 ? kept : (static_cast<uint64_t>(target - 1) << m_mantissaBits) + kept;
  return sign | std::min(magnitude, *m_infinity);
}

uint64_t ElementCode::encodeSmall(double value) const {
  const uint64_t last = m_finite - 1;
  if (std::isnan(value)) return m_nan.value_or(last);
  const double magnitude = std::fabs(value);
  const auto end = m_numbers.begin() + static_cast<std::ptrdiff_t>(m_finite);
  const auto above = std::upper_bound(m_numbers.begin(), end, magnitude);
  uint64_t code = above == m_numbers.begin() ? 0 : static_cast<uint64_t>(above - m_numbers.begin()) - 1;
  if (code == last) {
    // The next number would be as far away as the previous one. It is even, so a value in the middle is rounded to it.
    const double step = m_numbers[last] - m_numbers[last - 1];
    if (m_infinity && magnitude >= m_numbers[last] + step / 2) code = *m_infinity;
  } else if (above != m_numbers.begin()) {
    const double middle = (m_numbers[code] + m_numbers[code + 1]) / 2;
    if (magnitude > middle || (magnitude == middle && (code & 1) != 0)) ++code;
  }
  if (!hasSign() || !std::signbit(value)) return code;
  if (code == 0 && m_type.small.special == SmallFloat::Special::NegativeNan) return 0;
  return code | uint64_t{1} << (m_type.bits - 1);
}

} // namespace blobscope::protocol
