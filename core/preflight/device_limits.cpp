// Step 9: launch parameters, limits and features of the device.
#include "core/base/text.h"
#include "core/preflight/judge.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace blobscope::preflight {
namespace {

using check::Rule;
using requirements::DeviceCode;
using requirements::NeededKernel;
using targets::Device;

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

std::string_view moduleKeyOf(Device::Kind kind) {
  constexpr std::array<std::string_view, 6> kKeys = {"cuda", "hip", "vulkan", "opencl", "metal", "webgpu"};
  return kKeys[static_cast<std::size_t>(kind)];
}

/// The feature of WebGPU that an extension of WGSL needs. Source: WebGPU, "Feature Index".
std::string webGpuFeature(const std::string& extension) { return extension == "f16" ? "shader-f16" : extension; }

} // namespace

bool isForKind(const DeviceCode& code, Device::Kind kind) {
  using Kind = DeviceCode::Kind;
  switch (kind) {
  case Device::Kind::Cuda:
    return code.kind == DeviceCode::Kind::Cubin || code.kind == DeviceCode::Kind::Ptx ||
           code.kind == DeviceCode::Kind::LtoIr || code.kind == Kind::CudaSource;
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
  // Source: core/formats/load-requirements.md 9.4.
  const std::string buffers =
      "; TVM's web runtime asks for buffers of 256 MiB and bindings of 128 MiB, and for 1 GiB of "
      "both where the adapter has them";
  if (parts.empty()) return "the default limits of WebGPU are enough" + buffers;
  std::string out = "WebGPU must offer ";
  for (std::size_t i = 0; i < parts.size(); ++i)
    out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return out + buffers;
}

} // namespace blobscope::preflight
