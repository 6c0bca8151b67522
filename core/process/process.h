#pragma once

#include "core/base/monitor.h"
#include "core/base/place.h"
#include "core/base/result.h"
#include "core/process/confine.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// Starts and watches other programs, never through a shell.
namespace blobscope::process {

struct ProcessOptions {
  std::filesystem::path program;                       ///< a path, not a name to be searched
  std::vector<std::string> arguments;                  ///< without the program itself; none may contain NUL
  std::filesystem::path folder;                        ///< working folder; empty: that of this program
  std::optional<std::vector<std::string>> environment; ///< "NAME=value"; nothing: the environment of this program
  uint64_t outputBytes = 16 << 20;             ///< limit of standard output; a program that prints more is ended
  uint64_t messageBytes = 1 << 20;             ///< limit of standard error; what follows is dropped
  uint64_t timeoutMs = 60'000;                 ///< wall-clock time
  std::optional<Confinement> confinement = {}; ///< run() only; the session is then separate, without a terminal
};

/// How a program ended. Exactly one of exitCode, signal and notStarted is set; a program that was ended for its time,
/// its output or the number of its processes has a signal too.
struct ProcessResult {
  std::optional<int> exitCode;
  std::optional<int> signal;
  std::optional<std::string> notStarted; ///< the system's reason
  bool timedOut = false;                 ///< ended after timeoutMs
  bool outputCut = false;                ///< ended after outputBytes
  bool tooMany = false;                  ///< ended because it had too many processes
  bool messagesCut = false;              ///< text after messageBytes was dropped
  std::string output;                    ///< standard output
  std::string messages;                  ///< standard error
  Layers confined = {};                  ///< layers of ProcessOptions::confinement that were active

  /// Whether it exited with 0 and its output is complete.
  bool fine() const { return exitCode == 0 && !timedOut && !outputCut; }
};

/// Starts the program in a separate process group, without descriptors of this program and with an empty standard
/// input, collects what it prints, and returns when it has ended; processes that it left running in its group are ended
/// too. One with a confinement has a supervisor where there is one: all that it started ends with it, also when this
/// program is killed. Every way in which the program ends is a result. Cancelled, within 100 ms, when the monitor
/// requests a stop: the group is then killed.
Result<ProcessResult> run(const ProcessOptions& options, Monitor& monitor);

/// How it ended, as text after the program's name: "ended with exit code 1: FIRST LINE OF ITS MESSAGES".
std::string describe(const ProcessResult& result, const ProcessOptions& options);

/// A private folder, removed with its content when this object is destroyed. Those that a killed process of the same
/// user left are removed by the next process that makes one: folders with the mark of this class that belong to the
/// user, are at least a minute old and have no owner that lives.
class TemporaryFolder {
public:
  /// Creates one in the system's folder for temporary files. FILE-WRITE.
  static Result<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return m_path; }

private:
  explicit TemporaryFolder(std::filesystem::path path) : m_path(path), m_whole(std::move(path)) {}

  std::filesystem::path m_path;
  std::filesystem::path m_whole; ///< the folder that is removed: `m_path`, or the one around it with the mark; empty
                                 ///< when moved from
  Descriptor m_mark;             ///< locked as long as the owner lives
};

/// Removes the folders in `base` that killed processes left; TemporaryFolder::create() does so once. At most 100,000
/// files of them at a time.
void removeAbandonedFolders(const std::filesystem::path& base);

} // namespace blobscope::process
