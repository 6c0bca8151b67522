#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/process/process.h"
#include "core/run/options.h"

#include <filesystem>
#include <optional>

/// What is agreed to is what runs: the checks between the user's consent and the start of a runner.
namespace blobscope::run {

/// A library whose content the user agreed to run. Everything that a run needs of it is read from bytes that no other
/// program writes to: those in memory, or of a private copy when the file is mapped.
class AgreedLibrary {
public:
  /// RUN-CONSENT when nothing was agreed to; FILE-CHANGED when others wrote to the file since it was opened;
  /// RUN-CHANGED when the bytes are not those agreed to; FILE-WRITE for the private copy; Cancelled.
  static Result<AgreedLibrary> take(const library::PackagePtr& opened, const Agreed& agreed, Monitor& monitor);

  /// The library to plan runs for.
  const library::PackagePtr& package() const { return m_package; }
  /// FILE-CHANGED when others wrote to the opened file. Touches the file system.
  Result<Done> checkDisk() const;

private:
  library::PackagePtr m_opened, m_package;
  std::optional<process::TemporaryFolder> m_folder; ///< of the private copy
};

/// FILE-CHANGED when others wrote to the file of the package since it was opened, even if the package still has the
/// bytes that were opened: the user agreed to what the file was, and is asked again.
Result<Done> checkDisk(const library::Package& package);

/// Hashes the file that a runner will load, right before it is started. RUN-CONSENT, RUN-CHANGED, FILE-…; Cancelled.
Result<Done> checkCopy(const std::filesystem::path& copy, const Agreed& agreed, Monitor& monitor);

} // namespace blobscope::run
