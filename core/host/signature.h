#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a host function takes, as its own checks tell; nothing is executed.
namespace blobscope::host {

/// One extent of a tensor: a number, a variable, or an expression of variables.
struct Dimension {
  std::optional<int64_t> value; ///< never negative
  std::string text; ///< "n", "(n + 7) // 8"; the number's digits when it is one; empty when nothing names it

  bool isVariable() const; ///< a plain name
};
/// The dimension that `text` stands for, without TVMScript's types of constants: "T.int64(8)" is 8. Empty text for one
/// that nothing names, and for one of more than 1,024 bytes.
Dimension dimensionOf(std::string_view text);
/// The variables of an expression in order of appearance, each once: of "T.shift_right(n + 31, 5) * m" n and m.
std::vector<std::string_view> variablesIn(std::string_view expression);

/// One argument of a host function, in call order.
struct Parameter {
  enum class Kind : uint8_t { Unknown, Tensor, Integer, Float, Boolean, Pointer };
  std::string name; ///< "param_0"; empty when no text tells it
  Kind kind = Kind::Unknown;
  std::string
      dtype; ///< TVM's spelling with lanes, "float32x4"; of pointers what they point to; empty when no text tells it
  std::vector<Dimension> shape;  ///< tensors: outermost first
  bool rankKnown = false;        ///< tensors: whether `shape` has as many entries as the function wants
  std::optional<int> deviceType; ///< DLPack numbers: 1 CPU, 2 CUDA, 4 OpenCL, 7 Vulkan, 8 Metal …

  /// Whether kind and type are known, and of tensors the rank. Scalars are passed as 64 bits, whatever their type.
  bool complete() const;
  /// "Tensor([n, 128], float32)", "int32"; "?" for what no text tells.
  std::string text() const;
};

struct Signature {
  enum class Source : uint8_t {
    None,       ///< nothing tells; the user must
    Literal,    ///< one text with the whole signature, TVM 0.24 and later
    Assertions, ///< texts of single checks, 0.13 – 0.23; of older ones names and kinds only
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
  /// Whether a tensor has a dimension that is no number and that nothing names.
  bool hasUnnamedDimension() const;
  /// "vadd(A: Tensor([n, 128], float32), scale: float32)". Without a source "vadd(?)".
  std::string text() const;
  /// Fills in `variables` from the shapes.
  void collectVariables();
};
/// "text", "checks", "graph", "bytecode", "probe", "–": where a signature is from, for people.
std::string_view sourceName(Signature::Source source);
/// "cpu", "cuda" … "device 99". Source: dmlc/dlpack v1.0 include/dlpack/dlpack.h, DLDeviceType.
std::string deviceTypeName(int type);

} // namespace blobscope::host
