#pragma once

#include "core/preflight/folder.h"

#include <functional>
#include <string_view>

/// The results for many files, for other programs.
namespace blobscope::preflight {

using TextSink = std::function<void(std::string_view)>;

/// One line per file and target, after a line with titles: file, size, era, target, device, verdict, step, rule,
/// message. UTF-8, CRLF, quoted as in RFC 4180; a value that a spreadsheet would take for a formula gets an apostrophe.
void writeCsv(const FilesReport& report, const TextSink& sink);
/// SARIF 2.1.0: one run, a result for each thing that is missing, with the target in its message. `version`: of this
/// program.
void writeSarif(const FilesReport& report, std::string_view version, const TextSink& sink);

} // namespace blobscope::preflight
