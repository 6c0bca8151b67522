#pragma once

#include "core/host/signature.h"

#include <optional>
#include <string_view>

namespace blobscope::host {

/// The signature in one text of TVM v0.24 and later: "vadd(A: Tensor([n, 128], float32), scale: float32)". Nothing for
/// text of another form, with brackets that do not close, or above the limits. `strict`: also nothing when a parameter
/// has a type that TVM does not write; otherwise such a parameter has an unknown kind. Source: core/formats/host-abi.md
/// 2.4; seen on libraries of 0.25.0, 0.26.0 and 0.27.0.post1. CuTe DSL writes the same form (seen with 4.8.1).
/// `function`: the length of the function's name when it is known, since it may have any characters.
std::optional<Signature> parseLiteral(std::string_view text, bool strict,
                                      std::optional<std::size_t> function = std::nullopt);

/// Maximum number of parameters of one function, and of dimensions of one tensor. The largest of 44 real libraries are
/// 16 and 5; a text that has more is not a signature, so that crafted texts cost no memory.
constexpr std::size_t kParameters = 4'096, kRank = 64;

/// Maximum number of parameters and dimensions of all functions of an image together, at about 100 bytes each. A text
/// of 40 bytes may claim 4,096 parameters; the largest library seen has 700.
constexpr std::size_t kValues = 1'000'000;
/// The number of parameters and dimensions of a signature, as kValues counts them.
std::size_t valuesOf(const Signature& signature);

} // namespace blobscope::host
