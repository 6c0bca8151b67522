#include "core/modules/vulkan/vulkan.h"

#include "core/modules/common/device_pages.h"
#include "core/modules/common/shader.h"

namespace blobscope::modules {
namespace {

/// Layouts "vulkan1" (v0.3 – v0.23: shader records inline) and "vulkan2" (v0.24 on: each in a separate string). Source:
/// apache/tvm src/runtime/vulkan/vulkan_module.cc v0.3, vulkan_wrapped_func.cc v0.8.0 – v0.24.0,
/// src/target/vulkan/vulkan_fallback_module.cc v0.24.0.
template <bool Sized> struct Vulkan {
  Bytes format;
  std::vector<NamedFunction> functions;
  std::vector<NamedShader> shaders;
};

template <class A, bool Sized> void wireVulkan(A& ar, wire_ref<A, Vulkan<Sized>> v) {
  ar.string("fmt", v.format, FieldRole::TypeKey);
  wireFunctionMap(ar, v.functions);
  wireShaderMap(ar, v.shaders, Sized);
}
template <class A> void wire(A& ar, wire_ref<A, Vulkan<false>> v) { wireVulkan<A, false>(ar, v); }
template <class A> void wire(A& ar, wire_ref<A, Vulkan<true>> v) { wireVulkan<A, true>(ar, v); }

template <bool Sized> class VulkanBody final : public WireBody<Vulkan<Sized>> {
public:
  std::string_view layout() const override { return Sized ? "vulkan2" : "vulkan1"; }
  std::vector<Kernel> kernels() const override {
    return kernelsOf(this->value.functions, *this,
                     [&](const Bytes& name) { return findShader(this->value.shaders, name); });
  }
  std::optional<KernelTable> kernelTable() const override {
    return functionTable(this->value.functions, shaderSizes(this->value.functions, this->value.shaders));
  }
  EncodedCode encodeEntry(std::string_view name, const Bytes& code) const override {
    return encodeShader(name, code, Sized);
  }
  std::optional<Bytes> format() const override { return this->value.format; }
  std::vector<std::string> content() const override {
    if (this->value.shaders.empty()) return {};
    return {"spirv"};
  }
  void pages(view::PageList& list) const override { addFunctionsPage(list, *this); }
};

constexpr std::string_view kVulkanKeys[] = {"vulkan"};
constexpr Layout kVulkanLayouts[] = {
    wireLayout<VulkanBody<false>>("vulkan1"),
    wireLayout<VulkanBody<true>>("vulkan2"),
};

} // namespace

const ModuleCodec kVulkanCodec = {kVulkanKeys, kVulkanLayouts};

} // namespace blobscope::modules
