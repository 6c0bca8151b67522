#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <cstdint>
#include <filesystem>

namespace blobscope::write {

struct ExportResult {
  uint64_t files = 0;
  uint64_t bytes = 0; ///< total size, including the manifest
};

/// Writes the content of all blobs of a file as a folder: the payload of each module, the parts in it (code of kernels,
/// images, tensors as .npy, texts), and `manifest.json`, which is complete: together with the payloads it reproduces
/// every blob byte for byte. The folder appears complete or not at all. Errors: FILE-WRITE when `folder` exists and is
/// not empty, EXPORT-NOTHING when the file contains no blob, FILE-LIMIT when unpacked data would exceed the budget of
/// the package, FILE-CHANGED, Cancelled.
Result<ExportResult> exportFolder(const library::PackagePtr& package, const std::filesystem::path& folder,
                                  Monitor& monitor);

} // namespace blobscope::write
