#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace blobscope::write {

/// Addresses in memory where functions of a linked file begin, ascending: functions of both symbol tables, exports
/// among them, and the table of `.eh_frame_hdr` in the form that all linkers write (sorted, 32-bit distances from the
/// section). Source: Linux Standard Base 5.0, 10.6.2 "Exception Frame Header". Cancelled.
Result<std::vector<uint64_t>> functionStarts(const container::Image& image, Monitor& monitor);

/// Adds the functions of `.pdata` for x86-64: 12 bytes each, of which the first 4 are the place from `imageBase`.
/// Source: "PE Format", ".pdata section".
void addExceptionTable(std::string_view table, uint64_t imageBase, std::vector<uint64_t>& starts);

/// Adds what LC_FUNCTION_STARTS lists: distances as ULEB128, the first from `textAddress`, up to a 0.
/// Source: apple/cctools include/mach-o/loader.h, linkedit_data_command; llvm MachOObjectFile::getFunctionStarts.
void addFunctionStarts(std::string_view table, uint64_t textAddress, std::vector<uint64_t>& starts);

/// Sorts them and drops repetitions.
void sortStarts(std::vector<uint64_t>& starts);

} // namespace blobscope::write
