#include "core/modules/common/code_object.h"

#include "core/payloads/hsaco/hsaco.h"
#include "core/payloads/sniff.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace blobscope::modules {

std::vector<KernelImage> imagesOfCodeObject(const std::vector<NamedFunction>& functions, const Bytes& code) {
  if (payloads::sniff(code) != "hsaco") return {};
  const payloads::HsacoKernels read = payloads::readHsacoKernels(code);
  std::unordered_map<std::string_view, const payloads::HsacoKernel*> places;
  for (const payloads::HsacoKernel& kernel : read.kernels) places.emplace(kernel.name, &kernel);
  KernelImage image{read.processor, std::nullopt, true, {}};
  for (const NamedFunction& function : functions) {
    KernelCode& known = image.kernels.emplace_back();
    const auto found = places.find(function.key.view());
    if (found == places.end()) continue;
    const payloads::HsacoKernel& kernel = *found->second;
    known.found = true;
    if (kernel.registers) known.registers = static_cast<uint32_t>(std::min<uint64_t>(*kernel.registers, UINT32_MAX));
    known.sharedBytes = kernel.ldsBytes;
    known.localBytes = kernel.scratchBytes;
    known.blockThreads = kernel.workgroupItems;
  }
  return {image};
}

} // namespace blobscope::modules
