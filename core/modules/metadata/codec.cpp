#include "core/modules/metadata/metadata.h"

namespace blobscope::modules {
namespace {

/// Layout "empty". Source: apache/tvm src/runtime/metadata.cc v0.9.0, MetadataModuleNode::SaveToBinary. One real file
/// seen.
class MetadataBody final : public Body {
public:
  std::string_view layout() const override { return "empty"; }
  void encode(Writer&) const override {}
  void describe(FieldTreeBuilder&) const override {}
  void pages(view::PageList& list) const override {
    list.push_back(
        {"About",
         view::NoticePage{
             "'metadata_module' has no bytes in the blob. The metadata of the model is compiled into host code "
             "and returned by its function 'get_c_metadata'."}});
  }
};

BodyPtr decodeMetadata(Reader&, const WireContext&) { return std::make_shared<MetadataBody>(); }

constexpr std::string_view kMetadataKeys[] = {"metadata_module"};
constexpr Layout kMetadataLayouts[] = {{"empty", decodeMetadata}};

} // namespace

const ModuleCodec kMetadataCodec = {kMetadataKeys, kMetadataLayouts};

} // namespace blobscope::modules
