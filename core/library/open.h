#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <filesystem>

namespace blobscope::library {

/// Opens the library at `path`: container, carriers, blobs, host symbols. Nothing of the file is executed. A folder is opened
/// as the archive that was unpacked into it, FILE-NOT-REGULAR when it is none.
/// What is damaged is told in Package::diagnostics; an error means that nothing can be shown: the errors of
/// ByteSource::openFile and container::readImage, and Cancelled.
Result<PackagePtr> open(const std::filesystem::path& path, Monitor& monitor);

/// The same for bytes that are at hand. `name` is shown as their path.
Result<PackagePtr> open(std::shared_ptr<const ByteSource> source, std::string name, Monitor& monitor);

} // namespace blobscope::library
