#include "core/process/signals.h"

#include "core/base/text.h"
#include "core/base/windows_win32.h"

namespace blobscope::process {
namespace {

/// Source: the headers winnt.h and ntstatus.h of the Windows SDK.
const char* findName(uint32_t code) {
  struct Row {
    uint32_t code;
    const char* name;
  };
  constexpr Row kRows[] = {{EXCEPTION_ACCESS_VIOLATION, "access violation"},
                           {EXCEPTION_IN_PAGE_ERROR, "in-page error"},
                           {EXCEPTION_ILLEGAL_INSTRUCTION, "illegal instruction"},
                           {EXCEPTION_PRIV_INSTRUCTION, "privileged instruction"},
                           {EXCEPTION_INT_DIVIDE_BY_ZERO, "integer division by zero"},
                           {EXCEPTION_INT_OVERFLOW, "integer overflow"},
                           {EXCEPTION_FLT_DIVIDE_BY_ZERO, "floating-point division by zero"},
                           {EXCEPTION_STACK_OVERFLOW, "stack overflow"},
                           {EXCEPTION_BREAKPOINT, "breakpoint"},
                           {EXCEPTION_DATATYPE_MISALIGNMENT, "misaligned access"},
                           {0xc0000017, "out of memory"},
                           {0xc0000044, "a limit of its job"},
                           {0xc0000374, "heap corruption"},
                           {0xc0000409, "fast failure"},
                           {0xc000013a, "Ctrl+C"},
                           {0xc0000135, "missing DLL"},
                           {0xc0000139, "missing function of a DLL"},
                           {0xc0000142, "failed start of a DLL"},
                           {0xe06d7363, "C++ exception"}};
  for (const Row& row : kRows)
    if (row.code == code) return row.name;
  return nullptr;
}

} // namespace

std::string signalName(int signal) {
  const char* const name = findName(static_cast<uint32_t>(signal));
  return name ? name : "exception " + hexText(static_cast<uint32_t>(signal));
}

std::string signalText(int signal) {
  const char* const name = findName(static_cast<uint32_t>(signal));
  return "exception " + hexText(static_cast<uint32_t>(signal)) + (name ? " (" + std::string(name) + ")" : "");
}

bool isMemoryFault(int signal) {
  const auto code = static_cast<uint32_t>(signal);
  return code == EXCEPTION_ACCESS_VIOLATION || code == EXCEPTION_IN_PAGE_ERROR;
}

bool isKill(int signal) { return static_cast<uint32_t>(signal) == 0xc000013a; }

bool isFileLimit(int) { return false; }

bool isTimeLimit(int) { return false; }

} // namespace blobscope::process
