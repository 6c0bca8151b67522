#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/preflight/folder.h"

#include <QString>
#include <QStringList>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace blobscope::ui {

/// What files are compared with, as the user chose it.
struct TargetChoice {
  QStringList releases; ///< names: "v0.27.0"; empty with no runtimes either: the newest ones
  QStringList runtimes; ///< paths of runtimes on disk
  QString device;       ///< "sm_90,driver=580"; empty: devices are not compared
  friend bool operator==(const TargetChoice&, const TargetChoice&) = default;

  /// The choice of the last time.
  static TargetChoice stored();
  void store() const;
};

/// The results for some files and what is needed to show them. Immutable.
struct FilesCheck {
  preflight::FilesReport report;
  TargetChoice choice; ///< with the releases that were compared
  std::string common;  ///< preflight::commonText()
  struct Release {
    std::string name, label;
  };
  std::vector<Release> releases;    ///< all of the tables, as in FilesReport::fitting
  std::vector<std::string> devices; ///< GPUs of the tables
};
using FilesCheckPtr = std::shared_ptr<const FilesCheck>;

/// Reads the files, and those in folders. Errors: PRE-FACTS, PRE-RUNTIME, PRE-DEVICE, those of preflight::checkFiles().
Result<FilesCheckPtr> checkFiles(const std::vector<std::filesystem::path>& paths, TargetChoice choice,
                                 Monitor& monitor);

} // namespace blobscope::ui
