#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <cstdint>
#include <filesystem>

namespace blobscope::write {

struct ExportResult {
  uint64_t files = 0;
  uint64_t bytes = 0; ///< of all of them, the manifest included
};

/// Writes all that the blobs of a file hold as a folder: per module its payload and what stands in it (code of kernels,
/// images, tensors as .npy, texts), and `manifest.json`, from which nothing is missing: with the payloads it gives
/// every blob back byte for byte. The folder appears whole or not at all. FILE-WRITE when `folder` exists and is not
/// empty; EXPORT-NOTHING when the file holds no blob; Cancelled; FILE-CHANGED; FILE-LIMIT when what is unpacked would
/// take more than the budget of the package allows.
Result<ExportResult> exportFolder(const library::PackagePtr& package, const std::filesystem::path& folder,
                                  Monitor& monitor);

} // namespace blobscope::write
