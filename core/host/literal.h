#pragma once

#include "core/host/signature.h"

#include <optional>
#include <string_view>

namespace blobscope::host {

/// The signature that one text of TVM v0.24 and later holds: "vadd(A: Tensor([n, 128], float32), scale: float32)". Nothing
/// for text of another form, with brackets that do not close, or beyond the caps. `strict`: also nothing when a parameter
/// has a type that TVM does not write; else such a parameter is of unknown kind.
/// Source: formats text test-run.md 2.4; seen on libraries of 0.25.0, 0.26.0 and 0.27.0.post1.
std::optional<Signature> parseLiteral(std::string_view text, bool strict);

/// Parameters of one function, and dimensions of one tensor. The largest seen are 75 and 6; a text that has more is no
/// signature, so that hostile ones cost no memory.
constexpr std::size_t kParameters = 4'096, kRank = 64;

} // namespace blobscope::host
