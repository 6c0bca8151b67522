#pragma once

#include "core/base/bytes.h"

#include <string_view>

namespace blobscope::payloads {

/// The format of the bytes, determined by content alone, since declared formats can be wrong (released blobs tagged
/// `cubin` contain fat binaries): "fatbin", "cubin", "hsaco", "hexagon-elf", "elf", "spirv", "metallib",
/// "bundle", "llvm-bitcode", "ptx", "json", "text". Empty when it is not recognised. Reads the first 4 KiB.
std::string_view sniff(const Bytes& bytes);

/// Whether the content is text that can be shown unchanged.
bool isText(std::string_view content);

} // namespace blobscope::payloads
