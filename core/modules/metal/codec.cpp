#include "core/modules/metal/metal.h"

#include "core/modules/common/code3_body.h"
#include "core/modules/common/named_code.h"
#include "core/payloads/sniff.h"

#include <algorithm>

namespace blobscope::modules {
namespace {

/// Layout "metal2", v0.13 – v0.23: a version, code per kernel, the declared format last.
/// Source: apache/tvm d32dea800b, src/runtime/metal/metal_module.mm v0.13.0, v0.23.0.
struct Metal2 {
  Bytes version; ///< "0.1.0"
  std::vector<NamedCode> codes;
  std::vector<NamedFunction> functions;
  Bytes format;
};
/// Layout "metal3", v0.24 on: the declared format first. Source: apache/tvm 6e8f77d664, metal_module.mm v0.24.0.
struct Metal3 {
  Bytes format;
  std::vector<NamedFunction> functions;
  std::vector<NamedCode> codes;
};

bool isVersion(std::string_view text) {
  return !text.empty() && text.size() < 32 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

template <class A> void wire(A& ar, wire_ref<A, Metal2> v) {
  ar.string("version", v.version, FieldRole::TypeKey);
  if constexpr (A::kReads) {
    if (ar.ok() && !isVersion(v.version.view()))
      ar.reader().failValue("version", 0, v.version.size(), "a version of digits and dots");
    if (!ar.ok()) return;
  }
  wireCodeMap(ar, v.codes);
  wireFunctionMap(ar, v.functions);
  ar.string("fmt", v.format, FieldRole::TypeKey);
}
template <class A> void wire(A& ar, wire_ref<A, Metal3> v) {
  ar.string("fmt", v.format, FieldRole::TypeKey);
  wireFunctionMap(ar, v.functions);
  wireCodeMap(ar, v.codes);
}

/// "metal" for source text, "metallib" for a compiled library.
std::string metalContent(const Bytes& code) {
  if (code.view().starts_with("MTLB")) return "metallib";
  const std::string_view name = payloads::sniff(code);
  return name == "text" ? "metal" : std::string(name);
}

template <class T> class PerKernelBody : public WireBody<T> {
public:
  std::vector<Kernel> kernels() const final {
    return kernelsOf(this->value.functions, *this,
                     [&](const Bytes& name) { return findCode(this->value.codes, name); });
  }
  std::optional<KernelTable> kernelTable() const final {
    return functionTable(this->value.functions, codeSizes(this->value.functions, this->value.codes));
  }
  EncodedCode encodeEntry(std::string_view name, const Bytes& code) const final { return encodeCode(name, code); }
  std::optional<Bytes> format() const final { return this->value.format; }
  std::vector<std::string> content() const final {
    std::vector<std::string> words;
    for (const NamedCode& code : this->value.codes) {
      const std::string word = metalContent(code.code);
      if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    }
    return words;
  }
  std::string_view language() const final { return "metal"; }
  void pages(view::PageList& list) const final { addFunctionsPage(list, *this); }
};

class Metal2Body final : public PerKernelBody<Metal2> {
public:
  std::string_view layout() const override { return "metal2"; }
};
class Metal3Body final : public PerKernelBody<Metal3> {
public:
  std::string_view layout() const override { return "metal3"; }
};

/// One text or library for all kernels: until v0.12, and in builds without Metal until v0.23.
class MetalCode3Body final : public Code3ImageBody {
protected:
  std::string contentOf(const Bytes& image) const override { return metalContent(image); }
  std::string_view language() const override { return "metal"; }
};

constexpr std::string_view kMetalKeys[] = {"metal"};
constexpr Layout kMetalLayouts[] = {
    wireLayout<Metal2Body>("metal2"),
    wireLayout<MetalCode3Body>("code3"),
    wireLayout<Metal3Body>("metal3"),
};

} // namespace

const ModuleCodec kMetalCodec = {kMetalKeys, kMetalLayouts};

} // namespace blobscope::modules
