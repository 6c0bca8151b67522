#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/payloads/tensor/tensor.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace blobscope::payloads {

/// Layout of the bits of a float of at most 8 bits. Source: OCP 8-bit Floating Point Specification 1.0, OCP
/// Microscaling Formats 1.0; dlpack include/dlpack/dlpack.h, DLDataTypeCode, for the variants "fnuz" and "b11".
struct SmallFloat {
  enum class Special : uint8_t {
    Ieee,        ///< highest exponent: infinities and NaNs
    OneNan,      ///< "fn": all bits of exponent and mantissa set is NaN, no infinities
    NegativeNan, ///< "fnuz": the bits of -0 are NaN, no infinities
    None,        ///< only finite values
    Scale        ///< e8m0fnu: no sign, no mantissa, all bits set is NaN
  };
  uint8_t exponentBits, mantissaBits, bias;
  Special special;
};

/// The meaning of the elements of a data type, by the numbering of its release. Source: core/formats/blob.md 5.1.
struct ElementType {
  enum class Kind : uint8_t {
    Bool,
    Signed,
    Unsigned,
    Half,
    Single,
    Double,
    BFloat,
    Small,
    ComplexSingle,
    ComplexDouble,
    Opaque
  };
  Kind kind = Kind::Opaque; ///< Opaque: handles, user types, widths without a meaning; shown as hexadecimal digits
  unsigned bits = 0;        ///< of one lane
  unsigned lanes = 1;
  SmallFloat small = {}; ///< only Kind::Small

  /// Whether lanes are ordered, so that they have a minimum and a mean.
  bool isNumber() const { return kind != Kind::Opaque && kind != Kind::ComplexSingle && kind != Kind::ComplexDouble; }
  /// Bytes of a lane that is not packed.
  uint64_t laneBytes() const { return (bits + 7) / 8; }
};

/// `dtype` as stored. Codes 6 and 7 of the older numbering are float8_e4m3fn and float8_e5m2 (TVM's Python side maps
/// them to these types of ml_dtypes), code 8 float4_e2m1fn.
ElementType elementTypeOf(uint32_t dtype, bool dlpack);

/// The number that the bits of a lane stand for; NaN for types without numbers. Types of at most 64 bits.
double numberOfBits(const ElementType& type, uint64_t bits);
/// The bits of a lane as text, as TensorValues::text(). Numbers and bools.
std::string textOfBits(const ElementType& type, uint64_t bits);

/// The number of bytes that shape and data type require, as TVM's writer counts them: elements × ((bits + 7) / 8),
/// without lanes. Nothing when the shape has no number of elements or the product does not fit.
std::optional<uint64_t> writtenBytes(const Tensor& tensor);

/// How the lanes of a type lie in the bytes. Source: core/formats/blob.md 5.3.
enum class Layout : uint8_t {
  Bytes,     ///< each lane in its own bytes
  HighFirst, ///< float4: two lanes in a byte, the first in its high half
  LowFirst,  ///< Tensor::packed, from the lowest bit up
  None       ///< other types of less than 8 bits: TVM reads back other values than it was given
};

/// The elements of a tensor, read without a copy. Fewer bytes than needed give fewer elements; Layout::None gives none.
class TensorValues {
public:
  explicit TensorValues(const Tensor& tensor);

  const ElementType& type() const { return m_type; }
  Layout layout() const { return m_layout; }
  /// Whether a byte may have bits of several lanes.
  bool isPacked() const { return m_layout == Layout::HighFirst || m_layout == Layout::LowFirst; }
  /// The bytes from the start of the tensor that elements lie in; those after them are no data.
  uint64_t usedBytes() const;
  /// Where the bits of a lane begin, counted from the lowest bit of the first byte.
  uint64_t firstBit(uint64_t lane) const;
  /// Elements of the shape; for a shape without a number of elements, the elements for which there are bytes.
  uint64_t count() const { return m_count; }
  /// The number of elements, counted from the first, whose bytes are stored.
  uint64_t stored() const { return m_stored; }
  /// One line: "0.5", "-3", "true", "nan", "(1, 2)" for lanes. For floats the shortest digits that give the same
  /// float32 or float64. Empty from stored() on.
  std::string text(uint64_t index) const;
  /// A lane of an element as a number; NaN for types without numbers and from stored() on.
  double number(uint64_t index, unsigned lane = 0) const;

  const Bytes& bytes() const { return m_bytes; }
  /// The bits of a lane, counted over all elements, `lane` below stored() × lanes; only types of at most 64 bits.
  uint64_t bitsOf(uint64_t lane) const;

private:
  std::string laneText(uint64_t lane) const;

  Bytes m_bytes;
  ElementType m_type;
  Layout m_layout = Layout::Bytes;
  uint64_t m_count = 0;
  uint64_t m_stored = 0;
};

/// Statistics over the values of a tensor; each lane counts as a value.
struct TensorStatistics {
  static constexpr std::size_t kBins = 64;

  uint64_t count = 0; ///< all stored lanes
  uint64_t nans = 0;
  uint64_t infinities = 0;
  uint64_t zeros = 0; ///< of both signs
  /// Of finite values; meaningless when there are none.
  double minimum = 0, maximum = 0;
  std::string minimumText, maximumText; ///< exact, for integers too; empty when there are no finite values
  double mean = 0;
  double deviation = 0; ///< of all values, not estimated from a sample
  /// Finite values in bins of equal width from minimum to maximum, which belongs to the last bin; all values are in the
  /// first bin when they are equal.
  std::array<uint64_t, kBins> histogram{};

  uint64_t finite() const { return count - nans - infinities; }
};

/// Reads all stored values once or twice. Checks the monitor every 1 MiB; the only error is Cancelled. Types without
/// order (ElementType::isNumber()) only get a count.
Result<TensorStatistics> computeStatistics(const Tensor& tensor, Monitor& monitor);

} // namespace blobscope::payloads
