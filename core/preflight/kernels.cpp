// Step 9: what the device must offer.
#include "core/base/text.h"
#include "core/preflight/judge.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace blobscope::preflight {
namespace {

using check::Rule;
using requirements::DeviceCode;
using requirements::NeededKernel;
using targets::CudaFit;
using targets::CudaImage;
using targets::Device;

bool isCudaImage(const DeviceCode& code) {
  return code.kind == DeviceCode::Kind::Cubin || code.kind == DeviceCode::Kind::Ptx;
}

CudaImage imageOf(const DeviceCode& code) {
  return {code.kind == DeviceCode::Kind::Ptx, code.target, code.kind == DeviceCode::Kind::Ptx ? code.version : 0};
}

/// "PTX 8.4 for sm_90", "sm_89".
std::string imageText(const DeviceCode& code) {
  if (code.kind != DeviceCode::Kind::Ptx) return escaped(code.target.empty() ? "an image" : code.target);
  const std::string version =
      code.version > 0 ? " " + std::to_string(code.version / 10) + "." + std::to_string(code.version % 10) : "";
  return "PTX" + version + (code.target.empty() ? "" : " for " + escaped(code.target));
}

/// Images of one module, or of one place outside of modules, are alternatives: the driver takes one of them.
using ImagesByRef = std::map<std::string, std::vector<const DeviceCode*>>;
ImagesByRef imagesOf(const std::vector<DeviceCode>& all) {
  ImagesByRef out;
  std::set<std::tuple<std::string, bool, std::string_view, uint32_t>> seen; // equal images run on the same GPUs
  for (const DeviceCode& code : all) {
    if (!isCudaImage(code)) continue;
    Ref place = code.ref;
    place.parts.clear();
    const CudaImage image = imageOf(code);
    std::string name = place.toString();
    if (seen.emplace(name, image.ptx, code.target, image.ptxVersion).second) out[std::move(name)].push_back(&code);
  }
  return out;
}

/// The best way to run one of the alternatives.
CudaFit bestFit(const std::vector<const DeviceCode*>& images, const Device& device) {
  CudaFit best = CudaFit::No;
  for (const DeviceCode* const image : images) best = std::min(best, targets::cudaFit(imageOf(*image), device));
  return best;
}

/// The first driver that runs one of the alternatives on the GPU.
std::optional<uint32_t> oldestDriver(const std::vector<const DeviceCode*>& images, const targets::GpuArchitecture& gpu,
                                     const targets::Facts& facts) {
  std::optional<uint32_t> out;
  for (const DeviceCode* const image : images)
    if (const auto one = targets::minimumDriver(imageOf(*image), gpu, facts)) out = out ? std::min(*out, *one) : *one;
  return out;
}

/// The feature of Vulkan that a capability of SPIR-V needs; empty for those that every device has. Source:
/// core/formats/load-requirements.md.
std::string_view vulkanFeature(std::string_view capability) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kFeatures = {{
      {"Float16", "shaderFloat16"},
      {"Int8", "shaderInt8"},
      {"Float64", "shaderFloat64"},
      {"Int16", "shaderInt16"},
      {"Int64", "shaderInt64"},
      {"StorageBuffer8BitAccess", "storageBuffer8BitAccess"},
      {"StorageBuffer16BitAccess", "storageBuffer16BitAccess"},
      {"StorageUniformBufferBlock16", "storageBuffer16BitAccess"},
      {"CooperativeMatrixNV", "VK_NV_cooperative_matrix"},
  }};
  for (const auto& [name, feature] : kFeatures)
    if (name == capability) return feature;
  if (capability.starts_with("GroupNonUniform")) return "subgroups";
  return capability.starts_with("DotProduct") ? "shaderIntegerDotProduct" : std::string_view();
}

/// The feature of WebGPU that an extension of WGSL needs. Source: WebGPU, "Feature Index".
std::string webGpuFeature(const std::string& extension) { return extension == "f16" ? "shader-f16" : extension; }

