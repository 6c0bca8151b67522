#pragma once

#include "core/base/monitor.h"
#include "core/modules/cuda/images.h"
#include "core/modules/kernel_image.h"

#include <vector>

namespace blobscope::modules {

/// Body::kernelImages() of a module with this code: its cubins, unpacked where they are compressed; PTX only when there
/// is no cubin. `functions`: its kernels in order.
std::vector<KernelImage> kernelImagesOf(const std::vector<NamedFunction>& functions, const Bytes& data,
                                        const CudaImages& images, Monitor& monitor);

} // namespace blobscope::modules
