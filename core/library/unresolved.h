#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Compares the names that the code of a file looks up at run time with the names that the file defines. Executes
/// nothing and decodes no code: the names come from the read-only data of host code, and from the tables of virtual
/// machines and graphs.
namespace blobscope::library {

/// Returns the host function's name from which a kernel's name is derived: "add_kernel", "add_kernel0", "add_kernel_1"
/// → "add". Source: apache/tvm v0.6.0 – v0.12.0 src/tir/transforms/split_host_device.cc ("_kernel" and a number), later
/// "_kernel", followed by "_1" for further kernels; all libraries seen. Empty for other names.
std::string_view hostNameOfKernel(std::string_view kernel);

/// A module to check: from the opened file, or with edits applied.
struct LinkedModule {
  Ref ref;
  const modules::Body* body = nullptr; ///< null when the bytes are unknown
  std::string_view prefix;             ///< of a system library, usually empty
};
/// Returns the modules of a blob that loaders keep: those with an importer, and the roots.
std::vector<LinkedModule> linkedModules(const Blob& blob);
/// The same for all blobs below `package`.
std::vector<LinkedModule> linkedModules(const PackagePtr& package);

/// A name that code looks up and that nothing in the file defines.
struct Unresolved {
  enum class Kind : uint8_t {
    Kernel,   ///< a host function launches it
    Compiled, ///< the code of a function of a virtual machine
    Packed,   ///< a virtual machine or graph calls it; not searched in the runtime
    Runtime   ///< a virtual machine calls it; the runtime may define it
  };
  Kind kind = Kind::Kernel;
  std::string name;
  Ref caller;
  std::string callerText; ///< "the host function 'add'", "the function 'main' of the Relax VM"

  /// Whether the call fails with every runtime.
  bool certain() const { return kind != Kind::Runtime; }
  /// The arguments of BLOB-CALL: what looks up the name, and what fails.
  std::vector<Argument> arguments() const;
};

/// Returns all names that `modules` and the host code below `package` look up and that nothing defines, kernels first.
/// Empty for a file with an undecoded module, which may define any name, for a file without a blob, and for a file
/// without host functions. Reads at most 16 MiB of host data for names of the form of hostNameOfKernel(). Error: only
/// Cancelled.
Result<std::vector<Unresolved>> findUnresolved(const PackagePtr& package, std::span<const LinkedModule> modules,
                                               Monitor& monitor);

/// Returns BLOB-CALL for each unresolved name that is certain, in the same order. Error: only Cancelled.
Result<std::vector<Diagnostic>> callDiagnostics(const PackagePtr& package, Monitor& monitor);

/// Whether the host code below `package` contains `name` as a complete string, as a lookup needs it. Error: only
/// Cancelled.
Result<bool> hostCodeContains(const PackagePtr& package, std::string_view name, Monitor& monitor);

} // namespace blobscope::library
