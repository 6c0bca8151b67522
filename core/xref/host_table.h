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

/// The page "Functions" of a file: the functions `rows` of `functions`, with what the file says of each. Columns that
/// would be empty in all rows are left out. `package`: the outermost one; `read`: signatures that take the place of
/// those that the file's bytes tell. Cancelled.
Result<view::Page> hostFunctionsPage(const library::PackagePtr& package,
                                     const std::shared_ptr<const Functions>& functions, std::vector<uint32_t> rows,
                                     const library::ReadSignatures& read, Monitor& monitor);

} // namespace blobscope::xref
