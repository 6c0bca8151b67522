#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/process/confine.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// Starting and watching other programs. Never through a shell.
namespace blobscope::process {

struct ProcessOptions {
  std::filesystem::path program;                       ///< a path, not a name to look for
  std::vector<std::string> arguments;                  ///< without the program itself; none may contain NUL
  std::filesystem::path folder;                        ///< where it works; empty: where this program does
  std::optional<std::vector<std::string>> environment; ///< "NAME=value"; nothing: that of this program
  uint64_t outputBytes = 16 << 20;             ///< standard output up to here; a program that prints more is ended
  uint64_t messageBytes = 1 << 20;             ///< standard error up to here; what comes behind is dropped
  uint64_t timeoutMs = 60'000;                 ///< by the clock on the wall
  std::optional<Confinement> confinement = {}; ///< run() only; it then has a session of its own, without a terminal
};

/// How a program ended. Exactly one of exitCode, signal and notStarted says how; one that was ended for its time or
/// its output has a signal too.
struct ProcessResult {
  std::optional<int> exitCode;
  std::optional<int> signal;
  std::optional<std::string> notStarted; ///< the system's reason
  bool timedOut = false;                 ///< ended after timeoutMs
  bool outputCut = false;                ///< ended after outputBytes
  bool messagesCut = false;              ///< what came behind messageBytes was dropped
  std::string output;                    ///< standard output
  std::string messages;                  ///< standard error
  Layers confined = {};                  ///< layers of ProcessOptions::confinement that held

  /// Whether it ended by itself with 0 and all of its output is there.
  bool fine() const { return exitCode == 0 && !timedOut && !outputCut; }
};

/// Starts the program in a process group of its own, without descriptors of this program and with an empty standard
/// input, collects what it prints, and returns when it has ended; what it left running in its group is ended too.
/// Every end of the program is a result. Cancelled, within 100 ms, when the monitor says stop: the group is killed
/// then.
Result<ProcessResult> run(const ProcessOptions& options, Monitor& monitor);

/// What became of it, to go behind the program's name: "ended with exit code 1: FIRST LINE OF ITS MESSAGES".
std::string describe(const ProcessResult& result, const ProcessOptions& options);

/// A private folder, removed with all that is in it at the end of this object's life.
class TemporaryFolder {
public:
  /// In the system's folder for temporary files. FILE-WRITE.
  static Result<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return m_path; }

private:
  explicit TemporaryFolder(std::filesystem::path path) : m_path(std::move(path)) {}

  std::filesystem::path m_path; ///< empty when moved from
};

} // namespace blobscope::process
