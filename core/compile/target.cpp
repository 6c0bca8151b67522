#include "core/compile/target.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/compile/compilers.h"
#include "core/edit/value.h"
#include "core/library/node.h"
#include "core/library/resolve.h"
#include "core/modules/module_fields.h"
#include "core/payloads/cubin/cubin.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/payloads/ptx/ptx.h"
#include "core/payloads/sniff.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace blobscope::compile {
namespace {

Error noPlace(const Ref& ref, std::string reason) {
  return {DiagnosticId::CompPlace, {arg("ref", ref.toString()), {"reason", std::move(reason)}}, ref};
}

void addArchitecture(std::string architecture, Target& out) {
  if (architecture.empty()) return;
  if (std::ranges::find(out.architectures, architecture) == out.architectures.end())
    out.architectures.push_back(std::move(architecture));
}

/// "compute_80" for PTX with the target sm_80.
std::string virtualName(const std::string& target) {
  return target.starts_with("sm_") ? "compute_" + target.substr(3) : std::string();
}

void addFacts(Target& out) {
  out.content = payloads::sniff(out.code);
  if (out.content == "cubin") addArchitecture(payloads::readCubin(out.code).architecture(), out);
  if (out.content == "ptx") addArchitecture(virtualName(payloads::readPtx(out.code).target), out);
  if (out.content == "fatbin")
    for (const payloads::FatbinEntry& entry : payloads::readFatbin(out.code).entries())
      addArchitecture(
          entry.kind == payloads::FatbinEntry::kPtx ? virtualName(entry.architecture()) : entry.architecture(), out);
  if (payloads::isText(out.content)) out.source = languageOf(out, out.code);
}

void addConfig(const Bytes& config, Target& out) {
  const auto parsed = json::parse(config);
  const json::Value* const cuda = parsed ? parsed->find("cuda") : nullptr;
  if (!cuda) return;
  constexpr std::size_t kFlags = 100, kArchitecture = 12;
  for (const std::string_view compiler : {"nvcc", "nvrtc", "ptxas"}) {
    const json::Value* const list = cuda->find(compiler);
    if (!list || !list->array()) continue;
    std::vector<std::string> flags;
    for (const json::Value& flag : *list->array())
      if (flags.size() < kFlags && flag.string()) flags.push_back(*flag.string());
    SortedFlags sorted = sortFlags(compiler, flags);
    if (!sorted.passed.empty()) out.flags.emplace(compiler, std::move(sorted.passed));
    if (!sorted.leftOut.empty()) out.leftOut.emplace(compiler, std::move(sorted.leftOut));
  }
  if (const json::Value* const arch = cuda->find("arch"); arch && out.architectures.empty())
    if (const std::string text = arch->text();
        text.starts_with("sm_") && text.size() <= kArchitecture &&
        std::ranges::all_of(text.substr(3), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); }))
      addArchitecture(text, out);
}

/// The parameters of a kernel and the largest block that it allows.
struct Shape {
  std::vector<std::optional<uint64_t>> parameters; ///< bytes of each
  std::optional<uint64_t> threads;
};
using Shapes = std::map<std::string, Shape, std::less<>>;

void addShapes(const Bytes& image, Shapes& out) {
  const std::string_view content = payloads::sniff(image);
  if (content == "cubin")
    for (const payloads::CubinKernel& kernel : payloads::readCubin(image).kernels) {
      Shape shape;
      for (const payloads::CubinParameter& parameter : kernel.parameters) shape.parameters.emplace_back(parameter.size);
      shape.threads = kernel.blockThreads();
      out.try_emplace(std::string(kernel.name.view()), std::move(shape));
    }
  if (content == "ptx")
    for (const payloads::PtxEntry& entry : payloads::readPtx(image).entries) {
      Shape shape;
      for (const payloads::PtxVariable& parameter : entry.parameters) shape.parameters.push_back(parameter.bytes);
      for (const payloads::PtxDirective& directive : entry.directives) {
        if (directive.name != "maxntid" && directive.name != "reqntid") continue;
        uint64_t threads = 1;
        for (const uint64_t extent : directive.values) threads = multiplySaturated(threads, extent);
        shape.threads = std::min(threads, shape.threads.value_or(UINT64_MAX));
      }
      out.try_emplace(std::string(entry.name.view()), std::move(shape));
    }
}

