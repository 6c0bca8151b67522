#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/program/model.h"
#include "core/xref/functions.h"

namespace blobscope::program {

/// Translates the bytecode of a Relay VM, v0.8 – v0.19. `module` is a module of `package` or of one of its members, and
/// `functions` are those of `package`.
///
/// Each instruction becomes one step; `If` becomes two or three, with a register of their own, since a branch of a
/// program only compares with zero. Functions and constants keep their stored order; constants of the instructions,
/// such as shapes and types, follow. Registers have the same numbers.
///
/// Every function that is not a closure is an entry, "main" first. The types of its parameters are those of the host
/// functions that they are passed to (parameter_types.h); the bytecode has none.
///
/// `params`: values of constants that are bound after the library is loaded, by name; may be null. Their file is one of
/// save_params: apache/tvm v0.9.0 – v0.19.0 src/runtime/vm/executable.cc, Executable::LoadLateBoundConstantsFromStream.
///
/// Error: RUN-PROGRAM for other modules, for such constants without a value, for memory scopes other than "global", for
/// devices of two types, and when a number in the bytecode names nothing; Cancelled.
///
/// Source: core/formats/vm-executables.md 2; apache/tvm v0.8.0 – v0.18.0 src/runtime/vm/vm.cc,
/// VirtualMachine::RunLoop.
Result<Model> relayModel(const library::PackagePtr& package, const library::Module& module,
                         const xref::Functions& functions, const Parameters* params, Monitor& monitor);

} // namespace blobscope::program
