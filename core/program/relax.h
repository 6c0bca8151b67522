#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/program/model.h"
#include "core/xref/functions.h"

namespace blobscope::program {

/// Translates the bytecode of a Relax VM, v0.16 on. `functions` are those of the package that contains the module.
///
/// Each instruction becomes one step. A function that the executable calls by name is a host function of the library if
/// there is one with that name, else a built-in of the interpreter with that name; whether it exists shows when it is
/// called. Every function of the machine is an entry, "main" first; the types of its parameters are those that the
/// compiler stored for its messages (core/formats/vm-executables.md 3.5), and for parameters without any, such as
/// weights, those of the functions that get them (parameter_types.h).
///
/// Error: RUN-PROGRAM for other modules, for memory scopes, and when a number in the bytecode names nothing; Cancelled.
///
/// Source: core/formats/vm-executables.md 3; apache/tvm v0.16.0 – v0.20.0 src/runtime/relax_vm/vm.cc, v0.21.0 – v0.26.0
/// src/runtime/vm/vm.cc, VirtualMachineImpl::RunLoop.
/// `anyScope`: accepts constants in memory scopes, for models that are only looked at.
Result<Model> relaxModel(const library::Module& module, const xref::Functions& functions, Monitor& monitor,
                         bool anyScope = false);

} // namespace blobscope::program
