#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/macho/constants.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::container {
namespace macho {

/// One architecture of a universal file, a fat_arch or fat_arch_64.
struct FatArch {
  uint64_t at = 0; ///< of the entry in the file
  uint32_t cpuType = 0;
  Extent place;       ///< of the slice
  uint64_t align = 0; ///< power of two
};

/// The header of a universal file. Source: Apple mach-o/fat.h; all numbers are big-endian.
struct FatHeader {
  uint32_t magic = 0; ///< FAT_MAGIC, FAT_MAGIC_64 or anything else
  uint64_t count = 0;

  static FatHeader read(std::string_view file);
  static constexpr uint64_t kSize = 8;
  unsigned wordSize() const { return magic == FAT_MAGIC_64 ? 8 : 4; }
  uint64_t archSize() const { return magic == FAT_MAGIC_64 ? 32 : 20; }
  Extent table() const { return {kSize, count * archSize()}; }
  /// Numbers are 0 where the file ends before them.
  FatArch arch(std::string_view file, uint64_t index) const;
};

} // namespace macho

/// One architecture's file in a universal file: Mach-O, or an ar archive of it.
struct Slice {
  std::string arch; ///< machoArch(), "cpu-0x6" when LLVM has no name; unique: "aarch64-2" for a repeated one (arm64e)
  Bytes bytes;
};

/// Whether the file begins like a universal Mach-O file of 1 to 64 slices. A Java class file has the same magic; what
/// follows cannot be a CPU type there.
bool looksLikeUniversal(std::string_view head);

/// The slices in the order of the file. A slice that exceeds the file is cut and reported in `diagnostics` (FILE-PART).
/// A slice without any bytes in the file, in the header, or that is a universal file itself is omitted and reported.
/// FILE-HEADER when the file does not look like a universal file. Cancelled.
Result<std::vector<Slice>> readUniversal(const Bytes& file, Monitor& monitor, std::vector<Diagnostic>& diagnostics);

} // namespace blobscope::container
