#pragma once

#include "core/base/monitor.h"
#include "core/protocol/protocol.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::protocol {

/// What a tensor is filled with. Element i depends on the seed, the tensor's name and i alone, so that every machine
/// and every order give the same. Lanes of vector types count one by one.
struct Fill {
  enum class Kind : uint8_t {
    Default, ///< floats: Random. Integers: zeros, since they are often places in other tensors. uint32 with two axes or
             ///< more: Random, since those are packed weights (*guess*)
    Zeros,   ///< every bit 0; e8m0fnu has no zero and gets its smallest
    Ones,
    Constant, ///< `first`, or `whole`
    Ramp,     ///< 0, 1, 2 …; integers wrap around, floats begin again before the type skips numbers
    Identity, ///< 1 where the last two indices are equal; a batch of them with more axes
    Uniform,  ///< [first, second); integers: rounded
    Normal,   ///< near-normal of mean `first` and deviation `second`, at most 3.47 deviations away; integers: rounded
    Integers, ///< [low, high)
    Special,  ///< in turn 0, -0, infinities, NaN, subnormals, smallest normal, largest; integers: 0, 1, -1 and the ends
    Random    ///< floats: near-normal of deviation 0.1. Integers: all bits
  };
  Kind kind = Kind::Default;
  double first = 0, second = 0;
  int64_t low = 0, high = 0;
  bool whole = false; ///< Constant: `low` is the value, exactly; as uint64_t unless `first` is negative
  friend bool operator==(const Fill&, const Fill&) = default;
};

/// Reads "zeros", "ones", "ramp", "random", "identity", "special", a number, "uniform:lo:hi", "normal:mean:sd" or
/// "integers:lo:hi"; "default" too. RUN-INPUT for `name` with the reason for anything else.
Result<Fill> parseFill(std::string_view name, std::string_view text);
/// The words that parseFill() makes the same of.
std::string fillText(const Fill& fill);

struct InputTensor {
  std::string name; ///< changes the random numbers
  DataType type;
  std::vector<int64_t> shape; ///< outermost first
};

/// The numbers that random fills are made of. Source: core/formats/host-abi.md 7.1; the mixing is SplitMix64's.
class RandomNumbers {
public:
  RandomNumbers(uint64_t seed, std::string_view tensorName);

  uint64_t bits(uint64_t index) const;
  /// [0, 1) of such bits.
  static double uniform(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }
  /// [-1, 1).
  static double symmetric(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-52 - 1; }
  /// Mean 0, deviation 1, within ±3.47.
  static double normal(uint64_t bits);

private:
  uint64_t m_start;
};

/// What RUN-MEMORY compares with unless told otherwise.
constexpr uint64_t kInputBytes = uint64_t{4} << 30;

/// Makes the content of a tensor in pieces of at most 2 MiB and gives them to `take` in order; an error of `take` ends
/// it and is returned. RUN-MEMORY before anything is made when it exceeds `limitBytes` or the shape has no number of
/// bytes; RUN-INPUT when the type has no such values: a constant or an end of a range beyond the type's, a NaN that it
/// lacks, an identity with one axis; Cancelled.
Result<Done> makeInputPieces(const InputTensor& tensor, const Fill& fill, uint64_t seed, Monitor& monitor,
                             const std::function<Result<Done>(std::span<const std::byte>)>& take,
                             uint64_t limitBytes = kInputBytes);
/// The same as one buffer of dataBytes() bytes.
Result<Buffer> makeInput(const InputTensor& tensor, const Fill& fill, uint64_t seed, Monitor& monitor,
                         uint64_t limitBytes = kInputBytes);

/// The content of a tensor as a file has it: NumPy's format, told by its first bytes, of the same type and shape; or
/// the raw bytes and nothing else. Types that NumPy lacks are unsigned integers of their width (bfloat16 → uint16,
/// float8 → uint8), packed ones one axis of uint8, lanes one axis more: what payloads::npyHeader writes. Nothing is
/// copied. RUN-INPUT with the reason when it does not fit.
Result<Bytes> inputFromFile(const InputTensor& tensor, const Bytes& file);

} // namespace blobscope::protocol
