#pragma once

#include <string>
#include <vector>

namespace blobscope {

/// Returns the values as one line of a CSV file as RFC 4180 defines it, with its end. Bytes that are not UTF-8 are
/// escaped. A value that a spreadsheet would evaluate as a formula, which a name can be, gets an apostrophe before it.
std::string csvLine(const std::vector<std::string>& values);

} // namespace blobscope
