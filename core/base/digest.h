#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <string>

namespace blobscope {

/// SHA-256 in lower-case hex, for people and scripts. Error: only Cancelled.
Result<std::string> computeSha256(const Bytes& bytes, Monitor& monitor);

} // namespace blobscope
