#pragma once

#include "core/base/monitor.h"
#include "core/base/ref.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/modules/kernel_image.h"
#include "core/xref/functions.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// All kernels of a library with what their code needs and who calls them.
namespace blobscope::kernels {

/// A module with kernels.
struct Module {
  std::string name;                         ///< "m2 cuda", after the path of its member, if any
  std::vector<modules::KernelImage> images; ///< of Body::kernelImages()
};

struct Kernel {
  uint32_t function = 0;       ///< index in xref::Functions::kernels
  uint32_t module = 0;         ///< index in Kernels::modules
  uint32_t number = 0;         ///< index in the lists of the module's images
  uint32_t arguments = 0;      ///< of the kernel
  bool dynamicShared = false;  ///< the host code passes an amount of shared memory at each launch
  modules::KernelCode ownCode; ///< what its separate code says, in modules without images
  uint32_t callers = 0;        ///< functions of virtual machines and graphs whose calls launch it
  uint64_t launches = 0;       ///< calls that launch it in the code of all callers, each function run once
  std::string prefix;          ///< what kernels of the same operator have in common: "fused_NT_matmul"
};

struct Kernels {
  std::vector<Module> modules;
  std::vector<Kernel> list; ///< in stored order
  std::shared_ptr<const xref::Functions> functions;

  const xref::Kernel& function(std::size_t kernel) const { return functions->kernels[list[kernel].function]; }
  /// The name of the only function that calls the kernel; "several functions", or empty when none is known.
  std::string callerName(std::size_t kernel) const;
  /// GPUs that images are for, ascending.
  std::vector<uint32_t> architectures() const;
};

/// Whether a module below `ref`, a file, blob or module, lists kernels.
bool hasKernels(const library::PackagePtr& package, const Ref& ref);

/// Reads the kernels of all modules below `ref`. `package` is the outermost one. Errors: REF-NOT-FOUND, Cancelled.
Result<Kernels> computeKernels(const library::PackagePtr& package, const Ref& ref, Monitor& monitor);

/// Returns for each name what it shares with others up to the words that distinguish the kernels of one operator.
/// Numbers after words and the end `_kernel` do not count: "fused_NT_matmul7_divide_kernel" and
/// "fused_NT_matmul_kernel" share "fused_NT_matmul".
std::vector<std::string> prefixesOf(const std::vector<std::string_view>& names);

} // namespace blobscope::kernels
