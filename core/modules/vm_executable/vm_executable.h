#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `relax.Executable`, `relax.VMExecutable`: bytecode, functions and constants of the Relax virtual machine.
extern const ModuleCodec kRelaxExecutableCodec;
/// `VMExecutable`: the same of the Relay virtual machine.
extern const ModuleCodec kRelayExecutableCodec;

} // namespace blobscope::modules