/// The kernels of an image; of a fat binary, those of its entries that are not compressed.
Shapes shapesIn(const Bytes& code) {
  Shapes out;
  addShapes(code, out);
  if (payloads::sniff(code) == "fatbin")
    for (const payloads::FatbinEntry& entry : payloads::readFatbin(code).entries()) addShapes(entry.payload, out);
  return out;
}

/// The size of an argument in bytes: 8 for "handle", 4 for "int32". Nothing for other texts.
std::optional<uint64_t> argumentBytes(std::string_view type) {
  const auto stored = edit::parseDataType(type, true); // code, bits, lanes
  if (!stored) return std::nullopt;
  return ((*stored >> 8 & 0xff) * uint64_t{*stored >> 16} + 7) / 8;
}

void addParameterMisfits(const std::string& kernel, const std::vector<std::string>& arguments, const Shape& shape,
                         std::vector<std::string>& out) {
  if (arguments.size() != shape.parameters.size()) {
    out.push_back("the compiled kernel '" + kernel + "' takes " + countText(shape.parameters.size(), "parameter") +
                  ", and the library passes " + groupedText(arguments.size()));
    return;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto passed = argumentBytes(arguments[i]);
    if (!passed || !shape.parameters[i] || *passed == *shape.parameters[i]) continue;
    out.push_back("parameter " + std::to_string(i) + " of the compiled kernel '" + kernel + "' has " +
                  countText(*shape.parameters[i], "byte") + ", and the library passes " + escaped(arguments[i]) +
                  " with " + countText(*passed, "byte"));
  }
}

} // namespace

Language languageOf(const Target& target, const Bytes& source) {
  if (target.moduleKey == "opencl") return target.content == "spirv" ? Language::SpirvAssembly : Language::OpenClC;
  if (target.moduleKey == "vulkan") return Language::SpirvAssembly;
  if (target.moduleKey == "metal") return Language::Metal;
  if (target.moduleKey == "webgpu") return Language::Wgsl;
  return payloads::sniff(source) == "ptx" ? Language::Ptx : Language::CudaCpp;
}

Result<Target> targetOf(const library::Package& package, const Ref& ref, Monitor& monitor) {
  BLOBSCOPE_TRY(found, library::resolve(package, ref));
  if (!found.module) return noPlace(ref, "it names no module with device code");
  constexpr std::string_view kKeys[] = {"cuda", "opencl", "vulkan", "metal", "webgpu"};
  Target out;
  out.moduleKey = std::string(found.module->key.view().substr(0, 64));
  if (std::ranges::find(kKeys, out.moduleKey) == std::end(kKeys))
    return noPlace(ref, "modules of kind '" + escaped(out.moduleKey) + "' have no code that can be compiled here");
  const auto tree = library::treeOf(*found.module);
  const auto shared = modules::findKernelFields(*tree).image; // the row of the code that all kernels share
  const auto kind = ref.partKind();
  if (kind == PartKind::Entry || kind == PartKind::Kernel) {
    BLOBSCOPE_TRY(node, library::findNode(package, ref, monitor)); // a kernel that shares its code must also exist
    if (kind == PartKind::Entry || !shared) {
      if (!node.bytes) return noPlace(ref, node.whyNoBytes);
      out.ref = ref;
      out.code = *node.bytes;
      addFacts(out);
      return out;
    }
  }
  if (kind && kind != PartKind::Kernel && kind != PartKind::Field)
    return noPlace(ref, "only modules, kernels and images can be compiled");
  if (!shared) return noPlace(ref, "each kernel of this module has code of its own; name a kernel");
  Ref module = ref;
  module.parts.clear();
  out.ref = module.part(PartKind::Field, tree->path(*shared));
  out.code = tree->content(*shared);
  addFacts(out);
  if (const auto config = tree->find("backend_config")) addConfig(tree->content(*config), out);
  return out;
}

