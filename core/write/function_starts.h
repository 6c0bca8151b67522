#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace blobscope::write {

/// Returns the addresses in memory at which functions of a linked file begin, ascending: from both symbol tables,
/// including exports, and from the table of `.eh_frame_hdr` in the form that all linkers write (sorted, 32-bit
/// distances from the section). Source: Linux Standard Base 5.0, 10.6.2 "Exception Frame Header". Error: only
/// Cancelled.
Result<std::vector<uint64_t>> functionStarts(const container::Image& image, Monitor& monitor);

/// Adds the functions of `.pdata` for x86-64: 12 bytes each, whose first 4 bytes are the address relative to
/// `imageBase`. Source: "PE Format", ".pdata section".
void addExceptionTable(std::string_view table, uint64_t imageBase, std::vector<uint64_t>& starts);

/// Adds the functions of LC_FUNCTION_STARTS: distances as ULEB128, the first one from `textAddress`, up to a 0.
/// Source: apple/cctools include/mach-o/loader.h, linkedit_data_command; llvm MachOObjectFile::getFunctionStarts.
void addFunctionStarts(std::string_view table, uint64_t textAddress, std::vector<uint64_t>& starts);

/// Sorts the addresses and removes duplicates.
void sortStarts(std::vector<uint64_t>& starts);

} // namespace blobscope::write
