#pragma once

#include "core/view/details.h"

#include <string>
#include <vector>

/// Words and rows that several texts about runs share.
namespace blobscope::describe {

/// Formats a number as printf does.
std::string numberText(const char* format, double value);
/// Six significant digits with thousands separators: "1,234.5", "1E-07", "inf".
std::string realText(double value);
/// The words with commas between them.
std::string joined(const std::vector<std::string>& words);
view::DetailRow row(std::string label, std::string value, bool code = false);

} // namespace blobscope::describe
