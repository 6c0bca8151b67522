#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/host/signature.h"
#include "core/program/model.h"

#include <vector>

namespace blobscope::program {

/// Completes the signatures of the entries from the code: a parameter whose type or shape is not stated gets those of
/// the first function that gets it, directly, as an item of a tuple, or as a copy. Also fills Entry::uses and, where a
/// second function takes another type, Entry::notes. `hosts`: the signatures of the host functions that
/// Program::callees name, with the same numbers; null where the library does not contain one.
///
/// Registers that are written twice have no known value, so that branches cannot mix two values; releasing a register
/// is not a write. The machine passes the items of tuples one by one to a host function (ProgramCallee::Kind::Host). A
/// dimension that the function calls N is the dimension of the model that the same call passes as another N; if there
/// is none, it gets a new name. Source of what the built-in functions do: core/formats/vm-executables.md 4,
/// app/runner/machine/builtins.cpp. Error: only Cancelled.
Result<Done> completeSignatures(Model& model, const std::vector<const host::Signature*>& hosts, Monitor& monitor);

} // namespace blobscope::program
