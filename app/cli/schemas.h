#pragma once

#include <span>
#include <string_view>

namespace blobscope::cli {

/// A JSON Schema of resources/schemas, built into the program.
struct Schema {
  std::string_view verb;
  std::string_view text; ///< ends with a newline
};

std::span<const Schema> schemas();

} // namespace blobscope::cli
