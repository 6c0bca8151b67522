#pragma once

#include "core/base/monitor.h"
#include "core/library/package.h"
#include "core/view/page.h"
#include "core/xref/functions.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace blobscope::xref {

/// The page "Functions" of a file: the functions `rows` of `functions`, with what the file says of each. Columns that
/// would be empty in all rows are left out. `package`: the outermost one. Cancelled.
Result<view::Page> hostFunctionsPage(const library::PackagePtr& package,
                                     const std::shared_ptr<const Functions>& functions, std::vector<uint32_t> rows,
                                     Monitor& monitor);

} // namespace blobscope::xref
