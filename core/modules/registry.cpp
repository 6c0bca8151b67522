#include "core/modules/registry.h"

#include "core/modules/const_loader/const_loader.h"
#include "core/modules/cuda/cuda.h"
#include "core/modules/engines/engines.h"
#include "core/modules/fpga/fpga.h"
#include "core/modules/graph_executor/graph_executor.h"
#include "core/modules/hexagon/hexagon.h"
#include "core/modules/json_runtime/json_runtime.h"
#include "core/modules/lib/lib.h"
#include "core/modules/metadata/metadata.h"
#include "core/modules/metal/metal.h"
#include "core/modules/opencl/opencl.h"
#include "core/modules/opengl/opengl.h"
#include "core/modules/rocm/rocm.h"
#include "core/modules/source/source.h"
#include "core/modules/static_library/static_library.h"
#include "core/modules/unknown/unknown.h"
#include "core/modules/vm_executable/vm_executable.h"
#include "core/modules/vulkan/vulkan.h"
#include "core/modules/webgpu/webgpu.h"
#include "core/payloads/sniff.h"

#include <algorithm>
#include <array>

namespace blobscope::modules {
namespace {

constexpr const ModuleCodec* kCodecs[] = {
    &kLibCodec,
    &kCudaCodec,
    &kOpenclCodec,
    &kVulkanCodec,
    &kMetalCodec,
    &kWebgpuCodec,
    &kRocmCodec,
    &kHexagonCodec,
    &kOpenglCodec,
    &kFpgaCodec,
    &kRelaxExecutableCodec,
    &kRelayExecutableCodec,
    &kGraphFactoryCodec,
    &kAotFactoryCodec,
    &kConstLoaderCodec,
    &kMetadataCodec,
    &kJsonRuntimeCodec,
    &kSourceCodec,
    &kStaticLibraryCodec,
    &kCoremlCodec,
    &kTorchCodec,
    &kVitisCodec,
    &kMrvlSimCodec,
    &kMrvlHwCodec,
    &kExampleJsonCodec,
    &kEthosnCodec,
};

constexpr std::array<std::string_view, 47> kUpstreamKeys = {
    kLibraryKey,
    "cuda",
    "hip",
    "hsaco",
    "opencl",
    "sdaccel",
    "aocl",
    "aocl_sw_emu",
    "metal",
    "vulkan",
    "webgpu",
    "opengl",
    "hexagon",
    "hex",
    "nki",
    "asc",
    "c",
    "static_library",
    "GraphRuntimeFactory",
    "GraphExecutorFactory",
    "AotExecutorFactory",
    "metadata",
    "const_loader",
    "metadata_module",
    "VMExecutable",
    "relax.Executable",
    "relax.VMExecutable",
    "json",
    "dnnl_json",
    "arm_compute_lib",
    "tensorrt",
    "bnns_json",
    "clml",
    "verilator",
    "cublas_json",
    "cudnn_json",
    "msc_tensorrt",
    "hipblas_json",
    "nnapi",
    "example_npu_json",
    "coreml",
    "torch",
    "ethos-n",
    "VitisAIRuntime",
    "mrvl_sim",
    "mrvl_hw",
    "examplejson",
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

Result<BodyPtr> decodePayload(const ModuleCodec& codec, const Bytes& payload, std::span<const WireContext> contexts,
                              std::string_view preferred) {
  std::optional<Error> error;
  uint64_t furthest = 0;
  for (const bool wanted : {true, false})
    for (const WireContext& context : contexts)
      for (const Layout& layout : codec.layouts) {
        if ((layout.name == preferred) != wanted) continue;
        Reader reader(payload);
        BodyPtr body = layout.decode(reader, context);
        if (body && reader.left() == 0) return body;
        if (body) reader.failLeftOver("");
        if (error && reader.failedAt() <= furthest) continue;
        furthest = reader.failedAt();
        error = reader.error();
      }
  if (error) return std::move(*error);
  return Error(DiagnosticId::Internal, {arg("what", "a kind without layouts")});
}

namespace {

/// Whether the decoded body is plausible: it lists something, names are identifiers, and code has the declared format.
/// A count that damage made smaller leaves bytes over too.
bool isPlausible(const Body& body) {
  const std::vector<Kernel> kernels = body.kernels();
  if (kernels.empty() && body.parts().empty()) return false;
  const auto isIdentifier = [](std::string_view name) {
    return !name.empty() && (name[0] < '0' || name[0] > '9') && std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
  };
  if (!std::all_of(kernels.begin(), kernels.end(),
                   [&](const Kernel& kernel) { return isIdentifier(kernel.name.view()); }))
    return false;
  const std::optional<Bytes> format = body.format();
  return !format || (!format->empty() && payloads::isText(format->view()) && !body.content().empty());
}

} // namespace

BodyPtr decodeNewerPayload(const ModuleCodec& codec, const Bytes& payload, std::span<const WireContext> contexts,
                           std::string_view preferred) {
  BodyPtr best;
  for (const WireContext& context : contexts)
    for (const Layout& layout : codec.layouts) {
      if (!layout.decodeWithTail || (!preferred.empty() && layout.name != preferred)) continue;
      Reader reader(payload);
      BodyPtr body = layout.decodeWithTail(reader, context);
      if (!body || body->unknownTail().empty() || (preferred.empty() && !isPlausible(*body))) continue;
      if (!best || body->unknownTail().size() < best->unknownTail().size()) best = std::move(body);
    }
  return best;
}

bool isUpstreamKey(std::string_view key) {
  return std::find(kUpstreamKeys.begin(), kUpstreamKeys.end(), key) != kUpstreamKeys.end();
}

FieldTree cutPrefix(FieldTree tree, uint64_t end) {
  end = std::min(end, tree.bytes.size());
  std::vector<uint32_t> kept(tree.rows.size() + 1, 0); // number of kept rows before each row
  std::vector<Field> rows;
  for (uint32_t row = 0; row < tree.rows.size(); ++row) {
    kept[row] = static_cast<uint32_t>(rows.size());
    if (tree.rows[row].offset < end) rows.push_back(tree.rows[row]);
  }
  kept.back() = static_cast<uint32_t>(rows.size());
  for (Field& field : rows) {
    field.after = kept[field.after];
    if (field.type == FieldType::Group || field.type == FieldType::Items)
      field.number = field.size > end - field.offset ? 1 : 0;
    field.size = std::min(field.size, end - field.offset);
    if (field.type != FieldType::List || field.size < 8) continue;
    // A list shows the number of items that it declares, not of those that were read.
    Reader count(tree.bytes.slice(field.offset, 8));
    field.number = count.number<uint64_t>("count");
  }
  if (end < tree.bytes.size()) {
    Field rest;
    rest.name = "not read";
    rest.type = FieldType::Unknown;
    rest.role = FieldRole::Unknown;
    rest.offset = end;
    rest.size = rest.number = tree.bytes.size() - end;
    rest.after = static_cast<uint32_t>(rows.size()) + 1;
    rows.push_back(rest);
  }
  tree.rows = std::move(rows);
  return tree;
}

BodyPtr damagedBody(Bytes bytes, const ModuleCodec& codec, const WireContext& context) {
  FieldTree best;
  uint64_t furthest = 0;
  for (const Layout& layout : codec.layouts) {
    if (!layout.describePrefix) continue;
    FieldTree tree = layout.describePrefix(bytes, context);
    const uint64_t read = tree.ownedBytes();
    if (read <= furthest) continue;
    furthest = read;
    best = std::move(tree);
  }
  if (best.rows.empty()) return opaqueBody(std::move(bytes));
  return makeDamagedBody(std::move(best));
}

BodyPtr opaqueBody(Bytes bytes) { return makeUnknownBody(std::move(bytes)); }

} // namespace blobscope::modules
