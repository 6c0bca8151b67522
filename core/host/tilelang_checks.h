#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/host/signature.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace blobscope::host {

/// Builds signatures from the texts of the checks that TileLang writes, such as "kernel mm input A dtype mismatch,
/// expected float16". They name function and parameter. The extent of a dimension is not in its text but in the code,
/// and a dimension without a text defines a variable. Types of less than 8 bits have no text. Source: tilelang 0.1.15
/// src/transform/make_packed_api.cc, MakePackedAPI; src/transform/tvm_ffi_binder.cc, BindDLTensors and
/// ConstraintMessage; seen in C source and libraries that it wrote.
class TileLangChecks {
public:
  /// Maximum number of texts that are kept, at about 100 bytes each. A real function has about 12 per parameter.
  static constexpr std::size_t kTexts = 1'000'000;

  /// Returns the text of an extent, from the source code around its check; empty when it is not known. `shape`:
  /// "FUNCTION_TENSOR_shape".
  using ExtentOf = std::function<std::string(std::string_view shape, uint32_t index)>;
  /// Keeps the text when it is one of these. `text` must stay valid. `extentOf` may be empty. Cheap for other texts.
  void addText(std::string_view text, const ExtentOf& extentOf);
  /// Says that dimension `index` of a tensor defines a variable; `shape` is the name of the tensor's shape in C source,
  /// "FUNCTION_TENSOR_shape".
  void addVariable(std::string shape, uint32_t index, std::string variable);
  bool empty() const { return m_checks == 0; }

  /// The signatures of all functions that such texts describe. `known`: names of the image's host functions. Cancelled.
  Result<std::vector<Signature>> signatures(const std::unordered_map<std::string_view, std::size_t>& known,
                                            Monitor& monitor) const;

  struct Fact {
    enum class What : uint8_t { Count, Pointer, Integer, Float, Boolean, Anchor, Rank, Type, Shape, Device, Variable };
    What what;
    uint32_t index = 0; ///< count, rank, number of the dimension
    std::string_view function, parameter;
    std::string_view value; ///< "float16", "cuda", the name of a variable; for Variable `parameter` is "f.A, f.B"
    std::string dimension;
  };

private:
  std::vector<Fact> m_facts;
  std::size_t m_checks = 0;                                 ///< those that only TileLang writes
  std::unordered_map<std::string, std::string> m_variables; ///< "FUNCTION_TENSOR_shape[1]" → variable
};

/// The text of TileLang's check of one extent, as it is in the library.
std::string shapeCheckText(const Signature& signature, std::size_t parameter, std::size_t dimension);
/// Names dimensions that are not known yet by the variables that tensors share, where only one dimension is possible.
void nameSharedDimensions(Signature& signature);

} // namespace blobscope::host
