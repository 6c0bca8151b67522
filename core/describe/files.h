#pragma once

#include "core/preflight/folder.h"
#include "core/view/details.h"

#include <cstddef>

/// The results for many files, in words.
namespace blobscope::describe {

/// The details of one file and one target: the state, what is missing, what the runtime prints, what to do.
/// `target`: its number in `outcomes`; for a file without outcomes only the file is described.
view::Details cellDetails(const preflight::FileOutcomes& file, std::size_t target);

} // namespace blobscope::describe
