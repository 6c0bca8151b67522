#pragma once

#include <cstdint>

/// What core/base/temporary_name.cpp asks the system.
namespace blobscope::temporary_name {

/// The ID of this process.
uint64_t ownProcess();
/// When a process started, in units that only the system knows; 0 when the system does not say.
uint64_t startOf(uint64_t process);
/// 0 when the system has no random numbers: names may then only repeat, and a name that exists is not used.
uint64_t randomNumber();
/// Whether a process with that ID may run; true when the number cannot be an ID.
bool mayRun(uint64_t process);

} // namespace blobscope::temporary_name
