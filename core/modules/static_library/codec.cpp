#include "core/modules/static_library/static_library.h"

#include "core/modules/common/host_parts.h"
#include "core/payloads/payload.h"

namespace blobscope::modules {
namespace {

/// Layout "static_library", v0.14 on (666bd14d82). Source: apache/tvm src/runtime/static_library.cc v0.14.0,
/// StaticLibraryNode::SaveToBinary (source and upstream's own runtime; no file seen).
struct StaticLibrary {
  Bytes object; ///< a whole object file
  std::vector<Bytes> functionNames;
};

template <class A> void wire(A& ar, wire_ref<A, StaticLibrary> v) {
  ar.data("object", v.object);
  wireNames(ar, "func_names", v.functionNames);
}

class StaticLibraryBody final : public WireBody<StaticLibrary> {
public:
  std::string_view layout() const override { return "static_library"; }
  std::vector<std::string> content() const override { return payloads::contentWords(value.object); }
  std::vector<PartGroup> parts() const override {
    return {functionParts(*this, value.functionNames, "func_names", "Functions")};
  }
  Result<PartContent> part(PartKind, std::size_t, Monitor&) const override {
    PartContent content;
    content.whyNoBytes = "it is machine code of the module's object file";
    return content;
  }
  void pages(view::PageList& list) const override {
    addNamesPage(list, "Functions", PartKind::Function, value.functionNames);
    payloads::addPayloadPages(value.object, {}, list);
  }
};

constexpr std::string_view kStaticLibraryKeys[] = {"static_library"};
constexpr Layout kStaticLibraryLayouts[] = {wireLayout<StaticLibraryBody>("static_library")};

} // namespace

const ModuleCodec kStaticLibraryCodec = {kStaticLibraryKeys, kStaticLibraryLayouts};

} // namespace blobscope::modules
