#include "core/modules/rocm/rocm.h"

#include "core/modules/common/code3_body.h"

namespace blobscope::modules {
namespace {

constexpr std::string_view kKeys[] = {"hip", "hsaco"};
constexpr Layout kLayouts[] = {wireLayout<Code3ImageBody>("code3")};

} // namespace

const ModuleCodec kRocmCodec = {kKeys, kLayouts};

} // namespace blobscope::modules
