#include "core/modules/source/source.h"

#include "core/modules/common/host_parts.h"
#include "core/payloads/sniff.h"

namespace blobscope::modules {
namespace {

/// Layout "csource", v0.14 on (666bd14d82). Source: apache/tvm src/target/source/source_module.cc v0.14.0,
/// CSourceModuleNode::SaveToBinary (source only, no file seen).
struct CSource {
  Bytes code;
  Bytes format; ///< "c", "cc", "cpp", "cu"
  std::vector<Bytes> functionNames;
  std::vector<Bytes> constVars;
};

template <class A> void wire(A& ar, wire_ref<A, CSource> v) {
  ar.data("code", v.code);
  ar.string("fmt", v.format, FieldRole::TypeKey);
  wireNames(ar, "func_names", v.functionNames);
  wireNames(ar, "const_vars", v.constVars);
}

class CSourceBody final : public WireBody<CSource> {
public:
  std::string_view layout() const override { return "csource"; }
  std::optional<Bytes> format() const override { return value.format; }
  std::vector<std::string> content() const override {
    const std::string_view name = payloads::sniff(value.code);
    if (name.empty()) return {};
    return {std::string(name == "text" ? language() : name)};
  }
  std::vector<PartGroup> parts() const override {
    return {functionParts(*this, value.functionNames, "func_names", "Functions")};
  }
  Result<PartContent> part(PartKind, std::size_t, Monitor&) const override {
    PartContent content;
    content.whyNoBytes = "it is a part of the module's source text";
    return content;
  }
  void pages(view::PageList& list) const override {
    addNamesPage(list, "Functions", PartKind::Function, value.functionNames);
    addTextPage(list, "Source", value.code, language());
    if (!value.constVars.empty()) addNamesPage(list, "Constants", {}, value.constVars);
  }

private:
  std::string_view language() const override { return value.format.view() == "cu" ? "cuda" : "c"; }
};

constexpr std::string_view kSourceKeys[] = {"c"};
constexpr Layout kSourceLayouts[] = {wireLayout<CSourceBody>("csource")};

} // namespace

const ModuleCodec kSourceCodec = {kSourceKeys, kSourceLayouts};

} // namespace blobscope::modules
