#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The arguments of host functions, as the texts of their own checks describe them; nothing is executed.
namespace blobscope::host {

/// One extent of a tensor: a number, a variable, or an expression of variables.
struct Dimension {
  std::optional<int64_t> value; ///< never negative
  std::string text;             ///< "n", "(n + 7) // 8"; the number's digits when it is one; empty when it is unknown

  bool isVariable() const; ///< a plain name
};
/// The dimension that `text` describes, without TVMScript's types of constants: "T.int64(8)" is 8. For text of more
/// than 1,024 bytes the dimension is unknown and has an empty text.
Dimension dimensionOf(std::string_view text);
/// The variables of an expression in order of appearance, each once: n and m for "T.shift_right(n + 31, 5) * m".
std::vector<std::string_view> variablesIn(std::string_view expression);

/// One argument of a host function, in call order.
struct Parameter {
  /// Shape: a list of extents; Tuple: `items`. Only functions of a virtual machine take these.
  enum class Kind : uint8_t { Unknown, Tensor, Integer, Float, Boolean, Pointer, Shape, Tuple };
  std::string name; ///< "param_0"; empty when unknown
  Kind kind = Kind::Unknown;
  /// TVM's spelling with lanes, "float32x4"; for pointers the type they point to; empty when unknown
  std::string dtype;
  std::vector<Dimension> shape;  ///< tensors, shapes: outermost first
  bool rankKnown = false;        ///< tensors: whether `shape` has as many entries as the function expects
  std::vector<Parameter> items;  ///< of a tuple; without names
  std::optional<int> deviceType; ///< DLPack numbers: 1 CPU, 2 CUDA, 4 OpenCL, 7 Vulkan, 8 Metal …
  uint64_t checks = 0;           ///< functions of TileLang: a bit for each dimension that has a check of its own

  /// Whether kind and type are known, and for tensors the rank. Scalars are passed as 64 bits, whatever their type.
  bool complete() const;
  /// "Tensor([n, 128], float32)", "int32"; "?" for unknown parts.
  std::string text() const;
};

/// A variable that is a dimension of several tensors of a function.
struct SharedVariable {
  std::string name;
  std::vector<uint32_t> parameters; ///< in call order, each as often as it has the dimension; never empty
};

struct Signature {
  enum class Source : uint8_t {
    None,       ///< unknown; the user must enter it
    Literal,    ///< one text with the whole signature, TVM 0.24 and later
    Assertions, ///< texts of single checks, 0.13 – 0.23 and TileLang; only names and kinds in older ones
    Graph,      ///< shapes of the graph executor's nodes
    Bytecode,   ///< checks of a VM function
    Probe       ///< returned by the function itself
  };
  std::string function;
  Source source = Source::None;
  std::vector<Parameter> parameters;
  std::vector<std::string> variables; ///< names of symbolic dimensions, in order of appearance
  std::vector<SharedVariable> shared; ///< as texts of TileLang state them

  /// Whether the kind and type of every parameter are known, and for tensors the rank.
  bool complete() const;
  /// Whether a tensor has a dimension that is not a number and has no name.
  bool hasUnnamedDimension() const;
  /// "vadd(A: Tensor([n, 128], float32), scale: float32)". Without a source "vadd(?)".
  std::string text() const;
  /// Fills in `variables` from the shapes.
  void collectVariables();
};
/// "text", "checks", "graph", "bytecode", "probe", "–": the source of a signature, for people.
std::string_view sourceName(Signature::Source source);
/// "cpu", "cuda" … "device 99". Source: dmlc/dlpack v1.0 include/dlpack/dlpack.h, DLDeviceType.
std::string deviceTypeName(int type);

} // namespace blobscope::host
