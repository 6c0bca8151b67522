#pragma once

#include "core/base/monitor.h"
#include "core/protocol/protocol.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::protocol {

/// The values with which a tensor is filled. Element i depends only on the seed, the tensor's name and i, so that the
/// result is the same on every machine and in every order. Lanes of vector types count as elements.
struct Fill {
  enum class Kind : uint8_t {
    /// floats: Random. Integers: zeros, since they are often indices into other tensors. uint32 with two axes or more:
    /// Random, since those are packed weights (*guess*)
    Default,
    Zeros, ///< all bits 0; e8m0fnu has no zero and gets its smallest number
    Ones,
    Constant, ///< `first`, or `whole`
    Ramp,     ///< 0, 1, 2 …; integers wrap around, floats restart before the type skips numbers
    Identity, ///< 1 where the last two indices are equal; with more axes a batch of such matrices
    Uniform,  ///< [first, second); integers: rounded
    Normal,   ///< near-normal of mean `first` and deviation `second`, at most 3.47 deviations away; integers: rounded
    Integers, ///< [low, high)
    /// in rotation 0, -0, infinities, NaN, subnormals, smallest normal, largest; integers: 0, 1, -1, minimum and
    /// maximum
    Special,
    Random ///< floats: near-normal with deviation 0.1. Integers: all bits
  };
  Kind kind = Kind::Default;
  double first = 0, second = 0;
  int64_t low = 0, high = 0;
  bool whole = false; ///< Constant: `low` is the value, exactly; as uint64_t unless `first` is negative
  friend bool operator==(const Fill&, const Fill&) = default;
};

/// Reads "zeros", "ones", "ramp", "random", "identity", "special", a number, "uniform:lo:hi", "normal:mean:sd",
/// "integers:lo:hi" or "default". RUN-INPUT for `name` with the reason for everything else.
Result<Fill> parseFill(std::string_view name, std::string_view text);
/// The text for which parseFill() returns the same fill.
std::string fillText(const Fill& fill);

struct InputTensor {
  std::string name; ///< seeds the random numbers
  DataType type;
  std::vector<int64_t> shape; ///< outermost first
};

/// The source of random fills. Source: core/formats/host-abi.md 7.1; the mixing is SplitMix64's.
class RandomNumbers {
public:
  RandomNumbers(uint64_t seed, std::string_view tensorName);

  uint64_t bits(uint64_t index) const;
  /// A number in [0, 1) from the bits.
  static double uniform(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }
  /// A number in [-1, 1) from the bits.
  static double symmetric(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-52 - 1; }
  /// Mean 0, deviation 1, within ±3.47.
  static double normal(uint64_t bits);

private:
  uint64_t m_start;
};

/// The default limit for RUN-MEMORY.
constexpr uint64_t kInputBytes = uint64_t{4} << 30;

/// Makes the content of a tensor in pieces of at most 2 MiB and passes them to `take` in order; an error of `take` ends
/// it and is returned. RUN-MEMORY before anything is made when it exceeds `limitBytes` or the shape has no number of
/// bytes; RUN-INPUT when the type has no such values: a constant or an end of a range outside the type's range, a NaN
/// that it lacks, an identity with one axis; Cancelled.
Result<Done> makeInputPieces(const InputTensor& tensor, const Fill& fill, uint64_t seed, Monitor& monitor,
                             const std::function<Result<Done>(std::span<const std::byte>)>& take,
                             uint64_t limitBytes = kInputBytes);
/// The same as one buffer of dataBytes() bytes.
Result<Buffer> makeInput(const InputTensor& tensor, const Fill& fill, uint64_t seed, Monitor& monitor,
                         uint64_t limitBytes = kInputBytes);

/// The content of a tensor from a file: a NumPy file, recognised by its first bytes, with the same type and shape; or
/// only the raw bytes. Types that NumPy lacks are unsigned integers of their width (bfloat16 → uint16, float8 → uint8),
/// packed types are one axis of uint8, lanes are an additional axis: as payloads::npyHeader writes them. Nothing is
/// copied. RUN-INPUT with the reason when it does not fit.
Result<Bytes> inputFromFile(const InputTensor& tensor, const Bytes& file);

} // namespace blobscope::protocol
