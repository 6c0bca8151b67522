#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace blobscope::container {

/// One architecture's file in a universal file: Mach-O, or an ar archive of it.
struct Slice {
  std::string arch; ///< machoArch(), "cpu-0x6" when LLVM has no word; unique: "aarch64-2" for a repeated one (arm64e)
  Bytes bytes;
};

/// Whether the file begins like a universal Mach-O file of 1 to 64 slices. A Java class file has the same magic; what
/// follows cannot be a CPU type there.
bool looksLikeUniversal(std::string_view head);

/// The slices in the order of the file. One that the file cuts off is cut and told in `diagnostics` (FILE-PART); one of
/// which nothing is there, that lies in the header, or is a universal file itself is left out and told.
/// FILE-HEADER when it does not look like a universal file. Cancelled.
Result<std::vector<Slice>> readUniversal(const Bytes& file, Monitor& monitor, std::vector<Diagnostic>& diagnostics);

} // namespace blobscope::container
