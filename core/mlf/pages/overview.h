#pragma once

#include "core/library/overview.h"
#include "core/mlf/archive.h"

namespace blobscope::mlf {

/// Adds facts from an archive's metadata and rules to the overview of its file, for describe::overviewOf().
void addArchive(const library::Package& package, const Archive& archive, library::Overview& overview);

} // namespace blobscope::mlf
