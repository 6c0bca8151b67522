#include "core/modules/hexagon/hexagon.h"

#include "core/modules/common/code3_body.h"

namespace blobscope::modules {
namespace {

constexpr std::string_view kHexagonKeys[] = {"hexagon", "hex", "nki", "asc"};
constexpr Layout kHexagonLayouts[] = {wireLayout<Code3ImageBody>("code3")};

} // namespace

const ModuleCodec kHexagonCodec = {kHexagonKeys, kHexagonLayouts};

} // namespace blobscope::modules
