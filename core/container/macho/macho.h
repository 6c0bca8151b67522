#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"

#include <string_view>

namespace blobscope::container {

/// Whether the file begins with a Mach-O magic: 32 or 64 bit, either byte order.
bool looksLikeMachO(std::string_view head);

/// LLVM's architecture name for a Mach-O CPU type: "aarch64" for arm64 and arm64e, "aarch64_32" for arm64_32, "i386";
/// empty when it has none. Source: Apple mach/machine.h, CPU_TYPE_*; llvm/BinaryFormat/MachO.h has the same numbers.
std::string_view machoArch(uint32_t cpuType);

/// Reads Mach-O of 32 and 64 bit in both byte orders, one architecture (see universal.h for several).
///
/// - Sections are named "SEGMENT,section". The parts of __LINKEDIT follow them as sections in round brackets, such as
///   "(code signature)"; they are not allocated.
/// - The loader's symbols come first: the external ones of LC_SYMTAB, then those that only the export trie has (a
///   stripped library has nothing else); a re-exported name is undefined, of type Other. The local ones without
///   debugging entries follow. In an object file no symbol is the loader's; the external ones come first there, too.
/// - Names of sections and of the trie are created here; they live as long as Image::file and its slices.
///
/// FILE-HEADER when the Mach-O header cannot be used; every other damage is a diagnostic of the image. Cancelled.
Result<Image> readMachO(const Bytes& file, Monitor& monitor);

} // namespace blobscope::container
