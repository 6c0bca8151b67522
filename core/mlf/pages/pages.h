#pragma once

#include "core/library/overview.h"
#include "core/library/package.h"
#include "core/mlf/archive.h"
#include "core/view/page.h"

namespace blobscope::mlf {

/// Returns the pages of an archive, for describe::pagesOf(): those from its metadata, graphs and code, then those pages
/// of `container` that they do not replace. `overview`: with addArchive().
view::PageList archivePages(const ArchivePtr& archive, const library::PackagePtr& package,
                            const library::Overview& overview, view::PageList container);

/// Returns the page of operator functions: which graph nodes call each, where it is defined, the workspace it needs.
view::Page operatorsPage(const Archive& archive, const library::Package& package);
/// Returns the page of inputs, outputs and parameters: type, shape, bytes, and whether the parameter file contains
/// them.
view::Page tensorsPage(const Archive& archive, const library::Package& package);

} // namespace blobscope::mlf
