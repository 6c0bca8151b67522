#pragma once

#include "core/container/image.h"

#include <string>
#include <string_view>
#include <vector>

/// LLVM's reading of objects and libraries, to compare ours with. Both are written as lines; where the two mean
/// different things by a word, the lines hold what both know.
namespace blobscope::test {

/// Empty when the lists are equal, else the first difference.
std::string differenceOf(const std::vector<std::string>& ours, const std::vector<std::string>& theirs);

/// Sections (name, address, size, place in the file) and symbols (name, value, size, defined or not) of an ELF, PE,
/// COFF, Mach-O or wasm file, the slices of a universal one, the names of an import library's member. Empty when
/// `image` and LLVM agree on `file`, else the first difference.
std::string objectDifference(const container::Image& image, std::string_view file);

/// A part that this program lists as a section although the file calls it something else; its name is in parentheses.
inline bool isPart(const container::Section& section) { return section.name.starts_with('('); }

} // namespace blobscope::test
