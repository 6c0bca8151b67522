#pragma once

#include "core/host/signature.h"

#include <optional>
#include <string_view>

namespace blobscope::host {

/// The signature that one text of TVM v0.24 and later holds: "vadd(A: Tensor([n, 128], float32), scale: float32)".
/// Nothing for text of another form, with brackets that do not close, or beyond the caps. `strict`: also nothing when a
/// parameter has a type that TVM does not write; else such a parameter is of unknown kind. Source:
/// core/formats/host-abi.md 2.4; seen on libraries of 0.25.0, 0.26.0 and 0.27.0.post1.
std::optional<Signature> parseLiteral(std::string_view text, bool strict);

/// Parameters of one function, and dimensions of one tensor. The largest of 44 real libraries are 16 and 5; a text that
/// has more is no signature, so that hostile ones cost no memory.
constexpr std::size_t kParameters = 4'096, kRank = 64;

/// Parameters and dimensions of all functions of an image together, at about 100 bytes each. A text of 40 bytes may
/// claim 4,096 parameters; the largest library seen has 700.
constexpr std::size_t kValues = 1'000'000;
/// What a signature takes of them.
std::size_t valuesOf(const Signature& signature);

} // namespace blobscope::host
