#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Names that the code of a file has a runtime look up, held against what the file defines. Nothing is executed and no
/// code is decoded: host code is known by the names in its read-only data, virtual machines and graphs by their tables.
namespace blobscope::library {

/// The name of the host function that a kernel's name is made of: "add_kernel", "add_kernel0", "add_kernel_1" → "add".
/// Source: apache/tvm v0.6.0 – v0.12.0 src/tir/transforms/split_host_device.cc ("_kernel" and a number), later
/// "_kernel" and, for further ones, "_1"; all libraries seen. Empty for other names.
std::string_view hostNameOfKernel(std::string_view kernel);

/// A module as it is matched; of the opened file, or as edits make it.
struct LinkedModule {
  Ref ref;
  const modules::Body* body = nullptr; ///< null for bytes that are not known
  std::string_view prefix;             ///< of a system library, usually empty
};
/// The modules of a blob that loaders keep: those with an importer, and the roots.
std::vector<LinkedModule> linkedModules(const Blob& blob);
/// Of all blobs below `package`.
std::vector<LinkedModule> linkedModules(const PackagePtr& package);

/// A name that is looked up and that nothing in the file defines.
struct Unresolved {
  enum class Kind : uint8_t {
    Kernel,   ///< a host function launches it
    Compiled, ///< a function of a virtual machine has its code there
    Packed,   ///< a virtual machine or graph calls it; the runtime offers no functions to it
    Runtime   ///< a virtual machine calls it; the runtime may offer it
  };
  Kind kind = Kind::Kernel;
  std::string name;
  Ref caller;
  std::string callerText; ///< "the host function 'add'", "the function 'main' of the Relax VM"

  /// Whether the call fails with every runtime.
  bool certain() const { return kind != Kind::Runtime; }
  /// BLOB-CALL in words: what asks for the name, and what fails.
  std::vector<Argument> arguments() const;
};

/// Everything that `modules` and the host code below `package` ask for in vain, kernels first. Nothing is said of a
/// file with a module that is not decoded, which may define any name, of one without a blob, and of one without host
/// functions. Host code is read for names of the form of hostNameOfKernel(), at most
/// 16 MiB of data. Cancelled.
Result<std::vector<Unresolved>> findUnresolved(const PackagePtr& package, std::span<const LinkedModule> modules,
                                               Monitor& monitor);

/// BLOB-CALL for each of them that is certain, in their order. Cancelled.
Result<std::vector<Diagnostic>> callDiagnostics(const PackagePtr& package, Monitor& monitor);

/// Whether the host code below `package` holds `name` as a text of its own, as a lookup needs it. Cancelled.
Result<bool> hostCodeNames(const PackagePtr& package, std::string_view name, Monitor& monitor);

} // namespace blobscope::library
