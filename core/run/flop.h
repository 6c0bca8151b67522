#pragma once

#include "core/run/report.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace blobscope::run {

/// Estimates the floating-point operations of a call, from the words of its function's name (dense, matmul, gemm, conv
/// with one to three axes, their transposes) and the shapes of its tensors, outermost extent first. Each product and
/// each addition to a sum counts: 2 × M × N × K for a matrix product, twice the elements of the output × the weights of
/// one output channel for a convolution. What is fused with it, such as a bias or an activation, and border elements
/// that padding skips are not counted apart. Integers count like floats. Nothing when the name has none or several of
/// these words, for Winograd convolutions, whose weights may be stored transformed, or when no two inputs have shapes
/// that give the output's number of elements.
std::optional<double> flopOf(std::string_view function, std::span<const std::vector<int64_t>> inputs,
                             const std::vector<int64_t>& output);
/// The same for a node with known inputs.
std::optional<double> flopOf(const NodeResult& node);

} // namespace blobscope::run
