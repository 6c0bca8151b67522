#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Interprets the messages with which host functions of all releases refuse their arguments. Pure. Source:
/// core/formats/host-abi.md 2.2, 2.5.
namespace blobscope::runner {

/// The requirement that one refusal states.
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
  std::string name;      ///< the argument's path with underscores; in some releases after the function's name
  std::size_t index = 0; ///< of the argument (ArgumentKind) or the dimension (Extent)
  int64_t number = 0;    ///< the count, rank, extent, device type or value
  std::string text;      ///< "pointer", "float32", the signature, or the expression of an extent
};

/// Interprets a message. `free` is the value of every variable of an expression.
ProbeFact probeFact(std::string_view message, int64_t free);

/// Returns the value of "T.Cast("int32", (n + T.int64(7)) // 8)" with `free` for every name; nothing for a text that is
/// not an integer expression, or if the value does not fit.
std::optional<int64_t> probeValue(std::string_view expression, int64_t free);

/// Returns whether a path in a message ("add1_arg_A") means the argument with that name ("arg_A").
bool probeNames(std::string_view path, std::string_view name);

} // namespace blobscope::runner