namespace {

/// CUDA C++ is compiled for the stored architectures, unless others are requested.
void setArchitectures(const Target& target, Request& request) {
  if (request.language == Language::CudaCpp && request.architectures.empty())
    request.architectures = target.architectures;
}

} // namespace

Result<Compiled> compileFor(const Target& target, Request request, Monitor& monitor) {
  request.language = languageOf(target, request.source);
  setArchitectures(target, request);
  BLOBSCOPE_TRY(out, compile(request, monitor));
  const auto recorded = target.flags.find(out.compiler);
  const auto leftOut = target.leftOut.find(out.compiler);
  if (leftOut != target.leftOut.end() &&
      (request.flags.empty() || (recorded != target.flags.end() && request.flags == recorded->second)))
    for (const std::string& flag : leftOut->second) out.messages.push_back(noteOf(flag));
  if (out.ok && target.source == request.language && request.language != Language::Ptx) {
    out.code = request.source;
    out.format = "text";
  }
  return out;
}

Result<std::vector<KernelUse>> usesBefore(const Target& target, Request request, Monitor& monitor) {
  if (!target.source)
    return kernelsOf(target.code, request.architectures.empty() ? std::string_view()
                                                                : std::string_view(request.architectures.front()));
  request.language = *target.source;
  setArchitectures(target, request);
  std::string_view text = target.code.view(); // PTX in a fat binary is padded with zeros
  text = text.substr(0, text.find_last_not_of('\0') + 1);
  request.source = target.code.slice(0, text.size());
  auto compiled = compile(request, monitor);
  if (compiled) return std::move(compiled->kernels);
  if (compiled.error().code() == ErrorCode::Cancelled) return compiled.takeError();
  return std::vector<KernelUse>();
}

std::vector<std::string> misfitsOf(const library::Package& package, const Target& target, const Compiled& compiled) {
  if (target.moduleKey != "cuda" || !compiled.code || compiled.format == "text") return {};
  const auto found = library::resolve(package, target.ref);
  if (!found || !found->module) return {};
  const Shapes now = shapesIn(*compiled.code), before = shapesIn(target.code);
  const auto tree = library::treeOf(*found->module);
  std::vector<std::string> out;
  for (const modules::Kernel& kernel : found->module->body->kernels()) {
    const std::string name = escapedWithin(kernel.name.view(), 200);
    const auto shape = now.find(kernel.name.view());
    if (shape == now.end()) {
      out.push_back("the module lists the kernel '" + name + "', and the compiled code has none of that name");
      continue;
    }
    addParameterMisfits(name, modules::kernelInfo(*tree, kernel.fieldRow).argTypes, shape->second, out);
    const auto old = before.find(kernel.name.view());
    if (old == before.end() || !shape->second.threads) continue;
    if (old->second.threads.value_or(UINT64_MAX) > *shape->second.threads)
      out.push_back("the compiled kernel '" + name + "' runs with at most " +
                    countText(*shape->second.threads, "thread") + " in a block, the one before with " +
                    (old->second.threads ? groupedText(*old->second.threads) : std::string("any number")) +
                    ", and the library still launches that");
  }
  return out;
}

std::vector<edit::Edit> editsFor(const library::Package& package, const Target& target, const Compiled& compiled) {
  std::vector<edit::Edit> out;
  if (!compiled.code) return out;
  out.push_back(edit::Replace{{target.ref, {}}, {{}, *compiled.code}});
  const auto found = library::resolve(package, target.ref);
  if (target.moduleKey != "cuda" || target.ref.partKind() != PartKind::Field || !found || !found->module ||
      compiled.format == "text")
    return out;
  const std::string before = modules::declaredFormat(*library::treeOf(*found->module));
  const std::string& now = compiled.format; // "ptx", "cubin", "fatbin": core/formats/cuda-binaries.md 1
  if (before.empty() || before == now) return out;
  Ref module = target.ref;
  module.parts.clear();
  json::Value value;
  value.data = now;
  out.push_back(edit::SetField{{module.part(PartKind::Field, "fmt"), {}}, std::move(value)});
  return out;
}

} // namespace blobscope::compile
