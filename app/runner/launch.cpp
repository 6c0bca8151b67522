#include "app/runner/launch.h"

#include "core/base/text.h"

#include <bit>
#include <optional>
#include <string_view>

namespace blobscope::runner {
namespace {

enum class Target : uint8_t { Grid, Block, Cluster, PreferredCluster, Dynamic, Programmatic, Cooperative, None };

struct Tag {
  Target target = Target::None;
  std::size_t axis = 0;
  bool takesValue = true;
};

std::optional<std::size_t> axisOf(std::string_view text, std::string_view prefix) {
  if (text.size() != prefix.size() + 1 || !text.starts_with(prefix)) return std::nullopt;
  const char last = text.back();
  return last >= 'x' && last <= 'z' ? std::optional(static_cast<std::size_t>(last - 'x')) : std::nullopt;
}

/// Source: apache/tvm v0.8, v0.20, v0.24 src/runtime/thread_storage_scope.h, LaunchParamConfig::Init; "programtic" is
/// upstream's spelling.
Tag tagOf(std::string_view text) {
  struct Row {
    std::string_view prefix;
    Target target;
  };
  constexpr Row kAxes[] = {{"blockIdx.", Target::Grid},
                           {"threadIdx.", Target::Block},
                           {"clusterCtaIdx.", Target::Cluster},
                           {"preferredClusterCtaIdx.", Target::PreferredCluster}};
  for (const Row& row : kAxes)
    if (const auto axis = axisOf(text, row.prefix)) return {row.target, *axis};
  // WebGPU states here which buffers are written: "paramWriteAccess:[0,0,1]". Seen in libraries of 0.17 and 0.27.
  if (text.starts_with("paramWriteAccess:")) return {Target::None, 0, false};
  for (const std::string_view prefix : {"tir.", "tirx."}) {
    if (!text.starts_with(prefix)) continue;
    const std::string_view name = text.substr(prefix.size());
    if (name == "use_dyn_shared_memory") return {Target::Dynamic};
    if (name == "use_programtic_dependent_launch") return {Target::Programmatic, 0, false};
    if (name == "use_cooperative_launch") return {Target::Cooperative, 0, false};
    if (name == "use_required_block_dimension") return {Target::None, 0, false};
  }
  return {};
}

/// After TVM 0.27; every field takes a value. Source: core/formats/module-kinds.md 2.4.
Tag fieldOf(std::string_view text) {
  struct Row {
    std::string_view prefix;
    Target target;
  };
  constexpr Row kAxes[] = {{"grid.", Target::Grid},
                           {"block.", Target::Block},
                           {"cluster.", Target::Cluster},
                           {"preferred_cluster.", Target::PreferredCluster}};
  for (const Row& row : kAxes)
    if (const auto axis = axisOf(text, row.prefix)) return {row.target, *axis};
  if (text == "dynamic_smem_bytes") return {Target::Dynamic};
  if (text == "cooperative") return {Target::Cooperative};
  if (text == "programmatic_stream_serialization") return {Target::Programmatic};
  return {};
}

std::string kindText(const PackedValue& value) {
  using Kind = PackedValue::Kind;
  switch (value.kind) {
  case Kind::Integer: return "an integer";
  case Kind::Boolean: return "true or false";
  case Kind::Float: return "a float";
  case Kind::Pointer: return "a pointer";
  case Kind::Null: return "nothing";
  case Kind::Other: break;
  }
  return "a value of type " + std::to_string(value.code);
}

bool isWhole(const PackedValue& value) {
  return value.kind == PackedValue::Kind::Integer || value.kind == PackedValue::Kind::Boolean;
}

/// Returns false for an extent of 0, which runtimes from 0.8 on treat as 1.
bool setValue(Launch& launch, const Tag& tag, uint64_t value) {
  switch (tag.target) {
  case Target::Dynamic: launch.dynamicShared = value; return true;
  case Target::Programmatic: launch.programmatic = value != 0; return true;
  case Target::Cooperative: launch.cooperative = value != 0; return true;
  default: break;
  }
  if (value == 0) return false;
  (tag.target == Target::Grid    ? launch.grid
   : tag.target == Target::Block ? launch.block
                                 : launch.cluster)[tag.axis] = value;
  return true;
}

} // namespace

std::string typeText(protocol::DataType type) {
  constexpr std::string_view kNames[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
  if (type.code == 3 && type.lanes == 1) return "handle";
  std::string text =
      type.code < std::size(kNames) ? std::string(kNames[type.code]) : "type" + std::to_string(type.code) + "_";
  text += std::to_string(type.bits);
  return type.lanes == 1 ? text : text + "x" + std::to_string(type.lanes);
}

PackedValue packedOf(const TvmValue& value, int code) {
  using Kind = PackedValue::Kind;
  const auto bits = std::bit_cast<uint64_t>(value);
  switch (code) {
  case kClassicInt:
  case kClassicUInt: return {Kind::Integer, bits, code};
  case kClassicFloat: return {Kind::Float, bits, code};
  case kClassicHandle: return {Kind::Pointer, bits, code};
  case kClassicNull: return {Kind::Null, 0, code};
  default: return {Kind::Other, bits, code};
  }
}

PackedValue packedOf(const FfiAny& value) {
  using Kind = PackedValue::Kind;
  const auto bits = std::bit_cast<uint64_t>(value.value);
  switch (value.type) {
  case kFfiNone: return {Kind::Null, 0, value.type};
  case kFfiInt: return {Kind::Integer, bits, value.type};
  case kFfiBool: return {Kind::Boolean, uint64_t{bits != 0}, value.type};
  case kFfiFloat: return {Kind::Float, bits, value.type};
  case kFfiPointer: return {Kind::Pointer, bits, value.type};
  default: return {Kind::Other, bits, value.type};
  }
}

Result<uint64_t> kernelArgument(const protocol::JobKernel& kernel, std::size_t index, const PackedValue& value) {
  using Kind = PackedValue::Kind;
  const auto refused = [&](std::string reason) {
    return Error(DiagnosticId::RunArgument,
                 {arg("index", uint64_t{index}), arg("name", kernel.name), {"reason", std::move(reason)}});
  };
  if (index >= kernel.arguments.size())
    return refused("the table has " + std::to_string(kernel.arguments.size()) + " parameters");
  const protocol::DataType type = kernel.arguments[index];
  const bool tensorMap = index < kernel.extraTags.size() && kernel.extraTags[index] == 1;
  if (tensorMap || type.code == 3) {
    if (value.kind == Kind::Pointer || value.kind == Kind::Null) return value.bits;
    return refused("it is a pointer, but " + kindText(value) + " was passed");
  }
  if (type.lanes != 1) return refused("vectors like " + typeText(type) + " are not passed to kernels");
  if (type.code == 2 && (type.bits == 32 || type.bits == 64)) {
    if (value.kind != Kind::Float) return refused("it is a float, but " + kindText(value) + " was passed");
    if (type.bits == 64) return value.bits;
    return uint64_t{std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)))};
  }
  const bool whole = (type.code == 0 && (type.bits == 32 || type.bits == 64)) || (type.code == 1 && type.bits == 32);
  if (!whole) return refused("TVM does not pass " + typeText(type) + " to kernels");
  if (!isWhole(value)) return refused("it is an integer, but " + kindText(value) + " was passed");
  return type.bits == 64 ? value.bits : value.bits & 0xffff'ffffU;
}

