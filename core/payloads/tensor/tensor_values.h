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
    NegativeNan, ///< "fnuz": what would be -0 is NaN, no infinities
    None,        ///< only finite values
    Scale        ///< e8m0fnu: no sign, no mantissa, all bits set is NaN
  };
  uint8_t exponentBits, mantissaBits, bias;
  Special special;
};

/// What the elements of a data type mean, by the numbering of its time. Source: core/formats/blob.md 5.1.
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
  Kind kind = Kind::Opaque; ///< Opaque: handles, types of users, widths without a meaning; shown as hexadecimal digits
  unsigned bits = 0;        ///< of one lane
  unsigned lanes = 1;
  SmallFloat small = {}; ///< only Kind::Small

  /// Whether lanes have an order, so that they have a smallest and a mean.
  bool isNumber() const { return kind != Kind::Opaque && kind != Kind::ComplexSingle && kind != Kind::ComplexDouble; }
  /// Bytes of a lane that begins at a byte of its own.
  uint64_t laneBytes() const { return (bits + 7) / 8; }
};

/// `dtype` as stored. Codes 6 and 7 of the older numbering are float8_e4m3fn and float8_e5m2 (TVM's Python side maps
/// them to these types of ml_dtypes), code 8 float4_e2m1fn.
ElementType elementTypeOf(uint32_t dtype, bool dlpack);

/// How many bytes the shape and the data type ask for, as TVM's writer counts: elements × ((bits + 7) / 8), lanes left
/// out. Nothing when the shape has no number of elements or the product does not fit.
std::optional<uint64_t> writtenBytes(const Tensor& tensor);

/// The elements of a tensor, read where they lie. How they lie is told by the number of bytes: each lane in bytes of
/// its own, or, when there are exactly as many bytes as all lanes without gaps need, packed from the lowest bit up.
/// Fewer bytes than needed give fewer elements.
class TensorValues {
public:
  explicit TensorValues(const Tensor& tensor);

  const ElementType& type() const { return m_type; }
  bool isPacked() const { return m_packed; }
  /// Elements of the shape; of a shape without a number of elements, as many as there are bytes for.
  uint64_t count() const { return m_count; }
  /// The first of them, whose bytes are there.
  uint64_t stored() const { return m_stored; }
  /// One line: "0.5", "-3", "true", "nan", "(1, 2)" of lanes. Of floats the shortest digits that give the same float32
  /// or float64. Empty behind stored().
  std::string text(uint64_t index) const;
  /// A lane of an element as a number; NaN for types that have none and behind stored().
  double number(uint64_t index, unsigned lane = 0) const;

  const Bytes& bytes() const { return m_bytes; }
  /// The bits of the n-th lane of all, `lane` below stored() × lanes; only types of at most 64 bits.
  uint64_t bitsOf(uint64_t lane) const;

private:
  std::string laneText(uint64_t lane) const;

  Bytes m_bytes;
  ElementType m_type;
  bool m_packed = false;
  uint64_t m_count = 0;
  uint64_t m_stored = 0;
};

/// What the values of a tensor are like, lanes counted one by one.
struct TensorStatistics {
  static constexpr std::size_t kBins = 64;

  uint64_t count = 0; ///< lanes that were looked at, all that are stored
  uint64_t nans = 0;
  uint64_t infinities = 0;
  uint64_t zeros = 0; ///< of both signs
  /// Of finite values; without meaning when there are none.
  double minimum = 0, maximum = 0;
  std::string minimumText, maximumText; ///< exact, for integers too; empty when there are no finite values
  double mean = 0;
  double deviation = 0; ///< of the values as a whole, not estimated from a sample
  /// Finite values in bins of equal width from minimum to maximum, which belongs to the last one; all in the first
  /// when they are equal.
  std::array<uint64_t, kBins> histogram{};

  uint64_t finite() const { return count - nans - infinities; }
};

/// Reads all stored values once or twice. Looks at the monitor every 1 MiB; the only error is Cancelled. Types without
/// order (ElementType::isNumber()) give a count alone.
Result<TensorStatistics> computeStatistics(const Tensor& tensor, Monitor& monitor);

} // namespace blobscope::payloads
