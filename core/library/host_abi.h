#pragma once

#include "core/library/package.h"

#include <string>
#include <string_view>

namespace blobscope::library {

/// Why it is not known whether the file has host functions: "because the file is damaged". Empty when the symbols show
/// it. Members of an archive are not considered.
std::string_view whyHostUnknown(const Package& package);

/// "ffi4 (as written by TVM v0.26 and later)", or why there is no host ABI, or why it is not known.
std::string hostAbiText(const Package& package);

} // namespace blobscope::library
