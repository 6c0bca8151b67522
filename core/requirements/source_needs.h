#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What source code for devices says about the device that it needs. Comments are not skipped: TVM writes none with
/// such words.
namespace blobscope::requirements {

/// The extensions that `#pragma OPENCL EXTENSION NAME : enable` turns on, once each, without those after an `#elif` or
/// `#else`: TVM's code uses `cl_amd_fp16` only on devices without `cl_khr_fp16`.
std::vector<std::string> openClExtensions(std::string_view text);

struct WgslNeeds {
  std::vector<std::string> features;   ///< of `enable`: "f16"
  uint64_t storageBuffers = 0;         ///< variables of the address space storage
  std::optional<uint64_t> threads;     ///< of `@workgroup_size` with numbers
  std::optional<uint64_t> sharedBytes; ///< of all variables of the address space workgroup; nothing when the size of
                                       ///< one is not known
};
WgslNeeds wgslNeeds(std::string_view text);

} // namespace blobscope::requirements
