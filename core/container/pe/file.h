#pragma once

#include "core/container/coff/file.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// The headers of a PE image as stored, with the places of the fields that rewriting changes. pe.h interprets them.
/// Source of all layouts: "PE Format", learn.microsoft.com/windows/win32/debug/pe-format; names as in winnt.h.
namespace blobscope::container::pe {

inline constexpr uint16_t IMAGE_NT_OPTIONAL_HDR32_MAGIC = 0x10b, IMAGE_NT_OPTIONAL_HDR64_MAGIC = 0x20b;

/// Data directories by number.
enum Directory : std::size_t {
  IMAGE_DIRECTORY_ENTRY_EXPORT = 0,
  IMAGE_DIRECTORY_ENTRY_IMPORT = 1,
  IMAGE_DIRECTORY_ENTRY_EXCEPTION = 3,
  IMAGE_DIRECTORY_ENTRY_SECURITY = 4,
  IMAGE_DIRECTORY_ENTRY_BASERELOC = 5,
  IMAGE_DIRECTORY_ENTRY_DEBUG = 6,
  IMAGE_DIRECTORY_ENTRY_LOAD_CONFIG = 10,
  IMAGE_DIRECTORY_ENTRY_BOUND_IMPORT = 11,
  IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT = 13,
  IMAGE_DIRECTORY_ENTRY_COM_DESCRIPTOR = 14,
  IMAGE_NUMBEROF_DIRECTORY_ENTRIES = 16
};

/// The headers of an image. Offsets in the file end with `At`, addresses count from the image base. Values are
/// unchecked and as stored; fields outside of the file are 0.
struct File {
  /// Reads the headers. `bytes` begin with the DOS header, whose e_lfanew is the offset of the signature.
  static File read(const Bytes& bytes);

  Bytes bytes;
  uint64_t headerAt = 0, optionalAt = 0;
  uint64_t optionalSize = 0; ///< SizeOfOptionalHeader
  uint16_t machine = 0, flags = 0, magic = 0;
  bool is64 = false;
  uint64_t imageBase = 0;
  uint64_t sectionAlignment = 0, fileAlignment = 0;
  uint64_t initializedSize = 0, imageSize = 0, headersSize = 0;
  uint64_t checksumAt = 0;
  uint32_t checksum = 0;
  uint64_t directoriesAt = 0;
  uint64_t directoryCount = 0;     ///< NumberOfRvaAndSizes
  std::vector<Extent> directories; ///< those in the file; the certificate's has a file offset instead of an address
  coff::SymbolTable symbols;
  uint64_t sectionsAt = 0, sectionCount = 0;
  std::vector<coff::SectionHeader> sections; ///< those in the file

  std::string_view text() const { return bytes.view(); }
  /// Size of the optional header before its data directories.
  uint64_t fixedSize() const { return is64 ? 112 : 96; }
  uint64_t sectionsEnd() const { return sectionsAt + sections.size() * coff::kSectionHeader; }
  /// A data directory; empty when there is none.
  Extent directory(std::size_t number) const;
  uint64_t directoryAt(std::size_t number) const { return directoriesAt + 8 * number; }
  /// The file offset of `size` bytes at that address, when one section contains them.
  std::optional<uint64_t> offsetOf(uint64_t address, uint64_t size) const;
};

} // namespace blobscope::container::pe
