#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/view/page.h"

#include <cstdint>

namespace blobscope::diff {

/// Larger texts are not marked, because a mark takes more memory than the text that it marks.
constexpr uint64_t kMarkedBytes = uint64_t{16} << 20;
/// Whether markCode() marks the text: PTX and SASS of at most kMarkedBytes.
bool isDeviceCode(const view::TextPage& page);

/// Returns the page with marks for everything in its PTX or SASS (as nvdisasm prints it) that a compiler numbers, so
/// that compareListings() compares what the instructions do: registers, labels, the sizes of register lists, addresses
/// of instructions and hints about the reuse of registers. In SASS, where a register holds many values one after
/// another, each value has a number of its own: code that only uses other registers has the same values. Other texts
/// are returned unchanged. Time is linear. Error: only Cancelled.
Result<view::TextPage> markCode(view::TextPage page, Monitor& monitor);

} // namespace blobscope::diff
