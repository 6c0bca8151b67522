#pragma once

#include "core/process/process.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace blobscope::process {

/// A program whose output is read while it runs.
struct StreamOptions {
  ProcessOptions process;      ///< `outputBytes`: limit for all lines together
  uint64_t lineBytes = 65'536; ///< without the newline
  uint64_t lines = 1'000'000;
  std::string stopLine;         ///< line written to its standard input when it should stop
  uint64_t graceMs = 500;       ///< time that it may take to stop on its own
  uint64_t terminateMs = 3'000; ///< additional time after SIGTERM
  bool supervises = false;      ///< on SIGTERM it ends everything that it has started; it always gets time for that
};

/// How it ended. Exactly one of exitCode, signal, notStarted and `stuck` is set.
struct StreamResult {
  enum class Cause : uint8_t { Itself, Time, LineTooLong, TooManyLines, TooMuch, Refused };
  Cause cause = Cause::Itself; ///< why it ended: every other cause means that it was ended
  std::optional<int> exitCode;
  std::optional<int> signal;
  std::optional<std::string> notStarted; ///< the system's reason
  bool stuck = false;                    ///< it was killed and still exists after ten seconds: a driver does not return
  bool messagesCut = false;
  std::string messages; ///< standard error up to ProcessOptions::messageBytes
};

/// Starts the program like run(), but with standard input open while it runs. Passes each line of standard output,
/// without its newline and in this thread, to `line`; when that returns false, the program is ended (Refused). A last
/// line without a newline is passed too. Cancelled, within 100 ms, when the monitor requests a stop: a detached thread
/// then asks the program to stop, terminates it and kills it with its group.
Result<StreamResult> stream(const StreamOptions& options, const std::function<bool(std::string_view)>& line,
                            Monitor& monitor);

} // namespace blobscope::process
