#pragma once

#include "core/base/monitor.h"
#include "core/mlf/model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::mlf {

/// Begin the file, and each tensor in it. Source: core/formats/model-library-format.md 9.
constexpr uint64_t kParametersMagic = 0xF7E58D4F05049CB7, kTensorMagic = 0xDD5E40F096B4A13F;

/// A parameter as stored in its file. Source: core/formats/model-library-format.md 9; apache/tvm
/// include/tvm/runtime/ndarray.h, SaveDLTensor.
struct Parameter {
  std::string_view name;      ///< as stored, any bytes; points into the file
  uint64_t offset = 0;        ///< of the tensor's record, from the start of the file
  uint8_t code = 0, bits = 0; ///< of the element type
  uint16_t lanes = 0;
  std::vector<int64_t> shape; ///< outermost first; any value may occur in damaged files
  uint64_t dataBytes = 0;     ///< as stated
  bool sound = false;         ///< the tensor breaks no rule: shape and type can be compared

  /// Returns "[1, 8] float32".
  std::string text() const;
};

/// A parameter file without its data. Valid as long as the File it was read from.
struct Parameters {
  std::vector<Parameter> list; ///< in stored order
  bool whole = false;          ///< read to the last tensor; false: `list` contains the parameters before the damage

  /// Returns the first parameter with that name, or null. Linear.
  const Parameter* find(std::string_view name) const;
};

/// What the rules 4xx need in addition to the file.
struct ParameterChecks {
  bool cRuntime = false; ///< the limits of the C runtime apply
};

/// Reads headers and skips data. Adds MLF-401 to MLF-413, and MLF-011 for more than limits::kListItems parameters.
/// Reading stops at damage after which the next tensor cannot be found; the rest is not checked.
Parameters readParameters(const File& file, ParameterChecks checks, Findings& findings, Monitor& monitor);

} // namespace blobscope::mlf
