#pragma once

#include "core/base/bytes.h"

#include <string_view>

namespace blobscope::payloads {

/// What the bytes are, judged by content alone, since declared formats can lie (released blobs tagged `cubin` hold
/// fat binaries): "fatbin", "cubin", "hsaco", "hexagon-elf", "elf", "spirv", "metallib", "llvm-bitcode", "ptx", "json",
/// "text". Empty when nothing is recognised. Looks at the first 4 KiB.
std::string_view sniff(const Bytes& bytes);

/// Whether the content is text that can be shown as it is.
bool isText(std::string_view content);

} // namespace blobscope::payloads
