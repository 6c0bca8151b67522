#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/library/producer.h"
#include "core/preflight/preflight.h"
#include "core/targets/facts.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::preflight {

/// The result for one file.
struct FileOutcomes {
  std::string path; ///< as given, or below the folder that was given
  uint64_t size = 0;
  std::string error;                                   ///< why the file could not be read; else empty
  bool ofTvm = false;                                  ///< false: not a library of TVM; it is not counted
  bool inFolder = false;                               ///< it was found in a folder that was given
  library::FileKind kind = library::FileKind::Library; ///< others than libraries are not judged
  std::string what;                  ///< of a file that is not judged: "a TVM runtime: it exports …"; else empty
  std::string era;                   ///< "C1"; empty without a blob
  std::string moduleKey;             ///< of the first module for a device; empty when there is none
  std::vector<Outcome> outcomes;     ///< one per target
  std::string flags;                 ///< "cuda, opencl": parts of the build that `releases` have
  std::string problem;               ///< why no build has all parts that the modules need; empty when one has
  std::vector<std::size_t> releases; ///< the releases of the tables on which nothing is missing, plain builds plus
                                     ///< what the file's modules need
  bool doubtful = false;             ///< for some of these, whether something is missing is not known
  std::string checked;               ///< FileCheck::sentence
};

/// The results for many files. Immutable.
struct FilesReport {
  std::string title;                ///< of the folder or the first file
  std::vector<std::string> targets; ///< Target::title()
  std::vector<FileOutcomes> files;  ///< in the order of their paths
  uint64_t others = 0;              ///< files in folders that are in no format that is opened, except source text
  uint64_t sources = 0;             ///< source text in folders that is in no format that is opened
  std::vector<uint64_t> fitting;    ///< for each release, the number of files on which nothing is missing

  uint64_t libraries() const; ///< files that are counted
  /// The number of files of that kind that are not judged, in folders and among those that were given.
  uint64_t notJudged(library::FileKind kind) const;
  /// "not judged: 2 runtimes, 3 Python extensions, 14 other files"; empty when all files are judged.
  std::string notJudgedText() const;
  /// The releases that all libraries fit.
  std::vector<std::size_t> common() const;
};

/// "Versions that fit all: 0.18 – 0.19.", "No version fits all; 0.19 fits 38 of 40."
std::string commonText(const FilesReport& report, const targets::Facts& facts);

/// What was found out about files that belong to a library, such as weights.
struct FileCheck {
  std::vector<Missing> missing; ///< the same for every target
  std::string sentence;         ///< what fits, such as "weights: 4 tensors of …"; may be empty
};

/// What to compare files with.
struct FilesOptions {
  Targets targets;
  /// Releases of the tables that are targets too, after `targets`, each built with what the file needs; ascending.
  std::vector<std::size_t> releases;
  bool allReleases = false;                ///< the same for all releases
  std::vector<targets::Device> devices;    ///< for releases, and for FileOutcomes::releases; empty: no device
  std::vector<targets::SystemPtr> systems; ///< the same; empty: none is stated
  targets::SharedLibrariesPtr libraries;   ///< the same, as in Target
  targets::SystemPtr here;                 ///< the same

  /// Also called for each library of TVM, unless it is empty. Error: only Cancelled.
  std::function<Result<FileCheck>(const library::PackagePtr& package, Monitor& monitor)> alsoCheck;

  bool hasRelease(std::size_t release) const;
  /// The targets for a runtime: each device on each system.
  Targets targetsOf(const targets::RuntimePtr& runtime) const;
};

/// Reads the files, and all regular files below the folders, and compares each with all targets. Symbolic links in
/// folders are not followed. A file that cannot be read is part of the result; in a folder only one whose name is that
/// of a library and that is empty or what a failed download left. Runtimes, Python extensions and source text are not
/// judged, nor are files in folders that have nothing of TVM and no device code. Errors: FILE-NOT-FOUND for a path that
/// does not exist, FILE-LIMIT for more than library::kFolderFiles files, Cancelled.
Result<FilesReport> checkFiles(const std::vector<std::filesystem::path>& paths, const FilesOptions& options,
                               const targets::FactsPtr& facts, Monitor& monitor);

/// The targets that the release strip shows for a library: every release of the tables, built with what its modules
/// and devices need.
Result<Targets> releaseTargets(const requirements::Requirements& needs, const targets::FactsPtr& facts);

} // namespace blobscope::preflight
