#pragma once

#include "core/base/bytes.h"
#include "core/protocol/protocol.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// The built-in kernels with which devices are checked, and the results that the processor computes for them.
namespace blobscope::run {

/// The code of the kernels by file name, as resources/device-check contains it: "check.ptx" for CUDA, "check.cl" for
/// OpenCL, and "check_copy.spv" and so on for Vulkan.
using CheckCode = std::map<std::string, std::string>;
/// The code that is built into the program.
CheckCode builtInCheckCode();

struct CheckTensor {
  std::string name;
  protocol::DataType type;
  std::vector<int64_t> shape; ///< outermost first
  protocol::Role role = protocol::Role::In;
  std::string bytes; ///< its content before the launch; empty for outputs
};

/// A kernel with the arguments of its launch. All numbers are exact in their type, in whatever order they are added, so
/// that every device has to write the same bytes.
struct CheckKernel {
  std::string name;     ///< "copy"
  std::string function; ///< "check_copy"
  std::vector<CheckTensor> tensors;
  std::optional<int32_t> count; ///< an argument after the tensors
  protocol::Extents extents;
  std::size_t output = 0; ///< index of the tensor that is compared
  std::string expected;   ///< its content after the launch
  bool usesHalf = false;  ///< it computes in float16, which not every device supports
};
/// Copy, float16 matrix multiplication, reduction in shared memory, and atomic additions.
std::vector<CheckKernel> checkKernels();

/// The first element that is not as expected.
struct CheckDifference {
  std::string tensor;
  std::vector<uint64_t> at; ///< its index on each axis
  std::string expected, actual;
  uint64_t count = 0; ///< elements that differ
  uint64_t total = 0; ///< elements of the tensor

  /// "3 of 1,000 elements of 'out' differ; the first is [17]: 5, expected 6".
  std::string sentence() const;
};
/// Compares an output with the expected content; `actual` must have the same size. Nothing if all bytes are equal.
std::optional<CheckDifference> findDifference(const CheckKernel& kernel, const Bytes& actual);

} // namespace blobscope::run
