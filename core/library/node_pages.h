#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/view/page.h"

namespace blobscope::library {

/// The pages that the bytes of a node have, for describe::pagesOf(), which adds what functions and archives say. The
/// list is never empty. REF-NOT-FOUND, or the reason why the bytes cannot be read; Cancelled.
Result<view::PageList> nodePages(const PackagePtr& package, const Ref& ref, Monitor& monitor);
Result<view::PageList> nodePages(const PackagePtr& package, const Ref& ref);

/// Which symbols a page lists: all, or those of TVM's host code (functions, slots, carriers, the runtime).
enum class Symbols { All, OfHostCode };
/// The page "Symbols" of a file or member.
view::Page symbolsPage(const PackagePtr& package, Symbols which);

} // namespace blobscope::library
