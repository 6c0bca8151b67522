#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/view/page.h"

namespace blobscope::library {

/// Returns the pages for the bytes of a node. For describe::pagesOf(), which adds the pages of functions and archives.
/// The list is never empty. Errors: REF-NOT-FOUND, the reason why the bytes cannot be read, Cancelled.
Result<view::PageList> nodePages(const PackagePtr& package, const Ref& ref, Monitor& monitor);
Result<view::PageList> nodePages(const PackagePtr& package, const Ref& ref);

/// The symbols that a page lists: all, or those of TVM's host code (functions, slots, carriers, the runtime).
enum class Symbols { All, OfHostCode };
/// Returns the page "Symbols" of a file or member.
view::Page symbolsPage(const PackagePtr& package, Symbols which);

} // namespace blobscope::library
