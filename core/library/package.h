#pragma once

#include "core/base/source.h"
#include "core/container/image.h"
#include "core/host/host.h"
#include "core/library/blob.h"

#include <memory>
#include <string>
#include <vector>

namespace blobscope::library {

/// An opened file: an immutable snapshot. Any number of threads may read it.
struct Package {
  std::string path; ///< as given
  Bytes bytes;      ///< the whole file
  container::Image image;
  std::vector<std::shared_ptr<const Blob>> blobs; ///< in symbol table order
  host::HostSymbols host;
  std::vector<Diagnostic> diagnostics; ///< of container, carriers and blobs, in that order

  /// Worst severity among the diagnostics, nothing when there are none.
  std::optional<Severity> worst() const;
};
using PackagePtr = std::shared_ptr<const Package>;

} // namespace blobscope::library
