#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `sdaccel`, `aocl`, `aocl_sw_emu` (v0.4 – v0.19): FPGA images `xclbin`, `awsxclbin`, `aocx`; upstream loads them only
/// from files.
extern const ModuleCodec kFpgaCodec;

} // namespace blobscope::modules
