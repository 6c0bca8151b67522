#include "core/modules/fpga/fpga.h"

#include "core/modules/common/code3_body.h"

namespace blobscope::modules {
namespace {

constexpr std::string_view kFpgaKeys[] = {"sdaccel", "aocl", "aocl_sw_emu"};
constexpr Layout kFpgaLayouts[] = {wireLayout<Code3ImageBody>("code3")};

} // namespace

const ModuleCodec kFpgaCodec = {kFpgaKeys, kFpgaLayouts};

} // namespace blobscope::modules
