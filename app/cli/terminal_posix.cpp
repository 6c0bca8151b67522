#include "app/cli/terminal.h"

#include "core/base/private_file.h"

#include <cerrno>
#include <csignal>
#include <unistd.h>

namespace blobscope::cli {
namespace {

volatile std::sig_atomic_t g_stop = 0; // set by the signal handler, which cannot receive an argument of ours

extern "C" void requestStop(int) { g_stop = 1; }

} // namespace

void prepareTerminal() { surviveFileLimit(); }

bool isOutputTerminal() { return isatty(STDOUT_FILENO) != 0; }

bool isErrorTerminal() { return isatty(STDERR_FILENO) != 0; }

std::ptrdiff_t writeOutput(std::string_view text) {
  // Not stdio, which restarts an interrupted write and so never returns while nobody reads.
  const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
  return written < 0 && errno == EINTR ? 0 : written;
}

void catchStopSignals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    action.sa_handler = requestStop;
    action.sa_flags = SA_RESETHAND; // a second Ctrl+C ends the process immediately
    sigaction(signal, &action, nullptr);
  }
}

bool isStopSignalled() { return g_stop != 0; }

} // namespace blobscope::cli
