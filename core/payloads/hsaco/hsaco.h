#pragma once

#include "core/base/json.h"
#include "core/payloads/payload.h"

#include <cstdint>
#include <optional>
#include <string>

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
/// A value of the metadata on one line: numbers in decimal, text escaped, lists as "[64, 1, 1]".
std::string metadataText(const json::Value& value);

} // namespace blobscope::payloads
