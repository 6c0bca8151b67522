#pragma once

#include "core/base/monitor.h"

#include <chrono>

namespace blobscope::cli {

/// Listens to Ctrl+C (SIGINT), SIGTERM and SIGHUP; shows progress on standard error while that is a terminal. Work
/// under 150 ms shows nothing.
class TerminalMonitor final : public Monitor {
public:
  /// Installs the signal handlers; they stay for the life of the process.
  TerminalMonitor();
  ~TerminalMonitor() override;

  bool stopRequested() const override;
  void progress(std::string_view what, uint64_t done, uint64_t total) override;
  /// Removes the progress line.
  void clear();

private:
  bool m_terminal;
  bool m_shown = false;
  std::chrono::steady_clock::time_point m_next;
};

} // namespace blobscope::cli
