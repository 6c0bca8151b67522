#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/syntax/lexer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace blobscope::syntax {

/// A declaration in a text: a kernel, or a function of the device.
struct OutlineEntry {
  std::string name;
  uint64_t line = 0; ///< counted from 0
  bool kernel = false;
  friend bool operator==(const OutlineEntry&, const OutlineEntry&) = default;
};

/// Kernels and functions in the order of the text: `.entry` and `.func` of PTX, `__kernel` of OpenCL C, `__global__` of
/// CUDA C. Empty for other languages. At most limits::kTreeRows entries. Error: only Cancelled.
Result<std::vector<OutlineEntry>> computeOutline(const Bytes& text, const Language& language, Monitor& monitor);

} // namespace blobscope::syntax
