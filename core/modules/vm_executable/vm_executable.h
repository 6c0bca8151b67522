#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules::relax {
struct Executable;
}
namespace blobscope::modules::relay {
struct Executable;
}

namespace blobscope::modules {

/// `relax.Executable`, `relax.VMExecutable`: bytecode, functions and constants of the Relax virtual machine.
extern const ModuleCodec kRelaxExecutableCodec;
/// `VMExecutable`: the same for the Relay virtual machine.
extern const ModuleCodec kRelayExecutableCodec;

/// Returns the decoded executable of a body of that codec; null for other bodies. Valid as long as the body.
const relax::Executable* relaxExecutableOf(const Body& body);
const relay::Executable* relayExecutableOf(const Body& body);

} // namespace blobscope::modules
