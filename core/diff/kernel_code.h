#pragma once

#include "core/base/budget.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/diff/align.h"
#include "core/modules/codec.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace blobscope::diff {

/// What the image that contains a kernel says about it.
struct KernelCode {
  Bytes code;                ///< the kernel's code in the first image that contains it
  Item::Facts facts;         ///< registers, shared memory, stack, parameters; code in further images
  std::string language = {}; ///< "ptx" for PTX
  Bytes cubin = {};          ///< that contains the machine code; empty for other code
  std::vector<std::pair<std::string, uint64_t>> numbers = {}; ///< as in CodeChange
};

/// Code and resource use of kernels that share an image: PTX, cubins and fat binaries (also compressed ones), ELF for
/// other devices, source text. Keyed by name; the names are in the image or owned by `keep`.
struct ImageKernels {
  std::unordered_map<std::string, KernelCode> kernels;
  std::vector<Item> images; ///< entries of a fat binary
  std::string limit;        ///< why the rest of the images was not unpacked; empty when all were
};
/// `language`: of a text, as modules::Body::language(). The result is empty for formats in which kernels cannot be told
/// apart. What is unpacked is charged to `budget`. Error: Cancelled.
Result<ImageKernels> readImageKernels(const Bytes& image, std::string_view language, const BudgetPtr& budget,
                                      Monitor& monitor);

} // namespace blobscope::diff
