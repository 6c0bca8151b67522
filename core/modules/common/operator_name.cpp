#include "core/modules/common/operator_name.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <vector>

namespace blobscope::modules {
namespace {

constexpr std::size_t kNameBytes = 400, kShownOperators = 3;

/// Groups, the one that computes most first.
constexpr std::array<std::string_view, 7> kGroups = {"Convolution",
                                                     "Depthwise convolution",
                                                     "Matrix product",
                                                     "Attention",
                                                     "Pooling, sum, softmax",
                                                     "Add, multiply, other elementwise",
                                                     "Layout, resize, reshape"};

/// An operator: its words in a name, its title, and its number in kGroups. Longer ones come before their beginnings.
struct Known {
  std::string_view words, title;
  std::size_t group;
};
constexpr Known kKnown[] = {
    {"depthwise_conv2d", "depthwise", 1},
    {"depthwise_conv", "depthwise", 1},
    {"conv2d_transpose", "transposed conv", 0},
    {"conv1d_transpose", "transposed conv", 0},
    {"conv3d_transpose", "transposed conv", 0},
    {"conv1d", "conv", 0},
    {"conv2d", "conv", 0},
    {"conv3d", "conv", 0},
    {"deformable_conv2d", "deformable conv", 0},
    {"batch_matmul", "batch matmul", 2},
    {"NT_matmul", "matmul", 2},
    {"matmul", "matmul", 2},
    {"dense", "dense", 2},
    {"gemv", "matmul", 2},
    {"gemm", "matmul", 2},
    {"attention", "attention", 3},
    {"flash_attention", "attention", 3},
    {"batch_norm", "batch norm", 4},
    {"layer_norm", "layer norm", 4},
    {"rms_norm", "rms norm", 4},
    {"group_norm", "group norm", 4},
    {"instance_norm", "instance norm", 4},
    {"log_softmax", "log softmax", 4},
    {"softmax", "softmax", 4},
    {"adaptive_avg_pool2d", "average pool", 4},
    {"adaptive_max_pool2d", "max pool", 4},
    {"global_avg_pool2d", "average pool", 4},
    {"avg_pool2d", "average pool", 4},
    {"max_pool2d", "max pool", 4},
    {"argmax", "argmax", 4},
    {"argmin", "argmin", 4},
    {"sum", "sum", 4},
    {"mean", "mean", 4},
    {"max", "max", 4},
    {"leaky_relu", "leaky relu", 5},
    {"relu", "relu", 5},
    {"prelu", "prelu", 5},
    {"gelu", "gelu", 5},
    {"silu", "silu", 5},
    {"sigmoid", "sigmoid", 5},
    {"tanh", "tanh", 5},
    {"exp", "exp", 5},
    {"sqrt", "sqrt", 5},
    {"rsqrt", "rsqrt", 5},
    {"bias_add", "add", 5},
    {"add", "add", 5},
    {"subtract", "subtract", 5},
    {"multiply", "multiply", 5},
    {"divide", "divide", 5},
    {"maximum", "maximum", 5},
    {"minimum", "minimum", 5},
    {"clip", "clip", 5},
    {"cast", "cast", 5},
    {"where", "where", 5},
    {"dequantize", "dequantize", 5},
    {"quantize", "quantize", 5},
    {"decode", "decode", 5},
    {"concatenate", "join", 6},
    {"split", "split", 6},
    {"strided_slice", "slice", 6},
    {"layout_transform", "layout", 6},
    {"transpose", "transpose", 6},
    {"reshape", "reshape", 6},
    {"expand_dims", "expand dims", 6},
    {"squeeze", "squeeze", 6},
    {"batch_flatten", "flatten", 6},
    {"resize2d", "resize", 6},
    {"resize", "resize", 6},
    {"upsampling", "upsample", 6},
    {"pad", "pad", 6},
    {"take", "take", 6},
    {"gather", "gather", 6},
    {"broadcast_to", "broadcast", 6},
    {"repeat", "repeat", 6},
    {"copy", "copy", 6},
};

bool isDigits(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

/// Words that TVM adds around the operators, and those of layouts: "NCHWc", "OIHW4i4o".
bool isNoise(std::string_view word) {
  constexpr std::array<std::string_view, 15> kNoise = {"fused",   "nn",   "contrib",  "tvmgen", "default",
                                                       "relax",   "vm",   "image",    "func",   "packed",
                                                       "without", "pack", "winograd", "kernel", "with"};
  if (word.empty() || isDigits(word) || std::ranges::find(kNoise, word) != kNoise.end()) return true;
  const auto isLayout = [](char c) {
    return std::string_view("NCHWDOIGchwoig0123456789").find(c) != std::string_view::npos;
  };
  return word.size() >= 2 && word[0] >= 'A' && word[0] <= 'Z' && std::ranges::all_of(word, isLayout);
}

/// Whether the words of an operator begin at `at` of the name and end with a word, apart from digits.
bool startsWithWords(std::string_view name, std::string_view words, std::size_t& end) {
  if (!name.starts_with(words)) return false;
  end = words.size();
  while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end; // "matmul3"
  return end == name.size() || name[end] == '_';
}

} // namespace

OperatorName operatorName(std::string_view function) {
  std::string_view name = function.substr(0, kNameBytes);
  if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos && dot + 1 < name.size())
    name.remove_prefix(dot + 1); // "vm.builtin.reshape"
  std::vector<std::string> titles;
  std::size_t group = kGroups.size();
  while (!name.empty()) {
    std::size_t end = 0;
    const auto* const known =
        std::ranges::find_if(kKnown, [&](const Known& one) { return startsWithWords(name, one.words, end); });
    if (known != std::end(kKnown)) {
      titles.emplace_back(known->title);
      group = std::min(group, known->group);
    } else {
      end = std::min(name.find('_'), name.size());
      if (!isNoise(name.substr(0, end))) titles.push_back(escaped(name.substr(0, end)));
    }
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  OperatorName out{{}, group < kGroups.size() ? kGroups[group] : "Other operators"};
  std::vector<std::string> shown;
  for (const std::string& title : titles)
    if (shown.empty() || shown.back() != title) shown.push_back(title);
  for (std::size_t i = 0; i < std::min(shown.size(), kShownOperators); ++i) out.title += (i > 0 ? ", " : "") + shown[i];
  if (shown.size() > kShownOperators) out.title += " + " + std::to_string(shown.size() - kShownOperators);
  if (out.title.empty()) out.title = escaped(function);
  return out;
}

std::string shapeTitle(std::string_view shape) {
  if (shape.size() < 2 || shape.front() != '[' || shape.back() != ']') return std::string(shape);
  shape.remove_prefix(1);
  shape.remove_suffix(1);
  if (shape.empty()) return "scalar";
  std::string out;
  for (const char c : shape) {
    if (c == ',')
      out += "×";
    else if (c != ' ')
      out += c;
  }
  return out;
}

} // namespace blobscope::modules
