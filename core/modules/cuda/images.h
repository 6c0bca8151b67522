#pragma once

#include "core/modules/codec.h"
#include "core/modules/common/function_info.h"
#include "core/payloads/cubin/cubin.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/view/page.h"

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace blobscope::modules {

/// An image in machine code that lies in the module as it is.
struct CudaImage {
  Bytes bytes;
  payloads::Cubin cubin;
};

/// The images of a `cuda` module: of a fat binary its entries, and all cubins that are not compressed.
struct CudaImages {
  struct Found {
    const CudaImage* image;
    const payloads::CubinKernel* kernel;
  };
  std::vector<payloads::FatbinEntry> entries; ///< empty when the module holds one image without a container
  std::vector<CudaImage> cubins;

  /// Image and kernel by name, of the first image that has it. The names lie in the images' bytes.
  std::unordered_map<std::string_view, std::pair<std::size_t, std::size_t>> places;

  std::optional<Found> findKernel(std::string_view name) const;
};
CudaImages readCudaImages(const Bytes& data);

/// Body::kernelTable() with what the images say of each kernel. `images` need not outlive the table.
KernelTable kernelTableOf(const std::vector<NamedFunction>& functions, const CudaImages& images);

} // namespace blobscope::modules
