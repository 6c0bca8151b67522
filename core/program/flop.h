#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace blobscope::program {

/// Estimates the floating-point operations of a call, from the words of its function's name (dense, matmul, gemm, conv
/// with one to three axes, their transposes) and the shapes of its tensors, outermost extent first. Each product and
/// each addition to a sum counts: 2 × M × N × K for a matrix product, twice the elements of the output × the weights of
/// one output channel for a convolution. What is fused with it, such as a bias or an activation, and border elements
/// that padding skips are not counted apart. Integers count like floats. Weights of a matrix product may be packed, up
/// to 32 in one element. Nothing when the name has none or several of these words, for Winograd convolutions, whose
/// weights may be stored transformed, or when no two inputs have shapes that give the output's number of elements.
std::optional<double> flopOf(std::string_view function, std::span<const std::vector<int64_t>> inputs,
                             const std::vector<int64_t>& output);

} // namespace blobscope::program
