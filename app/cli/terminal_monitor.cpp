#include "app/cli/terminal_monitor.h"

#include <csignal>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace blobscope::cli {
namespace {

volatile std::sig_atomic_t g_stop = 0; // set by the signal handler, which cannot receive an argument of ours

extern "C" void requestStop(int) { g_stop = 1; }

} // namespace

TerminalMonitor::TerminalMonitor()
    : m_terminal(isatty(STDERR_FILENO) != 0),
      m_next(std::chrono::steady_clock::now() + std::chrono::milliseconds(150)) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    action.sa_handler = requestStop;
    action.sa_flags = SA_RESETHAND; // a second Ctrl+C ends the process immediately
    sigaction(signal, &action, nullptr);
  }
}

TerminalMonitor::~TerminalMonitor() { clear(); }

bool TerminalMonitor::stopRequested() const { return g_stop != 0; }

void TerminalMonitor::progress(std::string_view what, uint64_t done, uint64_t total) {
  if (!m_terminal) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < m_next) return;
  m_next = now + std::chrono::milliseconds(100);
  std::string line = "\r\033[K" + std::string(what);
  if (total > 0)
    line += " " + std::to_string(static_cast<int>(static_cast<double>(done) * 100 / static_cast<double>(total))) + " %";
  std::fwrite(line.data(), 1, line.size(), stderr);
  m_shown = true;
}

void TerminalMonitor::clear() {
  if (m_shown) std::fputs("\r\033[K", stderr);
  m_shown = false;
}

} // namespace blobscope::cli
