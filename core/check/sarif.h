#pragma once

#include "core/check/report.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::check {

/// A file and its findings.
struct FileIssues {
  std::string path; ///< as the user named it
  std::vector<Issue> issues;
  std::string error = {}; ///< why it could not be read; else empty
};

/// Writes the report as SARIF 2.1.0: one run, the rules that fired with their texts, members of an archive as artifacts
/// inside it, and a notification for each file that could not be read. `version`: of this program. `sink` receives the
/// text in pieces. Source: OASIS Static Analysis Results Interchange Format 2.1.0.
void writeSarif(std::span<const FileIssues> files, std::string_view version,
                const std::function<void(std::string_view)>& sink);
/// The same for a single file.
void writeSarif(const Report& report, std::string_view path, std::string_view version,
                const std::function<void(std::string_view)>& sink);

} // namespace blobscope::check