bool isForKind(const DeviceCode& code, Device::Kind kind) {
  using Kind = DeviceCode::Kind;
  switch (kind) {
  case Device::Kind::Cuda: return isCudaImage(code) || code.kind == Kind::CudaSource;
  case Device::Kind::Rocm: return code.kind == Kind::HsaCo;
  case Device::Kind::Vulkan: return code.kind == Kind::Spirv && code.moduleKey == "vulkan";
  case Device::Kind::OpenCl:
    return code.kind == Kind::OpenClSource || code.kind == Kind::OpenClBinary ||
           (code.kind == Kind::Spirv && code.moduleKey == "opencl");
  case Device::Kind::Metal: return code.kind == Kind::MetalSource || code.kind == Kind::MetalLib;
  case Device::Kind::WebGpu: return code.kind == Kind::Wgsl;
  }
  return false;
}

std::string_view moduleKeyOf(Device::Kind kind) {
  constexpr std::array<std::string_view, 6> kKeys = {"cuda", "hip", "vulkan", "opencl", "metal", "webgpu"};
  return kKeys[static_cast<std::size_t>(kind)];
}

} // namespace

void Judge::checkLaunchTags() {
  std::set<std::string> seen;
  for (const NeededKernel& kernel : m_needs.kernels)
    for (const std::string& tag : kernel.launchTags) {
      if (kernel.secondInfo && !m_runtime.readsLayout("FunctionInfo", "second")) continue; // the layout says it
      if (!seen.insert(tag).second) continue;
      const Availability found = m_runtime.launchTag(tag);
      if (has(found) || found.state == Availability::State::Unknown) continue;
      Missing& item =
          add(Rule::PreLaunchTag, "launch-tag", tag, Step::Kernels, {arg("name", tag), arg("kernel", kernel.name)});
      item.printed = printed(targets::Message::UnknownLaunchTag, {{"tag", tag}});
      item.ref = kernel.ref;
    }
}

void Judge::checkCuda() {
  if (const uint32_t last = m_device->gpu->lastDriver; last > 0 && m_device->driver.value_or(0) > last) {
    const std::string driver = std::to_string(*m_device->driver), newest = "driver " + std::to_string(last);
    Missing& item = add(Rule::PreDriver, "driver", m_device->name, Step::Kernels);
    item.sentence = "driver " + driver + " does not support " + m_device->gpu->name +
                    " any more; the last one that does is " + newest;
    item.fix = "install " + newest + ", or use a newer GPU";
    return;
  }
  if (const auto oldest = m_runtime.oldestDriver(); oldest && m_device->driver && *m_device->driver < *oldest)
    add(Rule::PreDriver, "driver", m_device->name, Step::Kernels,
        {{"driver", std::to_string(*m_device->driver)},
         arg("found", m_runtime.title()),
         {"expected", "driver " + std::to_string(*oldest) + " or later"}});
  for (const auto& [ref, images] : imagesOf(m_needs.code)) {
    const CudaFit fit = bestFit(images, *m_device);
    if (fit == CudaFit::Native || fit == CudaFit::Compiled) {
      met(Step::Kernels);
      continue;
    }
    std::string found;
    for (const DeviceCode* const image : images)
      if (fit != CudaFit::DriverTooOld || image->kind == DeviceCode::Kind::Ptx)
        found += (found.empty() ? "" : ", ") + imageText(*image);
    if (fit == CudaFit::DriverTooOld) {
      const auto driver = oldestDriver(images, *m_device->gpu, *m_device->facts);
      Missing& item =
          add(Rule::PreDriver, "driver", m_device->name, Step::Kernels,
              {{"driver", std::to_string(m_device->driver.value_or(0))},
               {"found", found},
               {"expected", driver ? "driver " + std::to_string(*driver) + " or later" : "a newer driver"}});
      item.printed = "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
      item.ref = images.front()->ref;
      continue;
    }
    Missing& item = add(Rule::PreImage, "image", m_device->name, Step::Kernels,
                        {{"device", m_device->gpu->name}, {"found", found}});
    item.printed = "CUDA_ERROR_NO_BINARY_FOR_GPU";
    item.ref = images.front()->ref;
  }
}

void Judge::checkGfx() {
  for (const DeviceCode& code : m_needs.code) {
    if (code.kind != DeviceCode::Kind::HsaCo || code.target.empty()) continue;
    if (code.target == m_device->gfx) {
      met(Step::Kernels);
      continue;
    }
    Missing& item = add(Rule::PreImage, "image", m_device->name, Step::Kernels,
                        {{"device", m_device->gfx}, {"found", escaped(code.target)}});
    item.fix = "compile the library for " + m_device->gfx;
    item.ref = code.ref;
  }
}

