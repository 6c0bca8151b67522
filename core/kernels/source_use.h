#pragma once

#include "core/base/bytes.h"
#include "core/modules/kernel_image.h"

#include <string_view>

namespace blobscope::kernels {

/// What the separate code of a kernel shows without a compiler: its size, for SPIR-V the workgroup and its memory, and
/// whether it uses matrix instructions or exchanges values within a subgroup. `language`: of source code, as in
/// modules::Body::language().
modules::KernelCode codeUse(const Bytes& code, std::string_view language);

} // namespace blobscope::kernels
