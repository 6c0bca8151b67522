#pragma once

#include "core/base/json.h"
#include "core/safety/report.h"

namespace blobscope::describe {

/// Writes the members of the document of `blobscope-cli safety` after "schema", as resources/schemas/safety.json
/// states.
void writeSafety(json::Writer& writer, const safety::Report& report);

/// The whole document, as `blobscope-cli safety --json` prints it.
std::string safetyJson(const safety::Report& report);

} // namespace blobscope::describe
