#pragma once

#include "core/base/monitor.h"
#include "core/mlf/model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::mlf {

/// A parameter as its file states it. Source: core/formats/model-library-format.md 9; apache/tvm
/// include/tvm/runtime/ndarray.h, SaveDLTensor.
struct Parameter {
  std::string_view name;      ///< as stored, any bytes; points into the file
  uint64_t offset = 0;        ///< of the tensor's record, from the start of the file
  uint8_t code = 0, bits = 0; ///< of the element type
  uint16_t lanes = 0;
  std::vector<int64_t> shape; ///< outermost first; any value may occur in damaged files
  uint64_t dataBytes = 0;     ///< as stated
  bool sound = false;         ///< no rule about this tensor was broken: shape and type can be compared

  /// "[1, 8] float32".
  std::string text() const;
};

/// A parameter file without its data. Valid as long as the File it was read from.
struct Parameters {
  std::vector<Parameter> list; ///< in stored order
  bool whole = false;          ///< read to the last tensor; false: `list` is what comes before the damage

  /// The first of that name, null when there is none. Linear.
  const Parameter* find(std::string_view name) const;
};

/// What the rules 4xx need besides the file.
struct ParameterChecks {
  bool cRuntime = false; ///< the limits of the C runtime apply
};

/// Reads headers and skips data. Adds MLF-401 to MLF-413, and MLF-011 for more than limits::kListItems parameters.
/// Reading stops where the file cannot be followed any further; what comes behind is not judged.
Parameters readParameters(const File& file, ParameterChecks checks, Findings& findings, Monitor& monitor);

} // namespace blobscope::mlf
