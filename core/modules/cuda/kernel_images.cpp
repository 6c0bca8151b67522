#include "core/modules/cuda/kernel_images.h"

#include "core/base/text.h"
#include "core/payloads/ptx/ptx.h"
#include "core/payloads/sniff.h"

#include <algorithm>
#include <unordered_map>

namespace blobscope::modules {
namespace {

/// Further images are omitted: real libraries have one per kind of GPU.
constexpr std::size_t kImages = 64;

KernelCode codeOf(const payloads::CubinKernel& kernel) {
  KernelCode code;
  code.found = true;
  code.codeBytes = kernel.code.size();
  code.registers = kernel.registers;
  code.sharedBytes = kernel.sharedBytes;
  code.stackBytes = kernel.stackBytes();
  code.localBytes = kernel.frame;
  code.blockThreads = kernel.blockThreads();
  code.tensorCores = kernel.tensorCores;
  code.shuffles = kernel.shuffles;
  code.clusters = kernel.cluster || kernel.explicitCluster || kernel.maxClusterRank;
  return code;
}

KernelImage imageOf(const std::vector<NamedFunction>& functions, const payloads::Cubin& cubin) {
  std::unordered_map<std::string_view, const payloads::CubinKernel*> places;
  for (const payloads::CubinKernel& kernel : cubin.kernels) places.emplace(kernel.name.view(), &kernel);
  KernelImage image{cubin.architecture(), cubin.sm, true, {}};
  image.kernels.reserve(functions.size());
  for (const NamedFunction& function : functions) {
    const auto found = places.find(function.key.view());
    image.kernels.push_back(found == places.end() ? KernelCode() : codeOf(*found->second));
  }
  return image;
}

KernelCode codeOf(const payloads::PtxEntry& entry, const Bytes& text, uint64_t moduleShared) {
  KernelCode code;
  code.found = true;
  code.codeBytes = entry.body.size;
  code.sharedBytes = entry.sharedBytes + moduleShared;
  for (const payloads::PtxDirective& directive : entry.directives) {
    if (directive.name != "maxntid" && directive.name != "reqntid") continue;
    uint64_t threads = 1;
    for (const uint64_t value : directive.values) threads = value > 0 && threads <= (1U << 20) ? threads * value : 0;
    if (threads > 0) code.blockThreads = threads;
  }
  // PTX ISA 9.0, 9.7.9.6 shfl.sync; 9.7.15 to 9.7.17: wmma, mma, wgmma, tcgen05.
  const std::string_view body = text.slice(entry.body.offset, entry.body.size).view();
  code.shuffles = containsAny(body, {"shfl."});
  code.tensorCores = containsAny(body, {"wmma.", "mma.sync", "wgmma.", "tcgen05.mma"});
  return code;
}

std::optional<uint32_t> smOf(std::string_view target) {
  if (!target.starts_with("sm_")) return std::nullopt;
  uint32_t sm = 0;
  for (const char digit : target.substr(3, 4)) {
    if (digit < '0' || digit > '9') break;
    sm = sm * 10 + static_cast<uint32_t>(digit - '0');
  }
  return sm > 0 ? std::optional(sm) : std::nullopt;
}

KernelImage imageOf(const std::vector<NamedFunction>& functions, const Bytes& text) {
  const payloads::Ptx ptx = payloads::readPtx(text);
  std::unordered_map<std::string_view, const payloads::PtxEntry*> places;
  for (const payloads::PtxEntry& entry : ptx.entries) places.emplace(entry.name.view(), &entry);
  KernelImage image{ptx.target, smOf(ptx.target), false, {}};
  image.kernels.reserve(functions.size());
  for (const NamedFunction& function : functions) {
    const auto found = places.find(function.key.view());
    // Variables of the module belong to the kernels that use them, which is not known when there are several.
    const uint64_t shared = ptx.entries.size() == 1 ? ptx.sharedBytes : 0;
    image.kernels.push_back(found == places.end() ? KernelCode() : codeOf(*found->second, text, shared));
  }
  return image;
}

} // namespace

std::vector<KernelImage> kernelImagesOf(const std::vector<NamedFunction>& functions, const Bytes& data,
                                        const CudaImages& images, Monitor& monitor) {
  std::vector<KernelImage> out;
  for (const CudaImage& image : images.cubins)
    if (out.size() < kImages && !monitor.stopRequested()) out.push_back(imageOf(functions, image.cubin));
  for (const payloads::FatbinEntry& entry : images.entries) {
    if (out.size() >= kImages || monitor.stopRequested()) break;
    if (entry.kind != payloads::FatbinEntry::kCubin || entry.compressedSize == 0) continue;
    if (const auto bytes = payloads::unpackEntry(entry, monitor))
      out.push_back(imageOf(functions, payloads::readCubin(*bytes)));
  }
  if (!out.empty()) return out;
  if (payloads::sniff(data) == "ptx") out.push_back(imageOf(functions, data));
  for (const payloads::FatbinEntry& entry : images.entries) {
    if (out.size() >= kImages || monitor.stopRequested()) break;
    if (entry.kind != payloads::FatbinEntry::kPtx) continue;
    if (const auto bytes = payloads::unpackEntry(entry, monitor)) out.push_back(imageOf(functions, *bytes));
  }
  return out;
}

} // namespace blobscope::modules
