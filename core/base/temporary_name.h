#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace blobscope {

/// Name of a file that is being written and has not got its own name yet: ".blobscope-PROCESS-STARTED-RANDOM-CHECK".
/// The check is computed from the other three, so that no file that something else made has such a name by accident.
struct TemporaryName {
  uint64_t process = 0; ///< number of the process that writes
  uint64_t started = 0; ///< when it started, so that another process of that number is told from it; 0: not known
  uint64_t random = 0;

  /// A name for a file of this process.
  static TemporaryName make();
  /// Nothing for a name that text() does not give.
  static std::optional<TemporaryName> parse(std::string_view name);
  std::string text() const;

  /// Whether the process may still be writing: it runs and is not another one of the same number.
  bool isInUse() const;
};

} // namespace blobscope
