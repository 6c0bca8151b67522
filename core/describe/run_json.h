#pragma once

#include "core/base/json.h"
#include "core/run/devices.h"
#include "core/run/report.h"

namespace blobscope::describe {

/// `"device": …, "functions": […], "log": […]` of an open object: what cli.md says of `run`.
void writeReport(json::Writer& writer, const run::RunReport& report);
/// `"devices": […], "missing": […]`.
void writeDevices(json::Writer& writer, const run::DeviceList& list);

} // namespace blobscope::describe
