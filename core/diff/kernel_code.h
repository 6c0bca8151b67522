#pragma once

#include "core/base/budget.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/diff/align.h"
#include "core/modules/codec.h"

#include <string_view>
#include <unordered_map>

namespace blobscope::diff {

/// What is known of a kernel from the image that it lies in.
struct KernelCode {
  Bytes code;        ///< its own, in the first image that has it
  Item::Facts facts; ///< registers, shared memory, stack, parameters; code in further images
};

/// Code and needs of kernels in an image that they share: PTX, cubins and fat binaries (compressed ones, too), ELF for
/// other devices, source text. By name; the names lie in the image or are owned by `keep`.
struct ImageKernels {
  std::unordered_map<std::string, KernelCode> kernels;
  std::vector<Item> images; ///< entries of a fat binary
  std::string limit;        ///< why the rest of the images was not unpacked; empty when all were
};
/// `language`: of text, as modules::Body::language(). Empty for formats in which kernels cannot be told apart. What is
/// unpacked is charged to `budget`. Cancelled.
Result<ImageKernels> readImageKernels(const Bytes& image, std::string_view language, const BudgetPtr& budget,
                                      Monitor& monitor);

} // namespace blobscope::diff
