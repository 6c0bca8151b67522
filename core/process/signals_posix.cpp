#include "core/process/signals.h"

#include <csignal>

namespace blobscope::process {

std::string signalName(int signal) {
  struct Row {
    int number;
    const char* name;
  };
  constexpr Row kRows[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},   {SIGFPE, "SIGFPE"},
                           {SIGABRT, "SIGABRT"}, {SIGSYS, "SIGSYS"},   {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"},
                           {SIGXFSZ, "SIGXFSZ"}, {SIGTRAP, "SIGTRAP"}, {SIGXCPU, "SIGXCPU"}};
  for (const Row& row : kRows)
    if (row.number == signal) return row.name;
  return "signal " + std::to_string(signal);
}

std::string signalText(int signal) { return "signal " + std::to_string(signal); }

bool isMemoryFault(int signal) { return signal == SIGSEGV || signal == SIGBUS; }

bool isKill(int signal) { return signal == SIGKILL; }

bool isFileLimit(int signal) { return signal == SIGXFSZ; }

bool isTimeLimit(int signal) { return signal == SIGXCPU; }

} // namespace blobscope::process
