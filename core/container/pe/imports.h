#pragma once

#include "core/container/pe/file.h"

#include <cstdint>
#include <optional>
#include <string_view>

/// The import tables of a PE image, entry by entry. Addresses count from the image base; those that lie in no loaded
/// part of the file are for the caller to find. Source: "PE Format", ".idata section" and "Delay-Load Import Tables".
namespace blobscope::container::pe {

/// An entry of the import or the delay import directory: what is imported from one library.
struct ImportLibrary {
  uint64_t name = 0;   ///< address of the NUL-terminated name of the library
  uint64_t lookup = 0; ///< address of the words that say what is imported
  uint64_t words = 0;  ///< address of the words that the loader, or the first call, fills
  uint64_t base = 0;   ///< subtracted from the addresses of names: before Visual C++ 7 these were not relative
};

/// Entry `index` of the import directory, or with `delayed` of the delay import directory, whose bytes are `table`.
/// Nothing after the last one, which loaders recognise by a missing library or missing words.
std::optional<ImportLibrary> importLibraryAt(const File& file, std::string_view table, uint64_t index, bool delayed);

/// One imported function or variable.
struct Import {
  std::optional<uint16_t> ordinal; ///< when it has no name
  uint64_t name = 0;               ///< address of the NUL-terminated name
};

/// Import `index` of a library, whose lookup table is `lookup`. Nothing after the last one.
std::optional<Import> importAt(const File& file, const ImportLibrary& library, std::string_view lookup, uint64_t index);

} // namespace blobscope::container::pe
