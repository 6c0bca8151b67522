#include "core/modules/hexagon/hexagon.h"

#include "core/modules/common/code3_body.h"

namespace blobscope::modules {
namespace {

constexpr std::string_view kKeys[] = {"hexagon", "hex", "nki", "asc"};
constexpr Layout kLayouts[] = {wireLayout<Code3ImageBody>("code3")};

} // namespace

const ModuleCodec kHexagonCodec = {kKeys, kLayouts};

} // namespace blobscope::modules