void Judge::checkLimits() {
  const auto compare = [&](const NeededKernel& kernel, std::string_view what, std::optional<uint64_t> needed,
                           std::optional<uint64_t> limit) {
    if (!needed || !limit) return;
    if (*needed <= *limit) return met(Step::Kernels);
    Missing& item = add(Rule::PreLimit, "limit", kernel.name, Step::Kernels,
                        {arg("kernel", kernel.name),
                         {"found", groupedText(*needed)},
                         {"what", std::string(what)},
                         {"device", deviceText(*m_device)},
                         {"expected", groupedText(*limit)}});
    item.ref = kernel.ref;
  };
  for (const NeededKernel& kernel : m_needs.kernels) {
    if (kernel.moduleKey != moduleKeyOf(m_device->kind)) continue;
    compare(kernel, "bytes of shared memory", kernel.sharedBytes, m_device->sharedBytes);
    compare(kernel, "threads per block", kernel.threads, m_device->threads);
    compare(kernel, "bytes of push constants", kernel.pushConstants, m_device->pushConstants);
    compare(kernel, "storage buffers", kernel.storageBuffers, m_device->storageBuffers);
    if (m_device->gpu) compare(kernel, "registers per thread", kernel.registers, m_device->gpu->maxRegisters);
  }
}

void Judge::checkFeatures() {
  std::set<std::string> seen;
  for (const DeviceCode& code : m_needs.code) {
    if (!isForKind(code, m_device->kind)) continue;
    met(Step::Kernels);
    if (m_device->spirv && code.kind == DeviceCode::Kind::Spirv && code.version > *m_device->spirv &&
        seen.insert("SPIR-V").second) {
      const std::string version = std::to_string(code.version >> 16) + "." + std::to_string((code.version >> 8) & 255);
      add(Rule::PreFeature, "feature", "SPIR-V " + version, Step::Kernels,
          {{"name", "SPIR-V " + version}, {"device", deviceText(*m_device)}})
          .ref = code.ref;
    }
    for (const std::string& capability : code.capabilities) {
      const std::string feature = code.kind == DeviceCode::Kind::Spirv  ? std::string(vulkanFeature(capability))
                                  : code.kind == DeviceCode::Kind::Wgsl ? webGpuFeature(capability)
                                                                        : capability;
      if (feature.empty() || !seen.insert(feature).second) continue;
      // Features can also be stated by their names in the code.
      if (std::ranges::find_first_of(m_device->features, std::array{feature, capability}) != m_device->features.end()) {
        met(Step::Kernels);
        continue;
      }
      Missing& item = add(Rule::PreFeature, "feature", feature, Step::Kernels,
                          {arg("name", feature), {"device", deviceText(*m_device)}});
      item.certain = m_device->featuresKnown;
      if (!item.certain) {
        item.sentence =
            "the code needs " + escaped(feature) + "; whether " + deviceText(*m_device) + " has it is not known";
        item.fix = "check the device; if it has the feature, add it to the name of the device: " + m_device->name +
                   "," + escaped(feature);
      }
      item.ref = code.ref;
    }
  }
}

