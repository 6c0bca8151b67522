#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Dry runs of libraries that link against a runtime that may be missing on the machine: the CUDA runtime, TVM's own
/// C++. What they import from it is replaced by functions that stop the call and report which one was missing. Host
/// functions that do not reach one of them run normally. Only functions are replaced.
namespace blobscope::run {

/// What a library imports from runtimes that no test run has: its undefined symbols, in order.
struct ForeignImports {
  std::vector<std::string> functions;
  std::vector<std::string> data;      ///< variables, virtual function tables, type information: they cannot be replaced
  std::vector<std::string> libraries; ///< file names of needed libraries that belong to those runtimes
  bool empty() const { return functions.empty() && data.empty() && libraries.empty(); }
};
ForeignImports foreignImports(const library::Package& package);

/// Returns whether a dry run is possible without these imports: only functions are missing, and stubs for this
/// processor can be made.
bool canReplace(const ForeignImports& imports);

/// Writes ELF libraries "stub-0.so" … for this processor to `folder`, which the runner loads before the library: the
/// first defines all functions, the others are empty and have the names of the needed libraries. Errors: FILE-WRITE,
/// Cancelled.
Result<Done> writeStubs(const ForeignImports& imports, const std::filesystem::path& folder, Monitor& monitor);

/// Returns one such library for x86-64. The runner sets its variable `blobscopeMissing` to the address of the function
/// that receives the name of a missing one. Functions with which nvcc's objects register themselves do nothing and
/// return an address.
std::string stubLibrary(const std::vector<std::string>& functions, std::string_view soname);

} // namespace blobscope::run
