#include "core/modules/cuda/cuda.h"

#include "core/base/text.h"
#include "core/modules/common/code3.h"
#include "core/modules/common/device_pages.h"
#include "core/payloads/sniff.h"

namespace blobscope::modules {
namespace {

constexpr std::string_view kModuleV1Marker = "cuda.module.v1";

/// Layout "cuda.module.v1", on TVM's main branch after v0.27: code3 behind a marker, with source texts.
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

/// What both layouts show.
template <class T> class CudaBody : public WireBody<T> {
public:
  std::vector<Kernel> kernels() const final {
    return kernelsOf(code().functions, *this, [](const Bytes&) { return std::nullopt; });
  }
  std::optional<Bytes> format() const final { return code().format; }
  std::vector<std::string> content() const final {
    const std::string_view name = payloads::sniff(code().data);
    if (name.empty()) return {};
    // The declared format tells CUDA C++ from other text; nothing in the text itself does for certain.
    return {name == "text" && code().format.view() == "cuda" ? "cuda" : std::string(name)};
  }
  void pages(view::PageList& list) const override {
    addFunctionsPage(list, code().functions);
    addSourcePage(list, code().data, "cuda");
  }

protected:
  virtual const Code3& code() const = 0;
};

class Code3Body final : public CudaBody<Code3> {
public:
  std::string_view layout() const override { return "code3"; }

protected:
  const Code3& code() const override { return value; }
};

class ModuleV1Body final : public CudaBody<CudaModuleV1> {
public:
  std::string_view layout() const override { return kModuleV1Marker; }
  void pages(view::PageList& list) const override {
    CudaBody::pages(list);
    // Keys are the file's: any bytes, and two may be equal.
    for (std::size_t i = 0; i < value.sources.size(); ++i)
      list.push_back({"Stored source " + std::to_string(i + 1) + ": " + escaped(value.sources[i].key.view()),
                      view::TextPage{value.sources[i].text, "cuda"}});
  }

protected:
  const Code3& code() const override { return value.code; }
};

constexpr std::string_view kKeys[] = {"cuda"};
constexpr Layout kLayouts[] = {
    wireLayout<ModuleV1Body>(kModuleV1Marker),
    wireLayout<Code3Body>("code3"),
};

} // namespace

const ModuleCodec kCudaCodec = {kKeys, kLayouts};

} // namespace blobscope::modules
