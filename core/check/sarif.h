#pragma once

#include "core/check/report.h"

#include <functional>
#include <string_view>

namespace blobscope::check {

/// Writes the report as SARIF 2.1.0: one run, the rules that fired with their texts, members of an archive as artifacts
/// inside it. `path` is the file as the user named it, `version` that of this program. `sink` receives the text in
/// pieces. Source: OASIS Static Analysis Results Interchange Format 2.1.0.
void writeSarif(const Report& report, std::string_view path, std::string_view version,
                const std::function<void(std::string_view)>& sink);

} // namespace blobscope::check
