#pragma once

#include "core/container/image.h"

#include <string>
#include <string_view>
#include <vector>

/// LLVM's reading of objects and libraries, compared with ours. Both are written as lines; where a term has two
/// meanings, the lines contain only what both readers know.
namespace blobscope::test {

/// Empty when the lists are equal, otherwise the first difference.
std::string differenceOf(const std::vector<std::string>& ours, const std::vector<std::string>& theirs);

/// Sections (name, address, size, place in the file) and symbols (name, value, size, defined or not) of an ELF, PE,
/// COFF, Mach-O or wasm file, the slices of a universal one, the names of an import library's member. Empty when
/// `image` and LLVM agree on `file`, otherwise the first difference.
std::string objectDifference(const container::Image& image, std::string_view file);

/// A part that this program lists as a section although the file calls it something else; its name is in parentheses.
inline bool isPart(const container::Section& section) { return section.name.starts_with('('); }

} // namespace blobscope::test
