#pragma once

#include <string>

/// What ends a program from outside: a signal, or on Windows an exception, whose number is that of ntstatus.h.
namespace blobscope::process {

/// "SIGSEGV", "access violation"; "signal 42" or "exception 0xc0000420" for one without a known name.
std::string signalName(int signal);
/// The same for a sentence: "signal 11", "exception 0xc0000005 (access violation)".
std::string signalText(int signal);
/// Whether it reports an access to an address.
bool isMemoryFault(int signal);
/// Whether only the system or another program causes it, such as SIGKILL.
bool isKill(int signal);
/// Whether it says that a file became larger than the limit of the process, or that its processor time was used up.
bool isFileLimit(int signal);
bool isTimeLimit(int signal);

} // namespace blobscope::process
