#pragma once

#include "core/library/native.h"
#include "core/library/package.h"
#include "core/view/details.h"
#include "core/view/page.h"

namespace blobscope::xref {

/// Adds the pages about functions to the pages of a node, for describe::pagesOf(): "Functions" of a file with host
/// functions or modules, "Signature" of a host function, "Calls" of host functions, kernels, functions of virtual
/// machines and graphs. All are created when they are shown. `read`: signatures for "Functions" of a file. Error:
/// REF-NOT-FOUND.
Result<Done> addPages(const library::PackagePtr& package, const Ref& ref, view::PageList& pages,
                      const library::ReadSignatures& read = {});
/// Adds signature, callers and callees of functions and kernels with links, for describe::detailsOf(). Errors:
/// REF-NOT-FOUND, Cancelled.
Result<Done> addDetails(const library::PackagePtr& package, const Ref& ref, view::Details& details, Monitor& monitor);

} // namespace blobscope::xref
