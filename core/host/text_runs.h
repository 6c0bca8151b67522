#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"

#include <functional>
#include <string_view>

namespace blobscope::host {

/// Where texts are searched, most likely place first.
enum class TextPlaces {
  ReadOnly, ///< data that the loader maps and that code cannot write
  Writable, ///< other data of the program
  All       ///< the whole file
};

/// Calls `visit` for each run of printable bytes (with tab and line feed) of at least `least` bytes in those places, in
/// file order; in C source for the content of each string in quotes, with its escapes unchanged. `ended`: whether a NUL
/// or the end of the data follows. Runs longer than kTextRun are skipped. Cancelled. Source: core/formats/host-abi.md
/// 2.1.
Result<Done> forEachText(const container::Image& image, TextPlaces places, std::size_t least,
                         const std::function<void(std::string_view text, bool ended)>& visit, Monitor& monitor);

/// Signatures of 4,096 parameters have about this length; longer runs are source code of kernels, not signatures.
constexpr std::size_t kTextRun = 262'144;

} // namespace blobscope::host
