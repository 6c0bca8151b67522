#include "core/describe/draft.h"

#include "core/base/text.h"
#include "core/library/node.h"
#include "core/library/resolve.h"
#include "core/modules/module_fields.h"
#include "core/payloads/cubin/cubin.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/payloads/sniff.h"
#include "core/view/page_id.h"
#include "core/xref/functions.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace blobscope::describe {
namespace {

using CubinKernels = std::map<std::string, payloads::CubinKernel, std::less<>>;

void addKernels(const Bytes& image, CubinKernels& out) {
  if (payloads::sniff(image) != "cubin") return;
  for (payloads::CubinKernel& kernel : payloads::readCubin(image).kernels)
    out.try_emplace(std::string(kernel.name.view()), std::move(kernel));
}

/// Those of a cubin, or of the images of a fat binary that are not compressed.
CubinKernels kernelsIn(const Bytes& code) {
  CubinKernels out;
  addKernels(code, out);
  if (payloads::sniff(code) == "fatbin")
    for (const payloads::FatbinEntry& entry : payloads::readFatbin(code).entries()) addKernels(entry.payload, out);
  return out;
}

bool hasPtx(const Bytes& code) {
  return payloads::sniff(code) == "fatbin" &&
         std::ranges::any_of(payloads::readFatbin(code).entries(), [](const payloads::FatbinEntry& entry) {
           return entry.kind == payloads::FatbinEntry::kPtx;
         });
}

/// A comment line; text of the file cannot end it.
std::string comment(std::string_view text) {
  constexpr std::size_t kLongest = 400;
  return "// " + escapedWithin(text, kLongest) + "\n";
}

/// The type of a parameter in CUDA C++ and whether it needs TVM's types for half floats: "float" for "float32".
std::string typeOf(std::string_view type) {
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {{"float32", "float"},
                                                                      {"float64", "double"},
                                                                      {"float16", "half"},
                                                                      {"bfloat16", "nv_bfloat16"},
                                                                      {"int8", "signed char"},
                                                                      {"int16", "short"},
                                                                      {"int32", "int"},
                                                                      {"int64", "long long"},
                                                                      {"uint8", "unsigned char"},
                                                                      {"uint16", "unsigned short"},
                                                                      {"uint32", "unsigned int"},
                                                                      {"uint64", "unsigned long long"},
                                                                      {"bool", "bool"}};
  for (const auto& [name, word] : kTypes)
    if (type == name) return std::string(word);
  return {};
}

/// The element type of all buffers of a host function, if they have the same one.
std::string elementTypeOf(const host::Signature& signature) {
  std::string out;
  for (const host::Parameter& parameter : signature.parameters) {
    if (parameter.kind != host::Parameter::Kind::Tensor) continue;
    const std::string type = typeOf(parameter.dtype);
    if (type.empty() || (!out.empty() && out != type)) return {};
    out = type;
  }
  return out;
}

bool isIdentifier(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::string_view kAll = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return !name.empty() && kDigits.find(name[0]) == std::string_view::npos &&
         name.find_first_not_of(kAll) == std::string_view::npos;
}

struct Subject {
  std::string name;
  modules::KernelInfo info;
  const payloads::CubinKernel* machineCode = nullptr;
  std::vector<const xref::HostFunction*> launchedBy;
};

std::string parametersOf(const Subject& kernel) {
  // The order of the arguments of a launch is that of the host code, which no table states.
  std::string element;
  for (const xref::HostFunction* const host : kernel.launchedBy) element = elementTypeOf(host->signature);
  std::string out;
  for (std::size_t i = 0; i < kernel.info.argTypes.size(); ++i) {
    const std::string& type = kernel.info.argTypes[i];
    std::string word = typeOf(type);
    if (type == "handle") word = (element.empty() ? std::string("void") : element) + "* __restrict__";
    if (word.empty()) {
      const auto* const code = kernel.machineCode;
      const bool known = code && i < code->parameters.size();
      word = "/* " + escapedWithin(type, 40) + " */ " +
             (known && code->parameters[i].size == 4 ? "unsigned int" : "unsigned long long");
    }
    out += (i ? ", " : "") + word + " argument" + std::to_string(i);
  }
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string kernelText(const Subject& kernel) {
  if (!isIdentifier(kernel.name))
    return comment("The kernel '" + kernel.name + "' has a name that CUDA C++ cannot declare.");
  std::string out;
  for (const xref::HostFunction* const host : kernel.launchedBy)
    out += comment("Launched by " + host->signature.text());
  const std::vector<std::string>& tags = kernel.info.second ? kernel.info.launchFields : kernel.info.launchTags;
  if (!tags.empty()) out += comment("Launch parameters: " + joined(tags));
  std::string bounds;
  if (kernel.machineCode) {
    const payloads::CubinKernel& code = *kernel.machineCode;
    std::vector<std::string> uses;
    if (code.registers) uses.push_back(countText(*code.registers, "register"));
    if (code.sharedBytes > 0) uses.push_back(countText(code.sharedBytes, "byte") + " of shared memory");
    if (!uses.empty()) out += comment("The machine code uses " + joined(uses) + ".");
    if (const auto threads = code.blockThreads()) bounds = "__launch_bounds__(" + std::to_string(*threads) + ") ";
  }
  out += "extern \"C\" __global__ void " + bounds + kernel.name + "(" + parametersOf(kernel) + ") {\n";
  if (std::ranges::any_of(tags, [](std::string_view tag) { return tag.ends_with("use_dyn_shared_memory"); }))
    out += "  extern __shared__ unsigned char dynamicShared[];\n";
  return out + "}\n";
}

std::string sourceText(const library::Module& module, const Ref& ref, const xref::Functions& functions) {
  const auto tree = library::treeOf(module);
  const auto image = modules::sharedImage(*tree);
  const CubinKernels stored = image ? kernelsIn(*image) : CubinKernels();
  std::string text =
      comment("The kernels of this module with empty bodies. Write the bodies, compile, and store the result: "
              "it takes the place of the code of all kernels.");
  text += comment(image && hasPtx(*image)
                      ? "The library also stores their PTX, which can be edited instead: see the page Images."
                      : "The library stores their machine code, and no source.");
  std::string body;
  for (const modules::Kernel& listed : module.body->kernels()) {
    Subject kernel{std::string(listed.name.view()), modules::kernelInfo(*tree, listed.fieldRow), nullptr, {}};
    if (const auto found = stored.find(kernel.name); found != stored.end()) kernel.machineCode = &found->second;
    for (const xref::Kernel& known : functions.kernels)
      if (known.ref == ref.part(PartKind::Kernel, kernel.name))
        for (const xref::Link& link : known.launchedBy) kernel.launchedBy.push_back(&functions.hosts[link.index]);
    body += "\n" + kernelText(kernel);
  }
  if (body.find("half*") != std::string::npos || body.find("half ") != std::string::npos)
    text += "#include <cuda_fp16.h>\n";
  if (body.find("nv_bfloat16") != std::string::npos) text += "#include <cuda_bf16.h>\n";
  return text + body;
}

} // namespace

std::optional<view::Page> draftPage(const library::PackagePtr& package, const Ref& ref) {
  if (ref.kind != Ref::Kind::Module || ref.at || !ref.parts.empty()) return std::nullopt;
  const auto found = library::resolve(*package, ref);
  if (!found || !found->module || found->module->key.view() != "cuda") return std::nullopt;
  const auto image = modules::sharedImage(*library::treeOf(*found->module));
  if (!image) return std::nullopt;
  const std::string_view content = payloads::sniff(*image);
  if (content != "cubin" && content != "fatbin") return std::nullopt;
  return view::Page{view::page_id::kNewSource,
                    view::DeferredPage{"text", [package, ref](Monitor& monitor) -> Result<view::Page> {
                                         BLOBSCOPE_TRY(again, library::resolve(*package, ref));
                                         BLOBSCOPE_TRY(functions, xref::computeFunctions(package, monitor));
                                         view::TextPage text{Bytes::copyOf(sourceText(*again.module, ref, functions)),
                                                             "cuda"};
                                         text.isDraft = true;
                                         return view::Page{view::page_id::kNewSource, std::move(text)};
                                       }}};
}

} // namespace blobscope::describe
