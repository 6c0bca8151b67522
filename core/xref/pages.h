#pragma once

#include "core/library/package.h"
#include "core/view/details.h"
#include "core/view/page.h"

namespace blobscope::xref {

/// What can be shown of a node: library::pagesOf(), and made when they are looked at: "Functions" of a file with host
/// functions or modules, "Signature" of a host function, "Calls" of host functions, kernels, functions of virtual
/// machines and graphs. The errors of library::pagesOf().
Result<view::PageList> pagesOf(const library::PackagePtr& package, const Ref& ref, Monitor& monitor);

/// What the Details panel says of a node: library::computeDetails(), and of functions and kernels the signature, who
/// calls them and what they call, with links. The errors of library::computeDetails().
Result<view::Details> computeDetails(const library::PackagePtr& package, const Ref& ref, Monitor& monitor);

} // namespace blobscope::xref
