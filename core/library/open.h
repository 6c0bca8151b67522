#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <filesystem>
#include <functional>
#include <optional>

namespace blobscope::library {

/// Returns whether to open a member of an archive. `path`: its normalised path in the archive that contains it.
using MemberFilter = std::function<bool(const std::string& path)>;

struct OpenOptions {
  /// Members that it rejects are listed, but their content is not read. Without a filter, all members are opened.
  MemberFilter wanted;
  /// The memory limit in bytes; replaces the value that Budget::memoryFor() returns for the file.
  std::optional<uint64_t> memoryBytes;
  /// A budget that is shared with other work on the same file.
  BudgetPtr budget;
};

/// Opens the library at `path`: container, carriers, blobs, host symbols. Executes no code of the file. Opens a folder
/// as the archive that was unpacked into it; FILE-NOT-REGULAR when it is not one. Package::diagnostics reports damage;
/// an error means that nothing can be shown: the errors of ByteSource::openFile and container::readImage, and
/// Cancelled. One budget bounds the work (Package::budget); when it is used up, FILE-LIMIT is among the diagnostics.
Result<PackagePtr> open(const std::filesystem::path& path, Monitor& monitor, const OpenOptions& options = {});

/// The same, but first reads a file of at most limits::kPrivateBytes into memory, so that later changes of the file do
/// not affect what is shown, written or run. For windows and runs. A verb that ends in milliseconds calls
/// checkUnchanged() at its end instead, which costs less (3 MB of a cached file, touched once per page: 0.26 ms read,
/// 0.10 ms mapped). Additional error: FILE-CHANGED.
Result<PackagePtr> openPrivate(const std::filesystem::path& path, Monitor& monitor, const OpenOptions& options = {});

/// Returns FILE-CHANGED when the package's bytes may differ from those that were opened. Accesses the file system.
Result<Done> checkUnchanged(const Package& package);

/// Opens the bytes of `source`, as open() does for files. `name` is shown as their path.
Result<PackagePtr> open(const std::shared_ptr<const ByteSource>& source, std::string name, Monitor& monitor,
                        const OpenOptions& options = {});

} // namespace blobscope::library
