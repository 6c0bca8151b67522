#include "core/program/flop.h"

#include <algorithm>
#include <string>

namespace blobscope::program {
namespace {

using Shape = std::vector<int64_t>;

enum class Operator : uint8_t { None, Product, Convolution, Transposed };

/// Splits at everything that is not a letter or a digit; in lower case.
std::vector<std::string> wordsOf(std::string_view name) {
  constexpr std::size_t kLongest = 1'024;
  std::vector<std::string> out(1);
  for (const char c : name.substr(0, kLongest)) {
    const char low = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if ((low >= 'a' && low <= 'z') || (low >= '0' && low <= '9'))
      out.back() += low;
    else if (!out.back().empty())
      out.emplace_back();
  }
  return out;
}

/// The word without digits at its end: "matmul" for "matmul12", "conv2d" for "conv2d3".
Operator operatorOf(const std::string& word) {
  for (const char* const conv : {"conv1d", "conv2d", "conv3d"})
    if (word.starts_with(conv)) return Operator::Convolution;
  std::string_view bare = word;
  while (!bare.empty() && bare.back() >= '0' && bare.back() <= '9') bare.remove_suffix(1);
  for (const char* const product : {"dense", "matmul", "gemm"})
    if (bare == product) return Operator::Product;
  return Operator::None;
}

Operator operatorIn(std::string_view function) {
  const std::vector<std::string> words = wordsOf(function);
  Operator out = Operator::None;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "winograd") return Operator::None; // the weights may be transformed
    const Operator one = operatorOf(words[i]);
    if (one == Operator::None) continue;
    if (out != Operator::None) return Operator::None;
    out = one == Operator::Convolution && i + 1 < words.size() && words[i + 1].starts_with("transpose")
              ? Operator::Transposed
              : one;
  }
  return out;
}

/// The product of the extents; a double, so that it cannot overflow. 0 for a tensor without elements or with an extent
/// that is not known.
double elements(const Shape& shape) {
  double out = 1;
  for (const int64_t extent : shape) out *= static_cast<double>(std::max<int64_t>(extent, 0));
  return out;
}

/// The last two axes of `b` are N and K or K and N, those of `a` M and K or K and M; all other axes are those of a
/// batch, which `b` may lack.
std::optional<double> product(const Shape& a, const Shape& b, double output) {
  if (a.empty() || b.size() < 2) return std::nullopt;
  const double batch = elements(Shape(b.begin(), b.end() - 2));
  const std::size_t axes = a.size() < 2 ? 1 : 2;
  for (std::size_t i = 0; i < axes; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      const int64_t k = a[a.size() - 1 - i];
      if (k <= 0 || b[b.size() - 1 - j] != k) continue;
      const auto wide = static_cast<double>(k);
      if (elements(a) / wide * (elements(b) / wide) / batch == output) return 2 * output * wide;
    }
  return std::nullopt;
}

/// A product with weights that are stored packed, several in one element, as those of quantized models: K of `a` is a
/// multiple of an axis of `b`, and the other axis of `b` is N.
std::optional<double> packedProduct(const Shape& a, const Shape& b, const Shape& output) {
  constexpr int64_t kPacked = 32; // most weights per element: those with one scale
  if (a.empty() || b.size() != 2 || output.empty()) return std::nullopt;
  const int64_t k = a.back(), n = output.back();
  if (k <= 0 || n <= 0 || elements(a) / static_cast<double>(k) * static_cast<double>(n) != elements(output))
    return std::nullopt;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
    const int64_t stored = b[1 - axis];
    if (b[axis] == n && stored > 0 && stored < k && k % stored == 0 && k / stored <= kPacked)
      return 2 * elements(output) * static_cast<double>(k);
  }
  return std::nullopt;
}

/// The weights of one output channel: layouts NCHW with OIHW, NHWC with HWIO or (depthwise) HWOI, NCHWc with OIHWio,
/// and the same with one or three spatial axes.
std::optional<double> convolution(const Shape& data, const Shape& weight, const Shape& output) {
  const std::size_t rank = weight.size();
  if (rank < 3 || data.size() != output.size()) return std::nullopt;
  const double all = elements(weight);
  const auto over = [&](int64_t channels) { return 2 * elements(output) * (all / static_cast<double>(channels)); };
  if (rank == 6 && output.size() == 5) {
    const int64_t channels = weight[0] * weight[5];
    return output[1] == weight[0] && output[4] == weight[5] && channels > 0 ? std::optional(over(channels))
                                                                            : std::nullopt;
  }
  if (rank != output.size() || rank > 5 || std::ranges::any_of(weight, [](int64_t one) { return one <= 0; }))
    return std::nullopt;
  const int64_t last = weight[rank - 1], before = weight[rank - 2];
  if (output[1] == weight[0] && data[1] % weight[1] == 0) return over(weight[0]);
  if (output[rank - 1] == last && data[rank - 1] % before == 0) return over(last);
  if (output[rank - 1] == last * before && data[rank - 1] == before) return over(last * before);
  return std::nullopt;
}

/// Each element of the data is multiplied with the weights of its channel; layout NCHW with IOHW.
std::optional<double> transposed(const Shape& data, const Shape& weight, const Shape& output) {
  if (weight.size() < 3 || weight.size() != data.size() || output.size() != data.size() || weight[0] <= 0 ||
      data[1] != weight[0])
    return std::nullopt;
  return 2 * elements(data) * (elements(weight) / static_cast<double>(weight[0]));
}

} // namespace

std::optional<double> flopOf(std::string_view function, std::span<const std::vector<int64_t>> inputs,
                             const std::vector<int64_t>& output) {
  constexpr std::size_t kInputs = 16;
  const Operator kind = operatorIn(function);
  if (kind == Operator::None || elements(output) == 0) return std::nullopt;
  const std::size_t count = std::min(inputs.size(), kInputs);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count; ++j) {
      const std::optional<double> found = kind == Operator::Product ? product(inputs[i], inputs[j], elements(output))
                                          : kind == Operator::Transposed ? transposed(inputs[i], inputs[j], output)
                                                                         : convolution(inputs[i], inputs[j], output);
      if (found) return found;
    }
  if (kind != Operator::Product) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j)
      if (i != j)
        if (const auto found = packedProduct(inputs[i], inputs[j], output)) return found;
  return std::nullopt;
}

} // namespace blobscope::program
