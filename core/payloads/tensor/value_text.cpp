#include "core/payloads/tensor/value_text.h"

#include "core/base/text.h"
#include "core/view/grid.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace blobscope::payloads {
namespace {

using Kind = ElementType::Kind;

std::string_view withoutSpaces(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

/// A number of a floating type, "inf" and "nan" included; nothing for other text. `tooLarge`: it is a number that the
/// type does not have.
template <class T> std::optional<T> realOf(std::string_view text, bool& tooLarge) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty() || failure == std::errc::invalid_argument) return std::nullopt;
  if (failure == std::errc::result_out_of_range) {
    // Of numbers that are out of range, those near 0 have a negative exponent, or no digit before the point.
    const std::size_t exponent = text.find_first_of("eE");
    const bool small = exponent != std::string_view::npos ? text.substr(exponent + 1).starts_with('-')
                                                          : text.find_first_of("123456789") > text.find('.');
    tooLarge = !small;
    return small ? std::optional<T>(text.starts_with('-') ? -T{0} : T{0}) : std::nullopt;
  }
  return value;
}

class Encoder {
public:
  Encoder(const ElementType& type, std::string_view text, std::string_view ref)
      : m_type(type), m_text(withoutSpaces(text)), m_ref(ref) {}

  Result<uint64_t> bits() const {
    switch (m_type.kind) {
    case Kind::Bool:
      if (m_text == "true" || m_text == "1") return uint64_t{1};
      if (m_text == "false" || m_text == "0") return uint64_t{0};
      return refuse("true or false is needed");
    case Kind::Signed:
    case Kind::Unsigned: return integer();
    case Kind::Single: return wide<float, uint32_t>();
    case Kind::Double: return wide<double, uint64_t>();
    case Kind::Half: return narrow(5, 10, SmallFloat::Special::Ieee, 15);
    case Kind::BFloat: return narrow(8, 7, SmallFloat::Special::Ieee, 127);
    case Kind::Small:
      return narrow(m_type.small.exponentBits, m_type.small.mantissaBits, m_type.small.special, m_type.small.bias);
    default: return refuse("only single numbers can be set");
    }
  }

private:
  Error refuse(std::string reason) const {
    return Error(DiagnosticId::EditValue,
                 {arg("ref", m_ref), {"value", escapedWithin(m_text, 80)}, {"reason", std::move(reason)}});
  }
  Error outside(const std::string& least, const std::string& most) const {
    return refuse("the type has values from " + least + " to " + most);
  }

  Result<uint64_t> integer() const {
    const bool negative = m_text.starts_with('-');
    const auto number = parseNumber(m_text.substr(negative || m_text.starts_with('+') ? 1 : 0));
    if (!number) return refuse("a whole number is needed");
    const uint64_t mask = m_type.bits >= 64 ? UINT64_MAX : (uint64_t{1} << m_type.bits) - 1;
    const bool isSigned = m_type.kind == Kind::Signed;
    const uint64_t most = isSigned ? mask >> 1 : mask;
    const uint64_t limit = !negative ? most : isSigned ? most + 1 : 0;
    if (*number > limit) return outside(isSigned ? "-" + std::to_string(most + 1) : "0", std::to_string(most));
    return (negative ? uint64_t{0} - *number : *number) & mask;
  }

  template <class T, class Bits> Result<uint64_t> wide() const {
    bool tooLarge = false;
    const auto value = realOf<T>(m_text, tooLarge);
    if (value) return uint64_t{std::bit_cast<Bits>(*value)};
    if (!tooLarge) return refuse("a number is needed");
    const std::string most = shortestText(std::numeric_limits<T>::max());
    return outside("-" + most, most);
  }

