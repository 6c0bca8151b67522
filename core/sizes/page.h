#pragma once

#include "core/library/package.h"
#include "core/sizes/node.h"
#include "core/view/page.h"
#include "core/view/treemap_page.h"

#include <filesystem>
#include <string>

namespace blobscope::sizes {

/// Returns a tree as a page. At most limits::kTreeRows items; what is below further ones is left out. `notes`:
/// sentences about all of it.
view::TreemapPage pageOf(const Node& root, std::vector<std::string> notes);

/// Returns the page of a file, member, blob or module. Errors: REF-NOT-FOUND, Cancelled.
Result<view::TreemapPage> sizesOf(const library::PackagePtr& package, const Ref& ref, Monitor& monitor);

/// Returns what takes how many bytes in all files in and below a folder. Items refer to nodes of the file around them.
/// Files are opened one after the other; compressed archives have no parts. Errors: FILE-NOT-READABLE, FILE-LIMIT for
/// more than library::kFolderFiles files, Cancelled.
Result<view::TreemapPage> folderSizes(const std::filesystem::path& folder, Monitor& monitor);

/// Adds the page "Size" to those of a file, member, blob or module that has bytes: what takes how many of them. It is
/// made when it is shown.
Result<Done> addPage(const library::PackagePtr& package, const Ref& ref, view::PageList& pages);

} // namespace blobscope::sizes
