#pragma once

#include "core/library/blob.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::library {

/// A kernel's FunctionInfo in words, from the fields of its module.
struct KernelInfo {
  std::string name;                      ///< stored in it; empty in most files
  std::vector<std::string> argTypes;     ///< "handle", "int32", in call order
  std::vector<std::string> launchTags;   ///< "blockIdx.x"
  std::vector<int32_t> extraTags;        ///< one per argument, or none
  std::vector<std::string> launchFields; ///< "grid.x", of the second form
};

/// `row` as in modules::Kernel::fieldRow.
KernelInfo kernelInfo(const FieldTree& tree, uint32_t row);

/// What a device module is handed to a driver as.
struct DeviceImage {
  std::string format;          ///< the declared one: "ptx", "cl"; empty when the module has none
  std::optional<Bytes> shared; ///< code of all kernels; nothing where each has its own
};
DeviceImage deviceImage(const FieldTree& tree);

/// Bit 0 of the flag of a Vulkan shader, whose kernel has that name: scalars lie in a uniform buffer. Source: formats
/// text library-blob.md; apache/tvm v0.8 src/runtime/vulkan/vulkan_shader.h, kFlagUseUBO.
bool usesUniformScalars(const FieldTree& tree, std::string_view kernel);

} // namespace blobscope::library
