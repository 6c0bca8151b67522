#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <string>
#include <unordered_map>

namespace blobscope::library {

/// The functions of a file and its members by the names that code uses for them: functions of virtual machines, host
/// functions (by the name that a runtime looks up and by their symbol), kernels. When names are equal, the first one in
/// that order counts. Error: only Cancelled.
using FunctionRefs = std::unordered_map<std::string, Ref>;
Result<FunctionRefs> functionRefs(const PackagePtr& package, Monitor& monitor);

} // namespace blobscope::library
