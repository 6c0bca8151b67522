#pragma once

#include "core/base/bytes.h"
#include "core/base/extent.h"
#include "core/view/page.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Device images in machine code: little-endian ELF64 of machine 190. Source of all facts:
/// core/formats/cuda-binaries.md 3, measured on output of CUDA 11.8, 12.2 and 13.0 and on six real TVM libraries.
namespace blobscope::payloads {

/// One parameter of a kernel.
struct CubinParameter {
  uint32_t ordinal = 0;
  uint32_t offset = 0; ///< bytes from the first parameter
  uint32_t size = 0;   ///< bytes
};

/// One kernel: section `.text.NAME` with an entry symbol NAME. Values that the file does not record are empty.
struct CubinKernel {
  using Dimensions = std::array<uint32_t, 3>;

  Bytes name;
  Extent extent;                                     ///< of the code, from the first byte that readCubin() was given
  Bytes code;                                        ///< machine code
  std::optional<uint32_t> registers;                 ///< per thread
  std::optional<uint32_t> frame, minStack, maxStack; ///< bytes per thread
  uint64_t sharedBytes = 0;                          ///< static, per block, without the bytes that the system reserves
  uint64_t constantBytes = 0;                        ///< of the launch bank, parameters included
  std::optional<uint32_t> parameterBase;             ///< offset of the first parameter in the launch bank
  std::optional<uint32_t> parameterBytes;            ///< of all parameters
  std::vector<CubinParameter> parameters;            ///< by ordinal
  std::optional<Dimensions> maxThreads;              ///< `__launch_bounds__`, `.maxntid`
  std::optional<Dimensions> requiredBlock;           ///< `.reqntid`
  std::optional<Dimensions> cluster;                 ///< `__cluster_dims__`
  std::optional<uint32_t> maxClusterRank;
  std::optional<uint32_t> registerCap;
  std::optional<uint32_t> barriers;
  bool explicitCluster = false;
  bool tensorCores = false; ///< record 0x2B, seen exactly on kernels that use WMMA
  bool shuffles = false;    ///< warp-synchronous instructions: shuffles, votes, cooperative groups

  /// Bytes per thread: the largest number that the file records.
  std::optional<uint32_t> stackBytes() const;
  /// Threads of the largest block that the kernel was compiled for; nothing when there is no limit.
  std::optional<uint64_t> blockThreads() const;
};

struct CubinSection {
  Bytes name;
  uint32_t type = 0; ///< sh_type
  uint64_t flags = 0;
  Extent extent;     ///< of its bytes, from the first byte of the image, cut to what is there; empty for NOBITS
  uint64_t size = 0; ///< sh_size
  uint32_t link = 0, info = 0;
};

struct CubinSymbol {
  Bytes name;
  uint64_t value = 0, size = 0;
  uint8_t info = 0;  ///< st_info: binding and type
  uint8_t other = 0; ///< st_other; 0x10 marks a kernel
  uint16_t section = 0;
};

struct Cubin {
  /// Symbols of one image; further symbols are not read.
  static constexpr uint64_t kSymbols = 1'048'576;

  /// e_ident[8]: 7, or 8 from CUDA 13.0 on, and in CUDA 12.8 and 12.9 for GPUs from sm_100 on.
  uint8_t abi = 0;
  uint16_t type = 0;                  ///< e_type: 2 linked, 1 relocatable
  uint32_t flags = 0;                 ///< e_flags as stored
  std::optional<uint32_t> sm;         ///< 89; nothing for an unknown ABI
  bool archSpecific = false;          ///< sm_90a; no layout records the suffix f
  std::optional<uint32_t> apiVersion; ///< of CUDA, 130 is 13.0
  std::string toolkit;                ///< "CUDA 11.8", "Cuda compilation tools, release 13.0, V13.0.88"; may be empty
  Bytes build;                        ///< "Build cuda_13.0.…"; ABI 8 only
  Bytes commandLine;                  ///< "-arch sm_90 -m 64 "; ABI 8 only
  std::vector<CubinKernel> kernels;   ///< in the order of their sections
  std::vector<CubinSection> sections;
  std::vector<CubinSymbol> symbols;
  std::vector<std::string> damage; ///< one sentence each: where and why; empty when everything could be read

  bool relocatable() const { return type == 1; }
  /// "sm_90a"; empty when the sm number is unknown.
  std::string architecture() const;
  /// Null when there is none with that name; the first of several.
  const CubinKernel* find(std::string_view kernel) const;
};

/// Reads as much of an image as possible. For bytes that are not ELF64 of machine 190 the result contains only damage;
/// wrong offsets, sizes and counts cut what they describe.
Cubin readCubin(const Bytes& bytes);

/// {"cubin sm_89"}; {"cubin"} when the number cannot be read.
std::vector<std::string> cubinWords(const Bytes& bytes);

/// "Image", "Kernels", "Sections", "Symbols"; "Damage" when there is any.
void addCubinPages(const Bytes& bytes, view::PageList& list);

/// "Resources": what a kernel needs, and how many of its blocks would share a multiprocessor. Nothing when there is no
/// kernel with that name.
std::optional<view::Page> kernelFacts(const Cubin& cubin, std::string_view kernel);
/// "Occupancy": how many warps of a kernel would be resident for each block size, number of registers and amount of
/// shared memory. Nothing when there is no kernel with that name or too little is known.
std::optional<view::Page> kernelOccupancy(const Cubin& cubin, std::string_view kernel);

} // namespace blobscope::payloads
