#pragma once

#include "core/modules/common/function_info.h"
#include "core/modules/kernel_image.h"

#include <vector>

namespace blobscope::modules {

/// Body::kernelImages() of a module whose code is a code object for AMD GPUs: one image; none for other code.
/// `functions`: its kernels in order.
std::vector<KernelImage> imagesOfCodeObject(const std::vector<NamedFunction>& functions, const Bytes& code);

} // namespace blobscope::modules
