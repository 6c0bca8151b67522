#pragma once

#include "core/base/monitor.h"
#include "core/library/native.h"
#include "core/library/package.h"
#include "core/view/page.h"
#include "core/xref/functions.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace blobscope::xref {

/// Returns the page "Functions" of a file: the functions `rows` of `functions`, with what the file says about each.
/// Omits columns that are empty in all rows. `package`: the outermost one; `read`: signatures that replace those from
/// the file's bytes. Error: only Cancelled.
Result<view::Page> hostFunctionsPage(const library::PackagePtr& package,
                                     const std::shared_ptr<const Functions>& functions, std::vector<uint32_t> rows,
                                     const library::ReadSignatures& read, Monitor& monitor);

} // namespace blobscope::xref
