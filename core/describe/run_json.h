#pragma once

#include "core/base/json.h"
#include "core/run/devices.h"
#include "core/run/metadata.h"
#include "core/run/report.h"

namespace blobscope::describe {

/// `"device": …, "functions": […], "log": […]` of an open object: what cli.md says of `run`.
void writeReport(json::Writer& writer, const run::RunReport& report);
/// The same members for functions whose metadata was read, with `"metadata"` (its JSON) and `"doc"` beside them.
void writeMetadata(json::Writer& writer, const std::vector<run::FunctionMetadata>& functions);
/// `"devices": […], "missing": […]`.
void writeDevices(json::Writer& writer, const run::DeviceList& list);

} // namespace blobscope::describe
