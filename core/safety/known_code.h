#pragma once

#include <string_view>

namespace blobscope::safety {

/// A function of a compiler's run-time, by the digest of its code (FunctionCode::digest).
struct KnownCode {
  std::string_view digest, name, origin;
};

/// Null for code that is not in the table.
const KnownCode* findKnownCode(std::string_view digest);

} // namespace blobscope::safety
