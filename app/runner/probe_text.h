#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What a host function says when it refuses its arguments, of all releases. Pure. Source:
/// core/formats/host-abi.md 2.2, 2.5.
namespace blobscope::runner {

/// What one refusal asks for.
struct ProbeFact {
  enum class Kind : uint8_t {
    None,
    Count,
    ArgumentKind,
    Rank,
    Dtype,
    Extent,
    DeviceType,
    EveryDeviceType,
    Scalar,
    Literal
  };
  Kind kind = Kind::None;
  std::string name;      ///< the argument's path with underscores, with the function's name in front in some releases
  std::size_t index = 0; ///< of the argument (ArgumentKind) or the dimension (Extent)
  int64_t number = 0;    ///< the count, rank, extent, device type or value
  std::string text;      ///< "pointer", "float32", the signature, or the expression of an extent
};

/// `free` stands for every variable of an expression.
ProbeFact probeFact(std::string_view message, int64_t free);

/// The value of "T.Cast("int32", (n + T.int64(7)) // 8)" with `free` for every name; nothing for what is no expression
/// of whole numbers, or does not fit.
std::optional<int64_t> probeValue(std::string_view expression, int64_t free);

/// Whether a path of a message ("add1_arg_A") means the argument of that name ("arg_A").
bool probeNames(std::string_view path, std::string_view name);

} // namespace blobscope::runner
