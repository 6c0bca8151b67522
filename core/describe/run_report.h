#pragma once

#include "core/describe/text_output.h"
#include "core/run/metadata.h"
#include "core/run/options.h"
#include "core/run/report.h"
#include "core/view/details.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Pages, details, overviews and texts of everything that can be shown: nodes of a file, test runs, write plans and
/// comparisons. Verbs print and widgets draw what these functions return.
namespace blobscope::describe {

/// The status in a sentence or table: "ok", "not run", "timed out" …
std::string_view statusText(run::Status status);
/// The same of one function: "not compared" for one that ran while its reference did not.
std::string_view statusText(const run::FunctionResult& result);
/// The result of a function in a table: "equal", "within tolerance" or "nothing to compare" for an accepted
/// comparison, else statusText().
std::string resultText(const run::FunctionResult& result);
/// One argument of a launch: "p_output0+0x40", "int32 7".
std::string argumentText(const protocol::LaunchArgument& argument);
/// "96 × 1 × 1".
std::string extentText(const std::array<uint64_t, 3>& extents);

/// Counts of a report: "2 of 3 functions ok", "1 crashed".
std::vector<std::string> summaryOf(const run::RunReport& report);
/// What one function launched, and why it was not run to its end: "3 launches", "2 of them shown", "RUN-CRASH: …".
std::vector<std::string> summaryOf(const run::FunctionResult& result);

/// The whole report as lines of text.
void writeText(const run::RunReport& report, const TextOutput& out);

/// A line per function with its signature, and its documentation below it.
void writeMetadataText(const std::vector<run::FunctionMetadata>& functions, const TextOutput& out);

/// A run, one of its functions and one launch of that function as groups of rows. `report`: null when the run could
/// not be done. `options`: those of the run. `result`, `launch`: null when none is selected; without a launch the
/// groups describe the function with its outputs and its comparison.
view::Details detailsOf(const run::RunReport* report, const run::RunOptions& options, const run::FunctionResult* result,
                        const protocol::LaunchEvent* launch);

} // namespace blobscope::describe
