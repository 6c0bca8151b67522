#pragma once

#include "core/run/plan.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Whole models: functions of a library's virtual machine, run by an installed TVM runtime.
/// core/formats/host-abi.md 5.1, 5.3.
namespace blobscope::run {

/// Returns the libraries of a TVM runtime in load order: libtvm_ffi, libtvm_runtime, libtvm_runtime_extra and the
/// runtimes for those devices ("cuda") in the same folder. `place` is one of these files, another file that is the
/// whole runtime, or a folder: the folder of the files, of a build, of the Python package `tvm` or `tvm_ffi`,
/// site-packages, or a Python environment. Nothing is loaded. Error: USAGE with the places that were searched.
Result<std::vector<std::filesystem::path>> findRuntime(const std::filesystem::path& place,
                                                       const std::vector<std::string>& devices);

/// Returns the functions of the virtual machine in `functions` in the form of host functions of the library's own file;
/// missing argument names are made up.
xref::Functions modelFunctions(const xref::Functions& functions);

/// Returns RUN-PREFLIGHT with the step and the words of the runtime when the runtime at `place` would not load the
/// library or not find its modules. Reads both; executes nothing. Errors also: PRE-FACTS, Cancelled.
Result<Done> checkRuntime(const library::PackagePtr& package, const std::filesystem::path& place, Monitor& monitor);

/// Turns the request into a job of mode Model: RunOptions::functions names functions of the virtual machine (if it is
/// empty: "main" or the only one); RunOptions::runtime is the place of the runtime. All tensors are inputs on the
/// processor; the runner reports the results. Errors: those of planRun(), findRuntime() and checkRuntime();
/// RUN-NO-DEVICE for a device other than the processor; RUN-ABI-RUNTIME for libraries with host ABIs whose runtimes are
/// not supported yet: classic and ffi1.
Result<PlannedRun> planModel(const library::PackagePtr& package, const xref::Functions& functions,
                             const RunOptions& options, const std::filesystem::path& folder, Monitor& monitor);

} // namespace blobscope::run
