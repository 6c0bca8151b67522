#pragma once

#include "core/modules/codec.h"
#include "core/modules/common/function_info.h"
#include "core/payloads/cubin/cubin.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/view/page.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace blobscope::modules {

/// An image of machine code that is stored uncompressed in the module.
struct CudaImage {
  Bytes bytes;
  payloads::Cubin cubin;
};

/// The images of a `cuda` module: the entries of a fat binary, and all cubins that are not compressed.
struct CudaImages {
  struct Found {
    const CudaImage* image;
    const payloads::CubinKernel* kernel;
  };
  std::vector<payloads::FatbinEntry> entries; ///< empty when the module contains one image without a container
  std::vector<CudaImage> cubins;

  /// Image and kernel by name, in the first image that has it. The names refer to the images' bytes.
  std::unordered_map<std::string_view, std::pair<std::size_t, std::size_t>> places;

  std::optional<Found> findKernel(std::string_view name) const;
};
CudaImages readCudaImages(const Bytes& data);

/// Returns the GPUs that can run code for these architectures ("sm_90a"), as text: machine code runs on its own compute
/// capability and on later ones with the same major number, PTX on its own and on all later ones; code for "a" runs on
/// exactly that one, PTX for "f" on its family. Empty when there are no architectures. Source: CUDA C++ Programming
/// Guide 13.0, compute capabilities and binary compatibility.
std::string runsOnText(const std::vector<std::string>& machineCode, const std::vector<std::string>& ptx);
/// The same for the images in `data`, the code of a module.
std::string runsOnText(const Bytes& data, const CudaImages& images);

/// Body::kernelTable() with what the images say about each kernel. `images` need not outlive the table.
KernelTable kernelTableOf(const std::vector<NamedFunction>& functions, const CudaImages& images);

} // namespace blobscope::modules
