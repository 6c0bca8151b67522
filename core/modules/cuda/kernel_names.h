#pragma once

#include "core/base/monitor.h"
#include "core/modules/codec.h"
#include "core/modules/cuda/images.h"

#include <optional>
#include <set>
#include <string_view>
#include <vector>

/// The names of kernels in the code of a `cuda` module. The driver looks a kernel up by the name in the code, so that
/// the list of the module and the code must agree. Source: apache/tvm v0.8 src/runtime/cuda/cuda_module.cc,
/// CUDAModuleNode::GetFunc.
namespace blobscope::modules {

/// Returns the places to change in PTX. None for a kernel whose new name is invalid, or used in the text and not
/// renamed.
std::vector<NameInCode> namesInPtx(const Bytes& text, const KernelRenames& renames);
/// The same for CUDA C++. A new name must not be one that C++ or the CUDA headers define for every program: a keyword,
/// `main`, `printf`, or a name that begins with two underscores. None either for a kernel whose name is used elsewhere
/// than in its declarations: each use must be followed by '(' in a declaration with `__global__`, and none may be in a
/// preprocessor line.
std::vector<NameInCode> namesInSource(const Bytes& text, const KernelRenames& renames);

/// The forms of the code of a module.
enum class CudaCode { Ptx, Source, Images };
/// Returns which of `names` are kernels of the code; compressed images of a fat binary are unpacked. Nothing when that
/// is not known: an image cannot be read, or CUDA C++ uses one of the names but no declaration of a kernel was
/// recognized, as where macros declare the kernels.
std::optional<std::set<std::string_view>> definedKernels(const Bytes& code, CudaCode form, const CudaImages& images,
                                                         const std::set<std::string_view>& names, Monitor& monitor);

} // namespace blobscope::modules
