#pragma once

#include "core/base/json.h"
#include "core/describe/text_output.h"
#include "core/sizes/compare.h"

#include <functional>
#include <optional>
#include <string_view>

namespace blobscope::describe {

/// Writes the sizes that differ as lines of text with a bar each: "+" where the new file is larger, "-" where it is
/// smaller. At most 60 lines; the last one says how many are left out.
void writeText(const sizes::SizeComparison& sizes, const TextOutput& out, std::string_view title = "sizes");
/// Writes the member `name` of an open object.
void writeSizes(const sizes::SizeComparison& sizes, json::Writer& writer, std::string_view name = "sizes");
/// Writes a heading and a table with signed bars for a report in HTML, at most 200 rows; nothing without changes.
void writeHtml(const sizes::SizeComparison& sizes, const std::function<void(std::string_view)>& sink,
               std::string_view title = "Sizes");

/// The memory that two Model Library Format archives need; nothing when a file is none. Error: only Cancelled.
Result<std::optional<sizes::SizeComparison>> memoryChanges(const library::PackagePtr& a, const library::PackagePtr& b,
                                                           Monitor& monitor);

} // namespace blobscope::describe
