#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What a host function takes, as its own checks tell; nothing is executed.
namespace blobscope::host {

/// One extent of a tensor: a number, a variable, or an expression of variables.
struct Dimension {
  std::optional<int64_t> value;
  std::string text; ///< "n", "(n + 7) // 8"; the number's digits when it is one; empty when nothing names it

  bool isVariable() const; ///< a plain name
};

/// One argument of a host function, in call order.
struct Parameter {
  enum class Kind : uint8_t { Unknown, Tensor, Integer, Float, Boolean, Pointer };
  std::string name; ///< "param_0"; empty when no text tells it
  Kind kind = Kind::Unknown;
  std::string dtype;                ///< TVM's spelling with lanes, "float32x4"; empty when no text tells it
  std::vector<Dimension> shape;     ///< tensors: outermost first
  bool rankKnown = false;           ///< tensors: whether `shape` has as many entries as the function wants
  std::optional<int> deviceType;    ///< DLPack numbers: 1 CPU, 2 CUDA, 4 OpenCL, 7 Vulkan, 8 Metal …

  /// "Tensor([n, 128], float32)", "int32".
  std::string text() const;
};

struct Signature {
  enum class Source : uint8_t {
    None,       ///< nothing tells; the user must
    Literal,    ///< one text with the whole signature, TVM 0.24 and later
    Assertions, ///< texts of single checks, 0.13 – 0.23
    Graph,      ///< shapes of the graph executor's nodes
    Bytecode,   ///< checks of a VM function
    Probe       ///< answers of the function itself
  };
  std::string function;
  Source source = Source::None;
  std::vector<Parameter> parameters;
  std::vector<std::string> variables; ///< names of symbolic dimensions, in order of appearance

  /// Whether every parameter has kind and type, and tensors their rank.
  bool complete() const;
  /// "vadd(A: Tensor([n, 128], float32), scale: float32)".
  std::string text() const;
};

} // namespace blobscope::host