/// What the shaders of a library need from the adapter beyond what every one offers: "WebGPU must offer shader-f16 and
/// 9 storage buffers per shader stage; the default limit is 8". Empty without shaders. Source: WebGPU, "Limits".
std::string Judge::webGpuText() const {
  struct Limit {
    std::string_view what;
    std::optional<uint64_t> NeededKernel::* needed;
    uint64_t byDefault;
  };
  constexpr std::array<Limit, 3> kLimits = {{{"storage buffers per shader stage", &NeededKernel::storageBuffers, 8},
                                             {"bytes of workgroup storage", &NeededKernel::sharedBytes, 16'384},
                                             {"invocations per workgroup", &NeededKernel::threads, 256}}};
  bool any = false;
  std::set<std::string> features;
  for (const DeviceCode& code : m_needs.code) {
    if (code.kind != DeviceCode::Kind::Wgsl) continue;
    any = true;
    for (const std::string& one : code.capabilities)
      if (features.size() < 10) features.insert(webGpuFeature(one));
  }
  if (!any) return {};
  std::vector<std::string> parts;
  for (const std::string& feature : features) parts.push_back(escaped(feature));
  for (const Limit& limit : kLimits) {
    uint64_t most = 0;
    for (const NeededKernel& kernel : m_needs.kernels)
      if (kernel.moduleKey == "webgpu") most = std::max(most, (kernel.*limit.needed).value_or(0));
    if (most > limit.byDefault)
      parts.push_back(groupedText(most) + " " + std::string(limit.what) + " (default limit " +
                      groupedText(limit.byDefault) + ")");
  }
  if (parts.empty()) return "the default limits of WebGPU are enough";
  std::string out = "WebGPU must offer ";
  for (std::size_t i = 0; i < parts.size(); ++i)
    out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return out;
}

void Judge::checkKernels() {
  StepResult& step = at(Step::Kernels);
  checkLaunchTags();
  if (!m_needs.kernels.empty()) step.summary = countText(m_needs.kernels.size(), "kernel");
  if (const std::string text = webGpuText(); !text.empty()) step.summary += (step.summary.empty() ? "" : "; ") + text;
  if (!m_device) return;
  if (!hasCodeFor(m_needs, m_device->kind)) {
    // A library for the processor alone needs no device.
    if (!m_needs.code.empty()) {
      Missing& item =
          add(Rule::PreImage, "image", m_device->name, Step::Kernels,
              {{"device", deviceText(*m_device)}, {"found", "code for " + escaped(m_needs.code.front().moduleKey)}});
      item.fix = "choose a device for which the library has code, or compile the library for this one";
      item.ref = m_needs.code.front().ref;
    }
    return;
  }
  if (m_device->kind == Device::Kind::Cuda && m_device->gpu) checkCuda();
  if (m_device->kind == Device::Kind::Rocm) checkGfx();
  checkLimits();
  if (m_device->kind != Device::Kind::Cuda && m_device->kind != Device::Kind::Rocm) checkFeatures();
  step.summary += (step.summary.empty() ? "" : "; ") + deviceText(*m_device);
}

bool hasCodeFor(const requirements::Requirements& needs, Device::Kind kind) {
  return std::ranges::any_of(needs.code, [&](const DeviceCode& code) { return isForKind(code, kind); });
}

std::string_view runsName(GpuRow::Runs runs) {
  constexpr std::array<std::string_view, 3> kNames = {"natively", "compiled", "no"};
  return kNames[static_cast<std::size_t>(runs)];
}

std::vector<GpuChange> gpuChanges(const std::vector<DeviceCode>& before, const std::vector<DeviceCode>& after,
                                  const targets::FactsPtr& facts) {
  std::vector<GpuChange> out;
  const std::vector<GpuRow> old = gpuRows(before, facts), now = gpuRows(after, facts);
  for (std::size_t i = 0; i < std::min(old.size(), now.size()); ++i)
    if (old[i].runs != now[i].runs) out.push_back({old[i], now[i]});
  return out;
}

std::vector<GpuRow> gpuRows(const std::vector<DeviceCode>& code, const targets::FactsPtr& facts) {
  std::vector<GpuRow> out;
  const ImagesByRef images = imagesOf(code);
  if (images.empty()) return out;
  for (const targets::GpuArchitecture& gpu : facts->gpus()) {
    GpuRow row{&gpu, GpuRow::Runs::Natively, std::nullopt, {}};
    Device device;
    device.gpu = &gpu;
    device.facts = facts;
    for (const auto& [ref, alternatives] : images) {
      const CudaFit fit = bestFit(alternatives, device); // with the newest driver
      if (fit == CudaFit::Compiled && row.runs == GpuRow::Runs::Natively) row.runs = GpuRow::Runs::Compiled;
      if (fit == CudaFit::No || fit == CudaFit::DriverTooOld) row.runs = GpuRow::Runs::No;
      if (const auto driver = oldestDriver(alternatives, gpu, *facts))
        row.driver = std::max(row.driver.value_or(0), *driver);
    }
    if (row.runs == GpuRow::Runs::No) row.driver.reset();
    out.push_back(std::move(row));
  }
  return out;
}

} // namespace blobscope::preflight
