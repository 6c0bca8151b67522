#include "core/modules/fpga/fpga.h"

#include "core/modules/common/code3_body.h"

namespace blobscope::modules {
namespace {

constexpr std::string_view kKeys[] = {"sdaccel", "aocl", "aocl_sw_emu"};
constexpr Layout kLayouts[] = {wireLayout<Code3ImageBody>("code3")};

} // namespace

const ModuleCodec kFpgaCodec = {kKeys, kLayouts};

} // namespace blobscope::modules