std::vector<KernelParameter> parametersOf(const protocol::JobKernel& kernel) {
  std::vector<KernelParameter> parameters;
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const protocol::DataType type = kernel.arguments[i];
    const bool tensorMap = i < kernel.extraTags.size() && kernel.extraTags[i] == 1;
    parameters.push_back({type.code == 3 && !tensorMap, type.bits, type.code == 2, tensorMap});
  }
  return parameters;
}

Result<DecodedLaunch> decodeLaunch(const protocol::JobKernel& kernel, std::span<const PackedValue> values) {
  // --- 1. The number of values. ---
  const bool fields = !kernel.launchFields.empty();
  std::vector<Tag> tags;
  std::size_t expected = kernel.arguments.size();
  const std::vector<std::string>& names = fields ? kernel.launchFields : kernel.tags;
  for (const std::string& name : names) {
    tags.push_back(fields ? fieldOf(name) : tagOf(name));
    if (tags.back().takesValue) ++expected;
  }
  const auto mismatch = [&](std::string parts) {
    return Error(DiagnosticId::RunLaunch, {arg("kernel", kernel.name),
                                           arg("given", uint64_t{values.size()}),
                                           arg("expected", uint64_t{expected}),
                                           {"parts", std::move(parts)}});
  };
  if (values.size() != expected)
    return mismatch(countText(kernel.arguments.size(), "parameter") + " and " +
                    countText(expected - kernel.arguments.size(), "launch value"));

  // --- 2. Parameters. ---
  DecodedLaunch decoded;
  Launch& launch = decoded.launch;
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    BLOBSCOPE_TRY(bits, kernelArgument(kernel, i, values[i]));
    launch.arguments.push_back(bits);
  }

  // --- 3. Extents, in the order of the tags. ---
  std::size_t next = kernel.arguments.size();
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const Tag tag = tags[i];
    if (!tag.takesValue) {
      if (tag.target == Target::Programmatic) launch.programmatic = true;
      if (tag.target == Target::Cooperative) launch.cooperative = true;
      continue;
    }
    const PackedValue& value = values[next++];
    if (tag.target == Target::None || tag.target == Target::PreferredCluster) {
      decoded.unknownTags.push_back(names[i]);
      continue;
    }
    if (!isWhole(value)) return mismatch("'" + names[i] + "' is " + kindText(value));
    const uint64_t extent = value.bits;
    if (extent > INT64_MAX) return mismatch("'" + names[i] + "' is negative");
    if (!setValue(launch, tag, extent)) decoded.zeroExtents.push_back(names[i]);
  }
  return decoded;
}

} // namespace blobscope::runner
