#pragma once

#include "core/process/process.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace blobscope::process {

/// A program that is listened to while it runs.
struct StreamOptions {
  ProcessOptions process;      ///< `outputBytes`: of all lines together
  uint64_t lineBytes = 65'536; ///< without the newline
  uint64_t lines = 1'000'000;
  std::string stopLine;         ///< written to its standard input, with a newline, when it is to stop
  uint64_t politeMs = 500;      ///< it may take to stop by itself
  uint64_t terminateMs = 3'000; ///< and after SIGTERM
  bool supervises = false; ///< on SIGTERM it ends all that it has started: never killed before it had time for that
};

/// How it ended. Exactly one of exitCode, signal, notStarted and `stuck` says how.
struct StreamResult {
  enum class Cause : uint8_t { Itself, Time, LineTooLong, TooManyLines, TooMuch, Refused };
  Cause cause = Cause::Itself; ///< why it ended: anything else ended it by force
  std::optional<int> exitCode;
  std::optional<int> signal;
  std::optional<std::string> notStarted; ///< the system's reason
  bool stuck = false; ///< it was killed and is still there after ten seconds: a driver does not return
  bool messagesCut = false;
  std::string messages; ///< standard error up to ProcessOptions::messageBytes
};

/// Starts the program as run() does, but with standard input open as long as it runs, and hands each line of standard
/// output, without its newline and in this thread, to `line`; false from it ends the program (Refused). A last line
/// without a newline is handed on too. Cancelled, within 100 ms, when the monitor says stop: the program is then asked,
/// terminated and killed with its group by a thread that nobody waits for.
Result<StreamResult> stream(const StreamOptions& options, const std::function<bool(std::string_view)>& line,
                            Monitor& monitor);

} // namespace blobscope::process
