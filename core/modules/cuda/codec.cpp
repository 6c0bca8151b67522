#include "core/modules/cuda/cuda.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/modules/common/code3.h"
#include "core/modules/common/device_pages.h"
#include "core/modules/common/host_parts.h"
#include "core/modules/cuda/images.h"
#include "core/modules/cuda/kernel_images.h"
#include "core/modules/cuda/kernel_names.h"
#include "core/modules/cuda/sass_page.h"
#include "core/payloads/payload.h"
#include "core/payloads/ptx/ptx.h"
#include "core/payloads/sniff.h"
#include "core/view/page_id.h"

#include <mutex>

namespace blobscope::modules {
namespace {

constexpr std::string_view kModuleV1Marker = "cuda.module.v1", kConfigured = "code3+config";
constexpr std::size_t kShownFlags = 400; ///< characters of a flag or of all flags that the overview shows

/// Layout "cuda.module.v1", on TVM's main branch after v0.27: a marker, then code3 with source texts.
/// Source: apache/tvm 4a5e6edd54 src/backend/cuda/module_metadata.h (source only, no file seen).
struct CudaModuleV1 {
  struct Source {
    Bytes key; ///< "cuda", "cuda.compile_config", "cuda.compile_log"
    Bytes text;
  };
  Bytes marker;
  Code3 code;
  std::vector<Source> sources;
};

template <class A> void wire(A& ar, wire_ref<A, CudaModuleV1> v) {
  ar.string("marker", v.marker, FieldRole::TypeKey);
  if constexpr (A::kReads) {
    if (ar.ok() && v.marker.view() != kModuleV1Marker)
      ar.reader().failValue("marker", 0, v.marker.size(), "'cuda.module.v1'");
    if (!ar.ok()) return;
  }
  wire(ar, v.code);
  ar.list("source", v.sources, 16, [](A& a, auto& source) {
    a.group("", [&](A& inner) {
      inner.string("key", source.key);
      inner.data("text", source.text);
    });
  });
}

/// Layout "code3+config": code3, and how to compile its source. In an ffi stream the length of the record distinguishes
/// the two. Source: seen in a real library of apache-tvm-tirx 0.1.0a4, as JSON; apache/tvm 900f657382 (in no snapshot).
struct CudaConfigured {
  Code3 code;
  Bytes config;
};

template <class A> void wire(A& ar, wire_ref<A, CudaConfigured> v) {
  wire(ar, v.code);
  ar.data("backend_config", v.config);
  if constexpr (A::kReads)
    if (ar.ok() && !v.config.view().starts_with('{'))
      ar.reader().failValue("backend_config", 0, v.config.size(), "a JSON object");
}

/// Returns `backend_config` as rows of text: {"cuda": {"arch": …, "compiler": …, "nvcc": [flags], …}}. Empty when it is
/// not such JSON; the page with its text shows it in any case.
std::vector<std::pair<std::string, std::string>> compilerFacts(const Bytes& config) {
  std::vector<std::pair<std::string, std::string>> facts;
  const auto parsed = json::parse(config);
  const json::Value* const cuda = parsed && parsed->object() ? parsed->find("cuda") : nullptr;
  if (!cuda || !cuda->object()) return facts;
  constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
      {"compiler", "compiler"}, {"arch", "compiled for"}, {"target_format", "compiled to"}};
  constexpr std::pair<std::string_view, std::string_view> kFlags[] = {
      {"nvcc", "nvcc flags"}, {"nvrtc", "NVRTC flags"}, {"ptxas", "ptxas flags"}};
  for (const auto& [member, label] : kTexts)
    if (const json::Value* const text = cuda->find(member); text && text->string())
      facts.emplace_back(label, escapedWithin(*text->string(), kShownFlags));
  for (const auto& [member, label] : kFlags) {
    const json::Value* const flags = cuda->find(member);
    if (!flags || !flags->array()) continue;
    std::string all;
    for (const json::Value& flag : *flags->array())
      if (flag.string() && all.size() < kShownFlags)
        all += (all.empty() ? "" : " ") + escapedWithin(*flag.string(), kShownFlags);
    facts.emplace_back(label, all.empty() ? "none" : all);
  }
  return facts;
}

/// What all layouts show.
template <class T> class CudaBody : public WireBody<T> {
public:
  std::vector<Kernel> kernels() const final {
    const CudaImages& found = images();
    return kernelsOf(code().functions, *this, [&](const Bytes& name) -> std::optional<Bytes> {
      const auto kernel = found.findKernel(name.view());
      return kernel ? std::optional(kernel->kernel->code) : std::nullopt;
    });
  }
  std::vector<PartGroup> parts() const final {
    PartGroup group{PartKind::Entry, "Images", view::page_id::kImages, {}};
    for (const payloads::FatbinEntry& entry : images().entries)
      group.parts.push_back({std::to_string(group.parts.size()), entry.word(), entry.payload.size(), std::nullopt});
    if (group.parts.empty()) return {};
    return {group};
  }
  Result<PartContent> part(PartKind, std::size_t index, Monitor& monitor) const final {
    BLOBSCOPE_TRY(bytes, payloads::unpackEntry(images().entries[index], monitor));
    PartContent out;
    payloads::addPayloadPages(bytes, {}, out.pages);
    if (payloads::sniff(bytes) == "cubin") out.pages.push_back(sassPage(bytes, {}));
    out.bytes = std::move(bytes);
    return out;
  }
  void kernelPages(const Kernel& kernel, view::PageList& list) const final {
    const auto found = images().findKernel(kernel.name.view());
    if (!found && codeForm() == CudaCode::Ptx) ptxPages(kernel, list);
    if (!found) return;
    if (auto facts = payloads::kernelFacts(found->image->cubin, kernel.name.view())) list.push_back(std::move(*facts));
    if (auto plots = payloads::kernelOccupancy(found->image->cubin, kernel.name.view()))
      list.push_back(std::move(*plots));
    list.push_back(sassPage(found->image->bytes, std::string(kernel.name.view())));
    list.push_back(sassMixPage(found->image->bytes, std::string(kernel.name.view())));
  }
  std::optional<KernelTable> kernelTable() const final {
    return images().cubins.empty() ? functionTable(code().functions) : kernelTableOf(code().functions, images());
  }
  std::vector<KernelImage> kernelImages(Monitor& monitor) const final {
    return kernelImagesOf(code().functions, code().data, images(), monitor);
  }
  std::vector<NameInCode> namesInCode(const KernelRenames& renames) const final {
    switch (codeForm()) {
    case CudaCode::Source: return namesInSource(code().data, renames);
    case CudaCode::Ptx: return namesInPtx(code().data, renames);
    case CudaCode::Images: break;
    }
    return {};
  }
  std::optional<std::set<std::string, std::less<>>> kernelsInCode(Monitor& monitor) const final {
    std::set<std::string_view> names;
    for (const NamedFunction& function : code().functions) names.insert(function.key.view());
    const auto defined = definedKernels(code().data, codeForm(), images(), names, monitor);
    if (!defined) return std::nullopt;
    return std::set<std::string, std::less<>>(defined->begin(), defined->end());
  }
  std::optional<Bytes> format() const final { return code().format; }
  std::vector<std::string> content() const final {
    if (isSource()) return {"cuda"};
    return payloads::contentWords(code().data);
  }
  void pages(view::PageList& list) const override {
    addFunctionsPage(list, *this);
    payloads::addPayloadPages(code().data, language(), list);
    if (!images().cubins.empty()) list.push_back(sassPage(images().cubins.front().bytes, {}));
  }
  std::string_view language() const final { return "cuda"; }
  std::vector<std::pair<std::string, std::string>> facts() const final {
    std::vector<std::pair<std::string, std::string>> out = compilerFacts(config());
    if (std::string text = runsOnText(code().data, images()); !text.empty())
      out.insert(out.begin(), {"runs on", std::move(text)});
    return out;
  }

protected:
  virtual const Code3& code() const = 0;
  virtual Bytes config() const { return {}; }

private:
  /// The kernel's own part of the PTX, from the line of its declaration on.
  void ptxPages(const Kernel& kernel, view::PageList& list) const {
    const Bytes& text = code().data;
    for (const payloads::PtxEntry& entry : payloads::readPtx(text).entries) {
      if (entry.name.view() != kernel.name.view() || entry.body.size == 0) continue;
      const auto name = static_cast<std::size_t>(entry.name.view().data() - text.view().data());
      const std::size_t begin = text.view().rfind('\n', name) + 1;
      const Bytes own = text.slice(begin, entry.body.end() - begin);
      list.push_back({"Source", view::TextPage{own, "ptx"}});
      list.push_back(ptxMixPage(own));
      return;
    }
  }
  /// The form of the code, also where unusual bytes hide it from `sniff()`: a NUL after PTX, a long comment before it.
  CudaCode codeForm() const {
    const std::string_view content = payloads::sniff(code().data), declared = code().format.view();
    if (content == "ptx") return CudaCode::Ptx;
    if (!content.empty() && content != "text") return CudaCode::Images;
    if (declared == "ptx" && code().data.view().find(".version") != std::string_view::npos) return CudaCode::Ptx;
    return declared == "cuda" ? CudaCode::Source : CudaCode::Images;
  }
  /// Only the declared format distinguishes CUDA C++ from other text with certainty.
  bool isSource() const { return payloads::sniff(code().data) == "text" && code().format.view() == "cuda"; }
  const CudaImages& images() const {
    std::call_once(m_once, [this] { m_images = readCudaImages(code().data); });
    return m_images;
  }
  mutable std::once_flag m_once;
  mutable CudaImages m_images; ///< read on first use
};

class Code3Body final : public CudaBody<Code3> {
public:
  std::string_view layout() const override { return "code3"; }

protected:
  const Code3& code() const override { return value; }
};

class ConfiguredBody final : public CudaBody<CudaConfigured> {
public:
  std::string_view layout() const override { return kConfigured; }
  void pages(view::PageList& list) const override {
    CudaBody::pages(list);
    addTextPage(list, "Compiler options", value.config, "json");
  }

protected:
  const Code3& code() const override { return value.code; }
  Bytes config() const override { return value.config; }
};

class ModuleV1Body final : public CudaBody<CudaModuleV1> {
public:
  std::string_view layout() const override { return kModuleV1Marker; }
  void pages(view::PageList& list) const override {
    CudaBody::pages(list);
    // Keys come from the file: they can be any bytes, and two may be equal.
    for (std::size_t i = 0; i < value.sources.size(); ++i)
      list.push_back({"Stored source " + std::to_string(i + 1) + ": " + escaped(value.sources[i].key.view()),
                      view::TextPage{value.sources[i].text, "cuda"}});
  }

protected:
  const Code3& code() const override { return value.code; }
};

constexpr std::string_view kCudaKeys[] = {"cuda"};
constexpr Layout kCudaLayouts[] = {
    wireLayout<ModuleV1Body>(kModuleV1Marker),
    wireLayout<Code3Body>("code3"),
    wireLayout<ConfiguredBody>(kConfigured),
};

} // namespace

const ModuleCodec kCudaCodec = {kCudaKeys, kCudaLayouts};

} // namespace blobscope::modules
