#pragma once

#include "core/mlf/archive.h"

#include <string>

namespace blobscope::mlf {

/// Which TVM exported an archive, and what in it says so.
struct Exporter {
  std::string release; ///< "0.14.dev0", "0.12 to 0.18"; empty when nothing tells
  std::string sign;    ///< "version 7, templates/": what it was told by
};
/// Source: core/formats/model-library-format.md 3.
Exporter exporterOf(const Archive& archive);

} // namespace blobscope::mlf
