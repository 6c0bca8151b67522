#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/native.h"
#include "core/library/node_pages.h"
#include "core/library/overview.h"
#include "core/library/package.h"
#include "core/mlf/archive.h"
#include "core/view/details.h"
#include "core/view/page.h"

namespace blobscope::describe {

/// Returns the pages of a node: those of its bytes; "Functions", "Signature" and "Calls" of files, functions and
/// kernels; for a Model Library Format archive also what its metadata, graphs and code say together. The first page is
/// shown first; the list is never empty. The same package and ref give the same pages. Errors: REF-NOT-FOUND, the
/// reason why the node's bytes cannot be read, Cancelled. `read`: signatures that functions of the file returned in a
/// test run.
Result<view::PageList> pagesOf(const library::PackagePtr& package, const Ref& ref, Monitor& monitor,
                               const library::ReadSignatures& read = {});

/// Returns the page "Symbols" of a file or member, with all symbols or those that belong to TVM.
using library::Symbols;
view::Page symbolsPage(const library::PackagePtr& package, Symbols which);

/// Returns the facts of a node for the Details panel: its place in the import tree, its problems, and for functions and
/// kernels their signature, callers and callees with links. Errors: REF-NOT-FOUND, Cancelled.
Result<view::Details> detailsOf(const library::PackagePtr& package, const Ref& ref, Monitor& monitor);

/// Returns the most important facts of a file. `archive`: null for a file that is not a Model Library Format archive.
/// Reads the whole blob to count the bytes that fields own. Error: only Cancelled.
Result<library::Overview> overviewOf(const library::Package& package, const mlf::Archive* archive, Monitor& monitor);

} // namespace blobscope::describe
