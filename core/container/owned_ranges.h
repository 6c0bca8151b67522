#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::container {

/// Bytes of a file that its headers name.
struct OwnedRange {
  enum class By : uint8_t {
    Section,
    Table,  ///< headers, symbols, relocations and other tables of the format
    Segment ///< without a section; of files without sections, all of them
  };
  Extent extent;    ///< may go beyond the file when it is damaged; not empty
  std::string name; ///< as stored, any bytes; for a table a few words: "the file header"
  By by = By::Section;
};

/// Whether the bytes only fill a gap: zeros, or the instructions that linkers put between functions.
bool isFilling(std::string_view bytes);

/// Everything that the headers of the container name, in ascending order; ranges may overlap. Error: only Cancelled.
Result<std::vector<OwnedRange>> ownedRangesOf(const Image& image, Monitor& monitor);

} // namespace blobscope::container
