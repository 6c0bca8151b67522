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

/// Returns the status for a sentence or table: "ok", "not run", "timed out" …
std::string_view statusText(run::Status status);
/// Returns the same for one function: "not compared" for one that ran although its reference did not.
std::string_view statusText(const run::FunctionResult& result);
/// Returns the result of a function for a table: "equal", "within tolerance" or "nothing to compare" for an accepted
/// comparison, otherwise statusText().
std::string resultText(const run::FunctionResult& result);
/// Returns one argument of a launch: "p_output0+0x40", "int32 7".
std::string argumentText(const protocol::LaunchArgument& argument);
/// Returns "96 × 1 × 1".
std::string extentText(const std::array<uint64_t, 3>& extents);

/// Returns the counts of a report: "2 of 3 functions ok", "1 crashed".
std::vector<std::string> summaryOf(const run::RunReport& report);
/// Returns what one function launched, and why it did not run to its end: "3 launches", "2 of them shown", "RUN-CRASH:
/// …".
std::vector<std::string> summaryOf(const run::FunctionResult& result);

/// Writes the whole report as lines of text.
void writeText(const run::RunReport& report, const TextOutput& out);

/// Writes a line per function with its signature, followed by its documentation.
void writeMetadataText(const std::vector<run::FunctionMetadata>& functions, const TextOutput& out);

/// Describes a run, one of its functions and one launch of that function as groups of rows. `report`: null if the run
/// could not be done. `options`: those of the run. `result`, `launch`: null if none is selected; without a launch the
/// groups describe the function with its outputs and its comparison.
view::Details detailsOf(const run::RunReport* report, const run::RunOptions& options, const run::FunctionResult* result,
                        const protocol::LaunchEvent* launch);

/// Describes a node of a whole model, its outputs, and their comparison with those of the node of the other build.
/// `node`: its number in FunctionResult::nodes. `code`: the code that it runs, for the link.
view::Details nodeDetails(const run::FunctionResult& result, std::size_t node, const std::optional<Ref>& code);
/// Returns the names of the kernels that a node launched, each once, in the order of their first launches. Launches
/// that were not recorded have none.
std::vector<std::string> kernelsOf(const run::FunctionResult& result, const run::NodeResult& node);
/// Returns the median of the times of a node in microseconds; nothing if it was not measured.
std::optional<double> medianOf(const run::NodeResult& node);
/// Returns 10^9 operations per second; nothing if the operator is not known or was not measured.
std::optional<double> gigaflopsOf(const run::NodeResult& node);
/// Returns which values differ, where that is simple: "all elements", "rows 62 and 63 only", "only NaN"; else an empty
/// text. `shape`: of the tensors.
std::string patternOf(const protocol::OutputComparison& comparison, const std::vector<int64_t>& shape);

} // namespace blobscope::describe
