#include "core/modules/field_values.h"

#include <algorithm>

namespace blobscope::modules {
namespace {

// Launch tags. Sources: apache/tvm src/runtime/thread_storage_scope.h, ThreadScope::Create and LaunchParamConfig::Init
// ("blockIdx.", "threadIdx.", "vthread", "cthread": v0.2; "clusterCtaIdx." and "preferredClusterCtaIdx.": v0.25), and
// src/runtime/metadata.h, launch_param (`tir.use_dyn_shared_memory` of v0.8, e95f10f8fd; the other `tir.use_…` of
// v0.23, cfadc1aff2; `tirx.use_…` of v0.24, 141c22fd8a; `…_required_block_dimension` of v0.27).
// "paramWriteAccess:[1,0]" of WebGPU: v0.16, 279317d4cd. Fields of the second form:
// src/backend/cuda/launch/launch_fields.h after v0.27.
const std::vector<FieldValues>& table() {
  static const std::vector<FieldValues> kTable = {
      FieldValues{{},
                  "launch_param_tags",
                  {"blockIdx.x",
                   "blockIdx.y",
                   "blockIdx.z",
                   "threadIdx.x",
                   "threadIdx.y",
                   "threadIdx.z",
                   "clusterCtaIdx.x",
                   "clusterCtaIdx.y",
                   "clusterCtaIdx.z",
                   "preferredClusterCtaIdx.x",
                   "preferredClusterCtaIdx.y",
                   "preferredClusterCtaIdx.z",
                   "tir.use_dyn_shared_memory",
                   "tir.use_programtic_dependent_launch",
                   "tir.use_cooperative_launch",
                   "tirx.use_dyn_shared_memory",
                   "tirx.use_programtic_dependent_launch",
                   "tirx.use_cooperative_launch",
                   "tirx.use_required_block_dimension",
                   "vthread",
                   "vthread.x",
                   "vthread.y",
                   "vthread.z",
                   "cthread"},
                  {},
                  "paramWriteAccess:["},
      FieldValues{{},
                  "launch_fields",
                  {"grid.x",
                   "grid.y",
                   "grid.z",
                   "block.x",
                   "block.y",
                   "block.z",
                   "cluster.x",
                   "cluster.y",
                   "cluster.z",
                   "preferred_cluster.x",
                   "preferred_cluster.y",
                   "preferred_cluster.z",
                   "dynamic_smem_bytes",
                   "stream",
                   "cooperative",
                   "programmatic_stream_serialization",
                   "cluster_scheduling_policy",
                   "priority",
                   "mem_sync_domain",
                   "mem_sync_domain_map.default",
                   "mem_sync_domain_map.remote",
                   "access_policy_window.base_ptr",
                   "access_policy_window.num_bytes",
                   "access_policy_window.hit_ratio",
                   "access_policy_window.hit_prop",
                   "access_policy_window.miss_prop",
                   "preferred_shared_memory_carveout",
                   "nvlink_util_centric_scheduling",
                   "portable_cluster_size_mode",
                   "shared_memory_mode",
                   "programmatic_event.event",
                   "programmatic_event.flags",
                   "programmatic_event.trigger_at_block_start",
                   "launch_completion_event.event",
                   "launch_completion_event.flags"},
                  {},
                  {}},
      // apache/tvm b6db2ec89f src/runtime/metadata.h, FunctionInfo::ArgExtraTags: none, tensor map.
      FieldValues{{}, "arg_extra_tags", {}, {{0, 1}}, {}},
      // apache/tvm v0.8.0 src/runtime/vulkan/vulkan_shader.h, kFlagUseUBO: the one bit.
      FieldValues{{"vulkan", "opencl"}, "flag", {}, {{0, 1}}, {}},
      // "fmt" of cuda, hip and vulkan is not checked by their loaders. apache/tvm v0.2 – v0.27
      // src/runtime/opencl/opencl_module.cc, OpenCLModuleNode::InstallKernel; src/runtime/opencl/sdaccel and aocl.
      FieldValues{{"opencl", "sdaccel", "aocl", "aocl_sw_emu"},
                  "fmt",
                  {"cl", "clbin", "spirv", "xclbin", "awsxclbin", "aocx"},
                  {},
                  {}},
      // apache/tvm src/runtime/metal/metal_module.mm, MetalModuleNode::GetPipelineState.
      FieldValues{{"metal"}, "fmt", {"metal", "metallib"}, {}, {}},
      // dlpack DLDeviceType and apache/tvm include/tvm/runtime/device_api.h, TVMDeviceExtType, per tag.
      FieldValues{{}, "device_type", {}, {{1, 18}, {32, 35}}, {}},
  };
  return kTable;
}

} // namespace

bool FieldValues::has(std::string_view text) const {
  return std::find(texts.begin(), texts.end(), text) != texts.end() ||
         (!beginning.empty() && text.starts_with(beginning));
}

bool FieldValues::has(int64_t number) const {
  return std::any_of(numbers.begin(), numbers.end(),
                     [&](const Range& range) { return number >= range.first && number <= range.last; });
}

std::string FieldValues::words() const {
  constexpr std::size_t kShown = 6;
  std::string out;
  std::size_t count = 0;
  for (const std::string_view text : texts) {
    if (count++ >= kShown) continue;
    out += (out.empty() ? "'" : ", '") + std::string(text) + "'";
  }
  if (count > kShown) out += " and " + std::to_string(count - kShown) + " others";
  for (const Range& range : numbers)
    out += (out.empty() ? "" : ", ") + std::to_string(range.first) +
           (range.first == range.last ? "" : " to " + std::to_string(range.last));
  return out;
}

const FieldValues* findFieldValues(std::string_view kind, std::string_view path) {
  while (path.ends_with(']')) path = path.substr(0, path.rfind('['));
  const std::string_view name = path.substr(path.rfind('.') + 1); // npos + 1 is 0
  for (const FieldValues& values : table()) {
    const bool ofKind =
        values.kinds.empty() || std::find(values.kinds.begin(), values.kinds.end(), kind) != values.kinds.end();
    if (ofKind && values.field == name) return &values;
  }
  return nullptr;
}

const FieldValues& dataTypeCodes(bool dlpack) {
  // dlpack 1.1 DLDataTypeCode, and apache/tvm v0.2 – v0.20 include/tvm/runtime/data_type.h; 129 on: types registered by
  // name (kCustomBegin).
  static const FieldValues kDlpack{{}, {}, {}, {{0, 17}, {129, 255}}, {}}, kOld{{}, {}, {}, {{0, 8}, {129, 255}}, {}};
  return dlpack ? kDlpack : kOld;
}

} // namespace blobscope::modules
