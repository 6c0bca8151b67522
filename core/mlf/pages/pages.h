#pragma once

#include "core/library/overview.h"
#include "core/library/package.h"
#include "core/mlf/archive.h"
#include "core/view/page.h"

namespace blobscope::mlf {

/// The pages of an archive, for describe::pagesOf(): what its metadata, graphs and code say together, then those pages
/// of `container` that it does not replace. `overview`: with addArchive().
view::PageList archivePages(const Archive& archive, const library::Package& package, const library::Overview& overview,
                            view::PageList container);

/// Each operator function: which graph nodes call it, where it is defined, what workspace it needs.
view::Page operatorsPage(const Archive& archive, const library::Package& package);
/// Inputs, outputs and parameters: type, shape, bytes, and which of them the parameter file holds.
view::Page tensorsPage(const Archive& archive, const library::Package& package);

} // namespace blobscope::mlf
