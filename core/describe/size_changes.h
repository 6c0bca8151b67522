#pragma once

#include "core/base/json.h"
#include "core/describe/text_output.h"
#include "core/sizes/compare.h"

#include <functional>
#include <string_view>

namespace blobscope::describe {

/// Writes the sizes that differ as lines of text with a bar each: "+" where the new file is larger, "-" where it is
/// smaller. At most 60 lines; the last one says how many are left out.
void writeText(const sizes::SizeComparison& sizes, const TextOutput& out);
/// Writes the member "sizes" of an open object.
void writeSizes(const sizes::SizeComparison& sizes, json::Writer& writer);
/// Writes a heading and a table with signed bars for a report in HTML, at most 200 rows; nothing without changes.
void writeHtml(const sizes::SizeComparison& sizes, const std::function<void(std::string_view)>& sink);

} // namespace blobscope::describe
