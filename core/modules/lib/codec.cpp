#include "core/modules/lib/lib.h"

namespace blobscope::modules {
namespace {

/// Represents the host code of the library that contains the blob; it has no bytes in the stream (apache/tvm
/// f076c839ef, v0.7 on; apache/tvm-ffi src/ffi/extra/library_module.cc).
class LibBody final : public Body {
public:
  std::string_view layout() const override { return "none"; }
  void encode(Writer&) const override {}
  void describe(FieldTreeBuilder&) const override {}
  void pages(view::PageList& list) const override {
    list.push_back({"About", view::NoticePage{"'_lib' represents the host code of the library. It has no bytes in "
                                              "the blob; its functions are the library's host symbols."}});
  }
};

BodyPtr decodeLib(Reader&, const WireContext&) { return std::make_shared<LibBody>(); }

constexpr std::string_view kLibKeys[] = {kLibraryKey};
constexpr Layout kLibLayouts[] = {{"none", decodeLib}};

} // namespace

const ModuleCodec kLibCodec = {kLibKeys, kLibLayouts};

} // namespace blobscope::modules
