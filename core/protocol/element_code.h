#pragma once

#include "core/payloads/tensor/tensor_values.h"
#include "core/protocol/protocol.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::protocol {

/// The name of a data type, "float16x4", in DLPack's numbering.
std::string typeText(DataType type);
/// The tensor for payloads, from bytes in the layout that dataBytes() counts.
payloads::Tensor tensorOf(DataType type, std::vector<int64_t> shape, Bytes data);

/// Converts between the numbers of a data type and their bits, in the layout that dataBytes() counts. core/payloads
/// knows the meaning of the bits; this class adds their places and the conversion to bits.
class ElementCode {
public:
  /// Nothing for types without numbers (handles, complex numbers, user types) and for lanes of more than 8 bits that
  /// are not whole bytes.
  static std::optional<ElementCode> of(DataType type);

  const payloads::ElementType& type() const { return m_type; }
  bool isFloat() const;
  /// Whether lanes have no gaps between them. Source: apache/tvm-ffi 0e18f73fd172
  /// include/tvm/ffi/container/tensor.h, GetDataSize, for the size; the order is that of payloads::TensorValues.
  bool isPacked() const { return m_packed; }
  /// Distance of two neighbouring lanes.
  unsigned strideBits() const { return m_packed ? m_type.bits : static_cast<unsigned>(m_type.laneBytes() * 8); }

  /// The bits of a lane, counted over all elements; for a bool its byte. The bytes must exist.
  uint64_t load(const std::byte* data, uint64_t lane) const;
  /// Stores bits; the lane must be zero before.
  void store(std::byte* data, uint64_t lane, uint64_t bits) const;

  /// The number for bits of at most 64; integers are rounded to a double.
  double number(uint64_t bits) const;
  /// The integer for bits, with its sign for signed types.
  int64_t integer(uint64_t bits) const;
  /// The text for bits, as payloads::TensorValues writes it.
  std::string text(uint64_t bits) const;

  /// The bits of the nearest number, or of the even one when two are equally near. Above the largest number: infinity
  /// by the rule of IEEE 754, or the largest when the type has no infinity. NaN: the quiet one, or the largest when the
  /// type has no NaN. e8m0fnu has neither sign nor zero: the magnitude, at least its smallest. Only floats.
  uint64_t encode(double value) const;
  bool hasNan() const { return m_nan.has_value(); }
  bool hasInfinity() const { return m_infinity.has_value(); }
  /// Whether the type has a sign bit.
  bool hasSign() const;
  /// Largest finite float.
  double largest() const { return m_largest; }
  /// Number of bits after the leading one of a float.
  unsigned mantissaBits() const { return m_mantissaBits; }
  /// Smallest and largest of an integer or bool.
  int64_t integerMinimum() const;
  uint64_t integerMaximum() const;
  /// All bits of a lane set.
  uint64_t mask() const { return m_type.bits >= 64 ? UINT64_MAX : (uint64_t{1} << m_type.bits) - 1; }

private:
  explicit ElementCode(DataType type);
  void initialiseFloat();
  uint64_t firstBit(uint64_t lane) const; ///< of a packed lane
  uint64_t encodeIeee(double value) const;
  uint64_t encodeSmall(double value) const;

  payloads::ElementType m_type;
  bool m_packed = false;
  std::vector<double> m_numbers; ///< floats of at most 16 bits: the number for each bit pattern
  std::size_t m_finite = 0;      ///< small floats: number of finite numbers at the start, which ascend
  std::optional<uint64_t> m_nan, m_infinity;
  double m_largest = 0;
  unsigned m_exponentBits = 0, m_mantissaBits = 0;
};

} // namespace blobscope::protocol
