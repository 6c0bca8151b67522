#include "core/modules/rocm/rocm.h"

#include "core/modules/common/code3_body.h"

namespace blobscope::modules {
namespace {

constexpr std::string_view kRocmKeys[] = {"hip", "hsaco"};
constexpr Layout kRocmLayouts[] = {wireLayout<Code3ImageBody>("code3")};

} // namespace

const ModuleCodec kRocmCodec = {kRocmKeys, kRocmLayouts};

} // namespace blobscope::modules
