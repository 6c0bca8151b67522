#pragma once

#include "core/base/monitor.h"

#include <chrono>

namespace blobscope::cli {

/// Handles Ctrl+C (SIGINT), SIGTERM and SIGHUP, and shows progress on standard error if that is a terminal. Work that
/// takes less than 150 ms shows nothing.
class TerminalMonitor final : public Monitor {
public:
  /// Installs the signal handlers; they stay installed for the life of the process.
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
