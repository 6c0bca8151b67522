#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <filesystem>
#include <functional>
#include <optional>

namespace blobscope::library {

/// Whether to open a member of an archive, by its normalised path in the archive that it lies in.
using MemberFilter = std::function<bool(const std::string& path)>;

struct OpenOptions {
  /// Members that it leaves out are listed, and nothing is said of what is in them. All are opened without one.
  MemberFilter wanted;
  /// Limit of memory in bytes, instead of what Budget::memoryFor() gives the file.
  std::optional<uint64_t> memoryBytes;
  /// A budget that has been used before, for a file that is read in other ways as well.
  BudgetPtr budget;
};

/// Opens the library at `path`: container, carriers, blobs, host symbols. Nothing of the file is executed. A folder is
/// opened as the archive that was unpacked into it, FILE-NOT-REGULAR when it is none. What is damaged is told in
/// Package::diagnostics; an error means that nothing can be shown: the errors of ByteSource::openFile and
/// container::readImage, and Cancelled. What it costs is bounded by one budget (Package::budget): where that ends,
/// FILE-LIMIT is among the diagnostics.
Result<PackagePtr> open(const std::filesystem::path& path, Monitor& monitor, const OpenOptions& options = {});

/// The same, but a file of at most limits::kPrivateBytes is read into memory first, so that nothing that happens to the
/// file later changes what is shown, written or run. For windows and runs: a verb that ends in milliseconds asks
/// checkUnchanged() at its end instead, which costs less (3 MB of a cached file, touched once per page: 0.26 ms read,
/// 0.10 ms mapped). FILE-CHANGED too.
Result<PackagePtr> openPrivate(const std::filesystem::path& path, Monitor& monitor, const OpenOptions& options = {});

/// FILE-CHANGED when the package's bytes may no longer be those that were opened. Touches the file system.
Result<Done> checkUnchanged(const Package& package);

/// Opens bytes that are at hand, as open() does. `name` is shown as their path.
Result<PackagePtr> open(const std::shared_ptr<const ByteSource>& source, std::string name, Monitor& monitor,
                        const OpenOptions& options = {});

} // namespace blobscope::library
