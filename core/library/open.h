#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <filesystem>
#include <functional>

namespace blobscope::library {

/// Whether to open a member of an archive, by its normalised path in the archive that it lies in.
using MemberFilter = std::function<bool(const std::string& path)>;

/// Opens the library at `path`: container, carriers, blobs, host symbols. Nothing of the file is executed. A folder is opened
/// as the archive that was unpacked into it, FILE-NOT-REGULAR when it is none.
/// What is damaged is told in Package::diagnostics; an error means that nothing can be shown: the errors of
/// ByteSource::openFile and container::readImage, and Cancelled.
/// Members that `wanted` leaves out are listed, and nothing is said of what is in them.
Result<PackagePtr> open(const std::filesystem::path& path, Monitor& monitor, const MemberFilter& wanted = {});

/// The same, but a file of at most limits::kPrivateBytes is read into memory first, so that nothing that happens to the file
/// later changes what is shown, written or run. For windows and runs: a verb that ends in milliseconds asks checkUnchanged()
/// at its end instead, which costs less (3 MB of a cached file, touched once per page: 0.26 ms read, 0.10 ms mapped).
/// FILE-CHANGED too.
Result<PackagePtr> openPrivate(const std::filesystem::path& path, Monitor& monitor);

/// FILE-CHANGED when the package's bytes may no longer be those that were opened. Touches the file system.
Result<Done> checkUnchanged(const Package& package);

/// Opens bytes that are at hand, as open() does. `name` is shown as their path.
Result<PackagePtr> open(std::shared_ptr<const ByteSource> source, std::string name, Monitor& monitor, const MemberFilter& wanted = {});

} // namespace blobscope::library
