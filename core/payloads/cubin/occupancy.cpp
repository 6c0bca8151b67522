#include "core/payloads/cubin/occupancy.h"

#include "core/payloads/cubin/cubin.h"

#include <algorithm>

namespace blobscope::payloads {
namespace {

constexpr uint64_t kKiB = 1024;
/// Source: nvidia-cuda-cccl 13.3.5.0.6 nvidia/cu13/include/cccl/cuda/__device/arch_traits.h; for 72 lattice/quda
/// 329f8716aad3 include/targets/cuda/device.in.hpp, and its blocks nvidia-cuda-runtime 13.0.96
/// nvidia/cu13/include/cuda_occupancy.h. The sources of the shared memory of 107 disagree, so that it is not here.
constexpr Multiprocessor kTable[] = {
    {70, 2048, 32, 96 * kKiB},   {72, 2048, 32, 96 * kKiB},   {75, 1024, 16, 64 * kKiB},   {80, 2048, 32, 164 * kKiB},
    {86, 1536, 16, 100 * kKiB},  {87, 1536, 16, 164 * kKiB},  {88, 1536, 16, 100 * kKiB},  {89, 1536, 24, 100 * kKiB},
    {90, 2048, 32, 228 * kKiB},  {100, 2048, 32, 228 * kKiB}, {103, 2048, 32, 228 * kKiB}, {110, 1536, 24, 228 * kKiB},
    {120, 1536, 24, 100 * kKiB}, {121, 1536, 24, 100 * kKiB},
};

/// The same for all rows: registers in each of the four parts of a multiprocessor, allocated to warps in units; shared
/// memory in units; the shared memory that the system reserves per block from sm_80 on. Source: the same
/// headers.
constexpr uint32_t kWarp = 32, kParts = 4, kRegistersOfPart = 65'536 / kParts, kRegisterUnit = 256;
constexpr uint64_t sharedUnit(uint32_t sm) { return sm < 80 ? 256 : 128; }
constexpr uint64_t reservedShared(uint32_t sm) { return sm < 80 ? 0 : kKiB; }

constexpr uint64_t roundedUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

} // namespace

const Multiprocessor* findMultiprocessor(uint32_t sm) {
  const auto* const found =
      std::find_if(std::begin(kTable), std::end(kTable), [&](const auto& row) { return row.sm == sm; });
  return found == std::end(kTable) ? nullptr : found;
}

std::optional<Occupancy> estimateOccupancy(uint32_t sm, uint32_t registers, uint64_t sharedBytes, uint32_t threads) {
  const Multiprocessor* const device = findMultiprocessor(sm);
  if (!device || threads == 0 || threads > kMaxBlockThreads) return std::nullopt;
  const uint32_t warpsOfBlock = (threads + kWarp - 1) / kWarp;
  Occupancy out;
  out.warpLimit = device->threads / kWarp;
  const auto limit = [&](uint64_t blocks, std::string_view what) {
    if (!out.limitedBy.empty() && blocks >= out.blocks) return;
    out.blocks = static_cast<uint32_t>(blocks);
    out.limitedBy = what;
  };
  limit(device->blocks, "blocks");
  limit(out.warpLimit / warpsOfBlock, "threads");
  const uint64_t registersOfWarp = roundedUp(uint64_t{registers} * kWarp, kRegisterUnit);
  if (registersOfWarp > 0) {
    const uint64_t warps = kRegistersOfPart / registersOfWarp * kParts;
    // The warps of a block are spread over the parts, so a block with a few warps more than fit evenly does not start
    // at all.
    limit(roundedUp(warpsOfBlock, kParts) > warps ? 0 : warps / warpsOfBlock, "registers");
  }
  if (sharedBytes > device->sharedBytes)
    limit(0, "shared memory");
  else if (const uint64_t ofBlock = roundedUp(sharedBytes + reservedShared(sm), sharedUnit(sm)); ofBlock > 0)
    limit(device->sharedBytes / ofBlock, "shared memory");
  out.warps = out.blocks * warpsOfBlock;
  return out;
}

std::vector<uint32_t> multiprocessors() {
  std::vector<uint32_t> out;
  for (const Multiprocessor& row : kTable) out.push_back(row.sm);
  return out;
}

std::optional<uint32_t> mostRegisters(uint32_t sm, uint32_t percent) {
  const Multiprocessor* const device = findMultiprocessor(sm);
  if (!device) return std::nullopt;
  // Registers are allocated to warps in units, so only the last number of each unit matters.
  for (uint32_t registers = kMaxRegisters; registers > 0; registers = (registers - 1) / 8 * 8) {
    const uint64_t ofWarp = roundedUp(uint64_t{registers} * kWarp, kRegisterUnit);
    const uint64_t warps = std::min<uint64_t>(kRegistersOfPart / ofWarp * kParts, device->threads / kWarp);
    if (warps * 100 >= uint64_t{percent} * (device->threads / kWarp)) return registers;
  }
  return std::nullopt;
}

std::optional<uint32_t> occupancyPercent(std::optional<uint32_t> sm, const CubinKernel& kernel) {
  const auto threads = kernel.blockThreads();
  if (!sm || !kernel.registers || !threads || *threads > kMaxBlockThreads) return std::nullopt;
  const auto found = estimateOccupancy(*sm, *kernel.registers, kernel.sharedBytes, static_cast<uint32_t>(*threads));
  if (!found) return std::nullopt;
  return percentOf(*found);
}

} // namespace blobscope::payloads
