#pragma once

#include "core/library/package.h"
#include "core/mlf/archive.h"
#include "core/view/page.h"

namespace blobscope::mlf {

/// What can be shown of a node: xref::pagesOf(), for an archive with what its metadata, graphs and code say together.
/// The errors of library::pagesOf().
Result<view::PageList> pagesOf(const library::PackagePtr& package, const Ref& ref, Monitor& monitor);

/// Each operator function: which graph nodes call it, where it is defined, what workspace it needs.
view::Page operatorsPage(const Archive& archive, const library::Package& package);
/// Inputs, outputs and parameters: type, shape, bytes, and which of them the parameter file holds.
view::Page tensorsPage(const Archive& archive, const library::Package& package);

} // namespace blobscope::mlf
