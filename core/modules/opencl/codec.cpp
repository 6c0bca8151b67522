#include "core/modules/opencl/opencl.h"

#include "core/modules/common/code3.h"
#include "core/modules/common/device_pages.h"
#include "core/modules/common/shader.h"
#include "core/payloads/payload.h"
#include "core/payloads/sniff.h"

#include <unordered_map>

namespace blobscope::modules {
namespace {

/// The line before each kernel's section; without it the runtime does not find the kernel. Source: apache/tvm
/// src/runtime/opencl/opencl_module.cc v0.8.0, SplitKernels.
constexpr std::string_view kSectionMarker = "// Function: ";

/// Layout "spirv" (v0.13 – v0.23): written by builds with a SPIR-V OpenCL target; upstream has no reader for it.
/// Source: apache/tvm 182de86b2c src/runtime/opencl/opencl_module_spirv.cc (source only).
struct OpenclSpirv {
  std::vector<NamedFunction> functions;
  std::vector<NamedShader> shaders;
};

template <class A> void wire(A& ar, wire_ref<A, OpenclSpirv> v) {
  wireFunctionMap(ar, v.functions);
  wireShaderMap(ar, v.shaders, false);
}

class TextBody final : public WireBody<Code3> {
public:
  std::string_view layout() const override { return "code3"; }
  std::vector<Kernel> kernels() const override {
    std::unordered_map<std::string_view, Bytes> sections;
    for (const OpenclSection& section : splitOpenclSections(value.data))
      sections.emplace(section.name.view(), section.text);
    return kernelsOf(value.functions, *this, [&](const Bytes& name) -> std::optional<Bytes> {
      const auto found = sections.find(name.view());
      return found == sections.end() ? std::nullopt : std::optional(found->second);
    });
  }
  std::optional<KernelTable> kernelTable() const override { return functionTable(value.functions); }
  std::optional<Bytes> sectionOf(std::string_view name, const Bytes& text) const override {
    if (payloads::sniff(value.data) != "text") return std::nullopt;
    if (text.view().starts_with(kSectionMarker)) return text;
    return Bytes::copyOf(std::string(kSectionMarker) + std::string(name) + "\n" + std::string(text.view()));
  }
  std::optional<Bytes> format() const override { return value.format; }
  std::vector<std::string> content() const override {
    const std::string_view name = payloads::sniff(value.data);
    if (name == "text" && value.format.view() == "cl") return {"opencl-c"};
    return payloads::contentWords(value.data);
  }
  void pages(view::PageList& list) const override {
    addFunctionsPage(list, *this);
    payloads::addPayloadPages(value.data, language(), list);
  }
  std::string_view language() const override { return "opencl"; }
};

class SpirvBody final : public WireBody<OpenclSpirv> {
public:
  std::string_view layout() const override { return "spirv"; }
  std::vector<Kernel> kernels() const override {
    return kernelsOf(value.functions, *this, [&](const Bytes& name) { return findShader(value.shaders, name); });
  }
  std::optional<KernelTable> kernelTable() const override {
    return functionTable(value.functions, shaderSizes(value.functions, value.shaders));
  }
  EncodedCode encodeEntry(std::string_view name, const Bytes& code) const override {
    return encodeShader(name, code, false);
  }
  std::vector<std::string> content() const override { return {"spirv"}; }
  void pages(view::PageList& list) const override { addFunctionsPage(list, *this); }
};

constexpr std::string_view kOpenclKeys[] = {"opencl"};
constexpr Layout kOpenclLayouts[] = {wireLayout<TextBody>("code3"), wireLayout<SpirvBody>("spirv")};

} // namespace

const ModuleCodec kOpenclCodec = {kOpenclKeys, kOpenclLayouts};

std::vector<OpenclSection> splitOpenclSections(const Bytes& text) {
  const std::string_view all = text.view();
  std::vector<OpenclSection> sections;
  std::size_t position = all.find(kSectionMarker);
  while (position != std::string_view::npos) {
    const std::size_t next = all.find(kSectionMarker, position + kSectionMarker.size());
    const std::size_t end = std::min(next, all.size());
    std::size_t lineEnd = std::min(all.find('\n', position), end);
    const std::size_t nameStart = position + kSectionMarker.size();
    if (lineEnd > nameStart && all[lineEnd - 1] == '\r') --lineEnd;
    sections.push_back(
        {text.slice(nameStart, lineEnd > nameStart ? lineEnd - nameStart : 0), text.slice(position, end - position)});
    position = next;
  }
  return sections;
}

} // namespace blobscope::modules
