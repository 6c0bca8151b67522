#pragma once

#include <span>
#include <string_view>

namespace blobscope::targets {

/// A table of resources/facts that is built in, in pieces that are joined: compilers limit the length of a literal.
struct TableFile {
  std::string_view name; ///< "runtimes.json"
  std::span<const std::string_view> pieces;
};
std::span<const TableFile> tableFiles();

} // namespace blobscope::targets
