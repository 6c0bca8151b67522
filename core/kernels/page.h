#pragma once

#include "core/library/package.h"
#include "core/view/page.h"

namespace blobscope::kernels {

/// Adds the page "Kernels" to those of a file, blob or module with kernels: all of them in one table, with the
/// occupancy on a GPU that can be chosen, and plots. It is made when it is shown, for the GPU of the first image.
void addPage(const library::PackagePtr& package, const Ref& ref, view::PageList& pages);

} // namespace blobscope::kernels
