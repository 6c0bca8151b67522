#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Dry runs of libraries that link against a runtime that need not be on the machine: the CUDA runtime, TVM's own C++.
/// What they take from it is replaced by functions that stop the call and say which one was missing, so that every host
/// function that does not get to one of them runs. Nothing but functions is replaced.
namespace blobscope::run {

/// What a library needs of runtimes that no test run has, by its undefined symbols, in their order.
struct ForeignImports {
  std::vector<std::string> functions;
  std::vector<std::string> data; ///< variables, tables of virtual functions, type information: they cannot be replaced
  std::vector<std::string> libraries; ///< file names of needed libraries that belong to those runtimes
  bool empty() const { return functions.empty() && data.empty() && libraries.empty(); }
};
ForeignImports foreignImports(const library::Package& package);

/// Whether a dry run can do without what is listed: only functions are missing, and this processor's are known.
bool canReplace(const ForeignImports& imports);

/// Writes ELF libraries "stub-0.so" … for this processor to `folder`, which the runner loads before the library:
/// the first defines all functions, the others are empty and bear the names of the needed libraries. FILE-WRITE;
/// Cancelled.
Result<Done> writeStubs(const ForeignImports& imports, const std::filesystem::path& folder, Monitor& monitor);

/// One such library, x86-64. Its variable `blobscopeMissing` takes the address of the function that gets the name of
/// a missing one. Functions by which nvcc's objects register themselves do nothing and return an address.
std::string stubLibrary(const std::vector<std::string>& functions, std::string_view soname);

} // namespace blobscope::run
