#pragma once

#include "core/payloads/tensor/tensor_values.h"
#include "core/protocol/protocol.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::protocol {

/// "float16x4"; DLPack's numbering.
std::string typeText(DataType type);
/// The tensor that payloads reads, of bytes that lie as dataBytes() counts them.
payloads::Tensor tensorOf(DataType type, std::vector<int64_t> shape, Bytes data);

/// How the numbers of a data type lie in the bytes that dataBytes() counts, and which bits stand for which number. What
/// bits mean is payloads' knowledge; here are the places and the way back.
class ElementCode {
public:
  /// Nothing for types without numbers (handles, complex ones, types of users) and for lanes of more than a byte that
  /// do not end with a byte.
  static std::optional<ElementCode> of(DataType type);

  const payloads::ElementType& type() const { return m_type; }
  bool isFloat() const;
  /// Lanes lie bit behind bit, from the lowest bit up. Source: apache/tvm-ffi 0.1
  /// include/tvm/ffi/container/tensor.h, GetDataSize, for the size; the order is payloads::TensorValues'.
  bool isPacked() const { return m_packed; }
  /// Distance of two lanes.
  unsigned strideBits() const { return m_packed ? m_type.bits : static_cast<unsigned>(m_type.laneBytes() * 8); }

  /// The bits of the n-th lane of all; of a bool the byte. The bytes must be there.
  uint64_t load(const std::byte* data, uint64_t lane) const;
  /// Puts bits where there are zeros.
  void store(std::byte* data, uint64_t lane, uint64_t bits) const;

  /// Of at most 64 bits; integers rounded to a double.
  double number(uint64_t bits) const;
  /// Integers of a sign as they are, others as their bits say.
  int64_t integer(uint64_t bits) const;
  /// As payloads::TensorValues says it.
  std::string text(uint64_t bits) const;

  /// The bits of the nearest number, of the even one of two as near. Above the largest: infinity by the rule of IEEE
  /// 754; the largest where there is none. NaN: the quiet one, the largest where there is none. e8m0fnu has neither
  /// sign nor zero: the magnitude, at least its smallest. Only floats.
  uint64_t encode(double value) const;
  bool hasNan() const { return m_nan.has_value(); }
  bool hasInfinity() const { return m_infinity.has_value(); }
  /// Whether there is a bit of its own for the sign.
  bool hasSign() const;
  /// Largest finite float.
  double largest() const { return m_largest; }
  /// Bits behind the leading one of a float.
  unsigned mantissaBits() const { return m_mantissaBits; }
  /// Smallest and largest of an integer or bool.
  int64_t integerMinimum() const;
  uint64_t integerMaximum() const;
  /// All bits of a lane set.
  uint64_t mask() const { return m_type.bits >= 64 ? UINT64_MAX : (uint64_t{1} << m_type.bits) - 1; }

private:
  explicit ElementCode(DataType type);
  void initialiseFloat();
  uint64_t encodeIeee(double value) const;
  uint64_t encodeSmall(double value) const;

  DataType m_dataType;
  payloads::ElementType m_type;
  bool m_packed = false;
  std::vector<double> m_numbers; ///< floats of at most 16 bits: by their bits
  std::size_t m_finite = 0;      ///< small floats: how many of the first numbers are finite and ascend
  std::optional<uint64_t> m_nan, m_infinity;
  double m_largest = 0;
  unsigned m_exponentBits = 0, m_mantissaBits = 0;
};

} // namespace blobscope::protocol
