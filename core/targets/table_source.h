#pragma once

#include "core/base/result.h"
#include "core/targets/table_value.h"

#include <string>

namespace blobscope::targets {

/// Where the numbers of a row come from, as one line: "zephyrproject-rtos/zephyr, dts/arm/x.dtsi, abc123def456; 96 and
/// 32 KiB". The row has "sources": files of public repositories at a commit, files of packages, or pages, each with a
/// version; and maybe a "note". Error: PRE-FACTS if one has another form.
Result<std::string> sourceLine(const TableValue& row);

} // namespace blobscope::targets
