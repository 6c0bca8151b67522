#include "core/kernels/source_use.h"

#include "core/base/text.h"
#include "core/payloads/sniff.h"
#include "core/payloads/spirv/spirv.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace blobscope::kernels {
namespace {

void addSpirv(const Bytes& code, modules::KernelCode& out) {
  const payloads::SpirvModule module = payloads::readSpirv(code);
  out.sharedBytes = module.sharedBytes;
  for (const payloads::SpirvModule::EntryPoint& entry : module.entryPoints)
    if (entry.localSize) {
      // Sizes of damaged modules can be any numbers.
      uint64_t threads = 1;
      for (const uint32_t size : *entry.localSize) threads = threads > UINT32_MAX ? threads : threads * size;
      out.blockThreads = std::max(out.blockThreads.value_or(0), threads);
    }
  // SPIR-V Specification 1.6, 3.31 "Capability": GroupNonUniformShuffle, GroupNonUniformShuffleRelative,
  // SubgroupShuffleINTEL; CooperativeMatrixNV, CooperativeMatrixKHR.
  for (const uint32_t capability : {65U, 66U, 5568U}) out.shuffles |= module.hasCapability(capability);
  for (const uint32_t capability : {5357U, 6022U}) out.tensorCores |= module.hasCapability(capability);
}

void addSource(std::string_view text, std::string_view language, modules::KernelCode& out) {
  if (language == "opencl") {
    out.shuffles = containsAny(text, {"sub_group_shuffle", "intel_sub_group_shuffle"});
    out.tensorCores = containsAny(text, {"matrix_mad_k"});
  } else if (language == "metal") {
    out.shuffles = containsAny(text, {"simd_shuffle", "quad_shuffle"});
    out.tensorCores = containsAny(text, {"simdgroup_multiply", "simdgroup_matrix"});
  } else if (language == "wgsl") {
    out.shuffles = containsAny(text, {"subgroupShuffle"});
    out.tensorCores = containsAny(text, {"subgroupMatrix"});
  } else if (language == "cuda") {
    out.shuffles = containsAny(text, {"__shfl"});
    out.tensorCores = containsAny(text, {"wmma::", "mma.sync", "wgmma."});
  }
}

} // namespace

modules::KernelCode codeUse(const Bytes& code, std::string_view language) {
  modules::KernelCode out;
  out.found = true;
  out.codeBytes = code.size();
  const std::string_view content = payloads::sniff(code);
  if (content == "spirv")
    addSpirv(code, out);
  else if (content == "text")
    addSource(code.view(), language, out);
  return out;
}

} // namespace blobscope::kernels
