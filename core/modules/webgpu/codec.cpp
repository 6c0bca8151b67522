#include "core/modules/webgpu/webgpu.h"

#include "core/modules/common/device_pages.h"
#include "core/modules/common/named_code.h"

namespace blobscope::modules {
namespace {

/// Layout "webgpu", v0.12 on: no declared format. Source: apache/tvm c429a3b6a1, src/target/source/codegen_webgpu.cc
/// v0.12.0 – v0.23.0, src/target/webgpu/webgpu_fallback_module.cc v0.24.0.
struct Webgpu {
  std::vector<NamedFunction> functions;
  std::vector<NamedCode> codes;
};

template <class A> void wire(A& ar, wire_ref<A, Webgpu> v) {
  wireFunctionMap(ar, v.functions);
  wireCodeMap(ar, v.codes);
}

class WebgpuBody final : public WireBody<Webgpu> {
public:
  std::string_view layout() const override { return "webgpu"; }
  std::vector<Kernel> kernels() const override {
    return kernelsOf(value.functions, *this, [&](const Bytes& name) { return findCode(value.codes, name); });
  }
  std::optional<KernelTable> kernelTable() const override {
    return functionTable(value.functions, codeSizes(value.functions, value.codes));
  }
  EncodedCode encodeEntry(std::string_view name, const Bytes& code) const override { return encodeCode(name, code); }
  std::vector<std::string> content() const override {
    if (value.codes.empty()) return {};
    return {"wgsl"};
  }
  std::string_view language() const override { return "wgsl"; }
  void pages(view::PageList& list) const override { addFunctionsPage(list, *this); }
};

constexpr std::string_view kWebgpuKeys[] = {"webgpu"};
constexpr Layout kWebgpuLayouts[] = {wireLayout<WebgpuBody>("webgpu")};

} // namespace

const ModuleCodec kWebgpuCodec = {kWebgpuKeys, kWebgpuLayouts};

} // namespace blobscope::modules
