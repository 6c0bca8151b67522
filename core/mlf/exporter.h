#pragma once

#include "core/mlf/archive.h"

#include <string>

namespace blobscope::mlf {

/// The TVM release that exported an archive, and the evidence for it.
struct Exporter {
  std::string release; ///< "0.14.dev0", "0.12 to 0.18"; empty if unknown
  std::string sign;    ///< "version 7, templates/": what it was determined from
};
/// Source: core/formats/model-library-format.md 3.
Exporter exporterOf(const Archive& archive);

} // namespace blobscope::mlf
