#pragma once

#include "core/base/json.h"
#include "core/preflight/folder.h"

namespace blobscope::describe {

/// Writes the member "files" of the document of `blobscope-cli preflight`, as resources/schemas/preflight.json states.
void writeFiles(json::Writer& writer, const preflight::FilesReport& report);

} // namespace blobscope::describe
