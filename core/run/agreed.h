#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/process/process.h"
#include "core/run/options.h"

#include <filesystem>
#include <optional>

/// The checks between the user's consent and the start of a runner: only the agreed content runs.
namespace blobscope::run {

/// A library whose content the user agreed to run. Everything that a run needs from it is read from bytes that no other
/// program writes to: those in memory, or those of a private copy if the file is mapped.
class AgreedLibrary {
public:
  /// Errors: RUN-CONSENT if nothing was agreed to; FILE-CHANGED if another program wrote to the file since it was
  /// opened; RUN-CHANGED if the bytes are not the agreed ones; FILE-WRITE for the private copy; Cancelled.
  static Result<AgreedLibrary> take(const library::PackagePtr& opened, const Agreed& agreed, Monitor& monitor);

  /// Returns the library for which runs are planned.
  const library::PackagePtr& package() const { return m_package; }
  /// Returns FILE-CHANGED if another program wrote to the opened file. Accesses the file system.
  Result<Done> checkDisk() const;

private:
  library::PackagePtr m_opened, m_package;
  std::optional<process::TemporaryFolder> m_folder; ///< contains the private copy
};

/// RUN-CONSENT for files whose code is not to be executed yet: `paths` as in a message, without the outer quotes. It
/// contains consentWarning().
Error consentError(const std::string& paths);

/// Returns FILE-CHANGED if another program wrote to the package's file since it was opened, even if the package still
/// has the opened bytes: the user agreed to the earlier content and is asked again.
Result<Done> checkDisk(const library::Package& package);

/// Hashes the file that a runner will load, immediately before the start. Errors: RUN-CONSENT, RUN-CHANGED, FILE-…,
/// Cancelled.
Result<Done> checkCopy(const std::filesystem::path& copy, const Agreed& agreed, Monitor& monitor);

} // namespace blobscope::run