  /// Floats of at most 16 bits: their patterns without the sign ascend with the value, so the nearest one is searched.
  Result<uint64_t> narrow(unsigned exponentBits, unsigned mantissaBits, SmallFloat::Special special, int bias) const {
    using Special = SmallFloat::Special;
    bool tooLarge = false;
    const auto value = realOf<double>(m_text, tooLarge);
    if (!value && !tooLarge) return refuse("a number is needed");
    const unsigned width = exponentBits + mantissaBits;
    const uint64_t codes = uint64_t{1} << width;
    const auto magnitudeOf = [&](uint64_t code) {
      if (special == Special::Scale) return std::ldexp(1.0, static_cast<int>(code) - bias);
      const auto exponent = static_cast<int>(code >> mantissaBits);
      const auto mantissa = static_cast<double>(code & ((uint64_t{1} << mantissaBits) - 1));
      const double one = std::ldexp(1.0, static_cast<int>(mantissaBits));
      return std::ldexp(exponent == 0 ? mantissa : mantissa + one,
                        (exponent == 0 ? 1 : exponent) - bias - static_cast<int>(mantissaBits));
    };
    const uint64_t infinity = codes - (uint64_t{1} << mantissaBits);
    const uint64_t last = special == Special::Ieee                                  ? infinity - 1
                          : special == Special::OneNan || special == Special::Scale ? codes - 2
                                                                                    : codes - 1;
    const bool negative = value && std::signbit(*value);
    const bool hasSign = special != Special::Scale;
    const uint64_t sign = negative && hasSign ? codes : 0;
    if (value && std::isnan(*value)) {
      if (special == Special::None) return refuse("the type has no NaN");
      if (special == Special::NegativeNan) return codes;
      return special == Special::Ieee ? infinity | uint64_t{1} << (mantissaBits - 1) : codes - 1;
    }
    const std::string most = shortestText(static_cast<float>(magnitudeOf(last)));
    const std::string least = hasSign ? "-" + most : shortestText(static_cast<float>(magnitudeOf(0)));
    if (value && std::isinf(*value) && special == Special::Ieee) return sign | infinity;
    if (!value || std::isinf(*value)) return outside(least, most);
    const double magnitude = std::fabs(*value);
    if (!hasSign && (negative || magnitude == 0)) return outside(least, most);
    uint64_t low = 0, high = last; // the largest code whose value is at most the magnitude
    while (low < high) {
      const uint64_t middle = (low + high + 1) / 2;
      magnitudeOf(middle) <= magnitude ? low = middle : high = middle - 1;
    }
    const double under = magnitude - magnitudeOf(low);
    const double step = magnitudeOf(low == last ? low : low + 1) - magnitudeOf(low == last ? low - 1 : low);
    const bool up = under > step / 2 || (under == step / 2 && (low & 1) != 0);
    if (low == last && (up || under > step / 2)) return outside(least, most);
    if (up) ++low;
    // The bits of -0 are NaN in some types.
    return low == 0 && special == Special::NegativeNan ? 0 : sign | low;
  }

  template <class T> static std::string shortestText(T value) {
    std::array<char, 64> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), end.ptr};
  }

  const ElementType& m_type;
  std::string_view m_text, m_ref;
};

} // namespace

Result<EncodedValue> encodeValue(const Tensor& tensor, std::string_view text, std::string_view ref) {
  const ElementType type = elementTypeOf(tensor.dtype, tensor.dlpack);
  EncodedValue out;
  if (type.lanes != 1)
    return Error(DiagnosticId::EditValue,
                 {arg("ref", ref), {"value", escapedWithin(text, 80)}, {"reason", "only single numbers can be set"}});
  BLOBSCOPE_TRY(bits, Encoder(type, text, ref).bits());
  out.bits = bits;
  out.text = textOfBits(type, bits);
  return out;
}

std::optional<uint64_t> elementAt(const Tensor& tensor, std::span<const uint64_t> index) {
  const auto count = tensor.elementCount();
  // A shape without a number of elements is one axis.
  if (!count) return index.size() == 1 ? std::optional(index[0]) : std::nullopt;
  return view::elementOf(index, std::vector<uint64_t>(tensor.shape.begin(), tensor.shape.end()));
}

} // namespace blobscope::payloads
