#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/safety/address_space.h"
#include "core/safety/report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace blobscope::safety {

/// What the loader starts.
struct EntryPoint {
  Trigger trigger = Trigger::Constructor;
  std::string slot; ///< ".init_array[0]"
  uint64_t address = 0;
  std::string import;          ///< when the slot names a function of another library; then `address` is 0
  std::string unreadable = {}; ///< why the slot could not be read; else empty
};

/// The largest number of entries that are read.
inline constexpr std::size_t kEntryPoints = 4'096;

/// In the order in which they run: resolvers, preinitialisers, DT_INIT, arrays; then what runs at the end. Sources:
/// System V ABI, "Initialization and Termination Functions"; glibc elf/dl-init.c; "PE Format", ".tls section"; Apple
/// mach-o/loader.h; WebAssembly core specification, "Start Function". Error: only Cancelled.
Result<std::vector<EntryPoint>> entryPointsOf(const AddressSpace& space, Monitor& monitor);

/// The functions in a table of pointers from `begin` to before `end`; zeros are skipped, as _initterm() does.
std::vector<EntryPoint> entriesInTable(const AddressSpace& space, Trigger trigger, std::string_view name,
                                       uint64_t begin, uint64_t end);

} // namespace blobscope::safety
