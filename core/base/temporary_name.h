#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace blobscope {

/// The name of a file while it is written, before it gets its final name: ".blobscope-PROCESS-STARTED-RANDOM-CHECK".
/// The check is computed from the other three, so that no file from another program has such a name by accident.
struct TemporaryName {
  uint64_t process = 0; ///< ID of the writing process
  /// when it started, which distinguishes it from a later process with the same ID; 0: unknown
  uint64_t started = 0;
  uint64_t random = 0;

  /// A name for a file of this process.
  static TemporaryName make();
  /// Nothing for a name that text() does not return.
  static std::optional<TemporaryName> parse(std::string_view name);
  std::string text() const;

  /// Whether the process may still be writing: it runs and is not a later process with the same ID.
  bool isInUse() const;
};

} // namespace blobscope
