#include "core/modules/registry.h"

#include "core/modules/cuda/cuda.h"
#include "core/modules/lib/lib.h"
#include "core/modules/opencl/opencl.h"
#include "core/modules/unknown/unknown.h"
#include "core/modules/vulkan/vulkan.h"

#include <algorithm>
#include <array>

namespace blobscope::modules {
namespace {

constexpr const ModuleCodec* kCodecs[] = {
    &kLibCodec,
    &kCudaCodec,
    &kOpenclCodec,
    &kVulkanCodec,
};

constexpr std::array<std::string_view, 46> kUpstreamKeys = {
    "_lib",          "cuda",
    "hip",           "hsaco",
    "opencl",        "sdaccel",
    "aocl",          "aocl_sw_emu",
    "metal",         "vulkan",
    "webgpu",        "opengl",
    "hexagon",       "hex",
    "nki",           "c",
    "static_library", "GraphRuntimeFactory",
    "GraphExecutorFactory", "AotExecutorFactory",
    "metadata",      "const_loader",
    "metadata_module", "VMExecutable",
    "relax.Executable", "relax.VMExecutable",
    "json",          "dnnl_json",
    "arm_compute_lib", "tensorrt",
    "bnns_json",     "clml",
    "verilator",     "cublas_json",
    "cudnn_json",    "msc_tensorrt",
    "hipblas_json",  "nnapi",
    "example_npu_json", "coreml",
    "torch",         "ethos-n",
    "VitisAIRuntime", "mrvl_sim",
    "mrvl_hw",       "examplejson",
};

} // namespace

FieldTree describeBody(const Body& body, Bytes bytes) {
  FieldTreeBuilder builder;
  body.describe(builder);
  return builder.take(std::move(bytes));
}

std::span<const ModuleCodec* const> codecs() { return kCodecs; }

const ModuleCodec* findCodec(std::string_view key) {
  for (const ModuleCodec* codec : kCodecs)
    if (std::find(codec->keys.begin(), codec->keys.end(), key) != codec->keys.end()) return codec;
  return nullptr;
}

bool isUpstreamKey(std::string_view key) {
  return std::find(kUpstreamKeys.begin(), kUpstreamKeys.end(), key) != kUpstreamKeys.end();
}

BodyPtr opaqueBody(Bytes bytes) { return makeUnknownBody(std::move(bytes)); }

} // namespace blobscope::modules
