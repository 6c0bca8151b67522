#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace blobscope::payloads {

struct CubinKernel;

/// The limits of one multiprocessor.
struct Multiprocessor {
  uint32_t sm;          ///< 89
  uint32_t threads;     ///< resident
  uint32_t blocks;      ///< resident
  uint64_t sharedBytes; ///< of all resident blocks
};

/// How many blocks of a kernel fit on one multiprocessor at a time.
struct Occupancy {
  uint32_t blocks = 0;        ///< 0: the kernel cannot run with that block
  uint32_t warps = 0;         ///< resident
  uint32_t warpLimit = 0;     ///< of the multiprocessor
  std::string_view limitedBy; ///< "registers", "shared memory", "threads", "blocks"; a literal
};

/// Largest numbers of one thread and one block, the same for all devices in the table. Source: CUDA C++ Programming
/// Guide, table of technical specifications per compute capability.
constexpr uint32_t kMaxRegisters = 255, kMaxBlockThreads = 1024, kMaxBarriers = 16;

/// The row for an sm number, null when the table has none: no number is better than a guessed one.
const Multiprocessor* findMultiprocessor(uint32_t sm);

/// `registers` per thread, `sharedBytes` per block (static and dynamic), `threads` per block. Nothing for devices that
/// are not in the table and for blocks that no device can run (0 or more than 1,024 threads).
std::optional<Occupancy> estimateOccupancy(uint32_t sm, uint32_t registers, uint64_t sharedBytes, uint32_t threads);

/// The values of Occupancy::limitedBy, in the order in which plots list them.
inline constexpr std::array<std::string_view, 4> kOccupancyLimits = {"registers", "shared memory", "threads", "blocks"};

/// All architectures of the table, in ascending order.
std::vector<uint32_t> multiprocessors();
/// The largest number of registers per thread with which `percent` of the warps of a multiprocessor are resident when
/// nothing else limits them; nothing when no number is small enough or the table lacks the device.
std::optional<uint32_t> mostRegisters(uint32_t sm, uint32_t percent);
/// The share of resident warps, rounded.
constexpr uint32_t percentOf(const Occupancy& occupancy) {
  return (occupancy.warps * 100 + occupancy.warpLimit / 2) / occupancy.warpLimit;
}
/// The same for blocks of the largest size that the kernel was compiled for, without dynamic shared memory; nothing
/// when that size, the registers or the device are not known.
std::optional<uint32_t> occupancyPercent(std::optional<uint32_t> sm, const CubinKernel& kernel);

} // namespace blobscope::payloads
