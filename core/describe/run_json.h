#pragma once

#include "core/base/json.h"
#include "core/run/device_checks.h"
#include "core/run/devices.h"
#include "core/run/metadata.h"
#include "core/run/report.h"

namespace blobscope::describe {

/// Writes `"device": …, "functions": […], "log": […]` of an open object, as cli.md specifies for `run`.
void writeReport(json::Writer& writer, const run::RunReport& report);
/// Writes the same members for functions whose metadata was read, with `"metadata"` (its JSON) and `"doc"`.
void writeMetadata(json::Writer& writer, const std::vector<run::FunctionMetadata>& functions);
/// Writes `"devices": […], "missing": […]`.
void writeDevices(json::Writer& writer, const run::DeviceList& list);
/// Writes `"checks": […]`.
void writeChecks(json::Writer& writer, const std::vector<run::DeviceCheck>& checks);

} // namespace blobscope::describe
