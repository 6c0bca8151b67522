#pragma once

#include "core/base/json.h"
#include "core/run/devices.h"
#include "core/run/report.h"

namespace blobscope::run {

/// `"device": …, "functions": […], "log": […]` of an open object: what cli.md says of `run`.
void writeReport(json::Writer& writer, const RunReport& report);
/// `"devices": […], "missing": […]`.
void writeDevices(json::Writer& writer, const DeviceList& list);

/// "p_output0+0x40", "int32 7": one argument of a launch.
std::string argumentText(const protocol::LaunchArgument& argument);
/// "96 × 1 × 1".
std::string extentText(const std::array<uint64_t, 3>& extents);
/// "4,1,1", those left out at the end are 1; nothing for anything but one to three numbers.
std::optional<std::array<uint64_t, 3>> parseExtents(std::string_view text);

} // namespace blobscope::run
