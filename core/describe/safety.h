#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/describe/text_output.h"
#include "core/library/package.h"
#include "core/safety/report.h"
#include "core/view/page.h"

#include <cstdint>
#include <string>
#include <string_view>

/// What happens when a file is loaded, in words: text, pages, reports.
namespace blobscope::describe {

/// "known: frame_dummy of GCC's crtbegin.o", "not known; reaches popen, fwrite".
std::string pieceText(const safety::Piece& piece);
/// "0x184c0 → 0x18610 → popen": the way from a piece of code to an import.
std::string pathText(const safety::Reached& reached);

/// Whether the file has code or modules to report about.
bool hasSafety(const library::Package& package);
/// The page "Safety" of an opened file, made when it is first shown.
view::Page safetyPage(const library::PackagePtr& package);

/// Prints the report for people. `leftOut`: findings that are not shown.
void printSafety(const TextOutput& out, const safety::Report& report, uint64_t leftOut);

/// The report as one self-contained HTML page. Text from files is escaped and never becomes a script.
std::string safetyHtml(const library::Package& package, const safety::Report& report);

/// What the file consists of, as CycloneDX 1.5 in JSON: the file, its blobs and modules with their digests, the
/// toolkits of their code, and the libraries that it needs. Without a time, so that it is reproducible. Source:
/// CycloneDX 1.5, JSON schema. Error: only Cancelled.
Result<std::string> cycloneDx(const library::PackagePtr& package, const safety::Report& report,
                              std::string_view version, Monitor& monitor);

} // namespace blobscope::describe
