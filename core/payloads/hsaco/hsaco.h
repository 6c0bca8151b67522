#pragma once

#include "core/base/json.h"
#include "core/payloads/payload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::payloads {

/// Code objects for AMD GPUs: the processor, and the kernels with their registers and arguments. Source of all facts:
/// llvm/llvm-project llvmorg-19.1.7 llvm/docs/AMDGPUUsage.rst, "Code Object Metadata" and "ELF Code Object";
/// llvm/include/llvm/BinaryFormat/ELF.h; later processors: the same file in 008d0233ac and on main.
extern const PayloadFormat kHsaco;

/// Maximum number of values in a code object's metadata, and their maximum nesting; the metadata of a kernel has some
/// 60 values in 5 levels.
constexpr uint64_t kMetadataValues = 262'144;
constexpr uint64_t kMetadataDepth = 16;

/// The metadata of the note NT_AMDGPU_METADATA, which is MessagePack; nothing when it cannot be read.
std::optional<json::Value> readMetadata(const Bytes& bytes);
/// What the metadata says about a kernel; values that it does not have are empty.
struct HsacoKernel {
  std::string name;
  std::optional<uint64_t> registers;      ///< VGPRs per work-item
  std::optional<uint64_t> ldsBytes;       ///< per workgroup
  std::optional<uint64_t> scratchBytes;   ///< per work-item
  std::optional<uint64_t> workgroupItems; ///< of the largest workgroup
};
struct HsacoKernels {
  std::string processor; ///< "gfx90a"; empty when it is not known
  std::vector<HsacoKernel> kernels;
};
/// The kernels that the metadata of a code object lists; none when it cannot be read or is older than V3.
HsacoKernels readHsacoKernels(const Bytes& bytes);

/// The target of a code object as its flags name it, "gfx90a:sramecc+:xnack-": a feature that is not named works with
/// either setting of the device. Empty when the processor is not known.
std::string hsacoTarget(const Bytes& bytes);

/// A value of the metadata on one line: numbers in decimal, text escaped, lists as "[64, 1, 1]".
std::string metadataText(const json::Value& value);

} // namespace blobscope::payloads
