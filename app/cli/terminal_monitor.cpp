#include "app/cli/terminal_monitor.h"

#include "app/cli/terminal.h"

#include <cstdio>
#include <string>

namespace blobscope::cli {

TerminalMonitor::TerminalMonitor()
    : m_terminal(isErrorTerminal()), m_next(std::chrono::steady_clock::now() + std::chrono::milliseconds(150)) {
  catchStopSignals();
}

TerminalMonitor::~TerminalMonitor() { clear(); }

bool TerminalMonitor::stopRequested() const { return isStopSignalled(); }

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
