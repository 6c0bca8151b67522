#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"

#include <functional>
#include <string_view>

namespace blobscope::host {

/// Where texts are looked for, likeliest first.
enum class TextPlaces {
  ReadOnly, ///< data that the loader maps and that code cannot write
  Writable, ///< other data of the program
  All       ///< the whole file
};

/// Calls `visit` for each run of printable bytes (with tab and line feed) of at least `least` bytes in those places, in
/// file order; of C source for the content of each string in quotes, with its escapes as they are. `ended`: whether a
/// NUL or the end of the data follows. Longer runs than kTextRun are left out. Cancelled. Source:
/// core/formats/host-abi.md 2.1.
Result<Done> forEachText(const container::Image& image, TextPlaces places, std::size_t least,
                         const std::function<void(std::string_view text, bool ended)>& visit, Monitor& monitor);

/// Signatures of 4,096 parameters take about this; source code of kernels makes longer runs and is no signature.
constexpr std::size_t kTextRun = 262'144;

} // namespace blobscope::host
