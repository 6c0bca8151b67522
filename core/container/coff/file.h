#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"
#include "core/container/number_at.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// What PE images and COFF objects have in common: section headers, symbol records, the string table. Source of all
/// layouts: "PE Format", learn.microsoft.com/windows/win32/debug/pe-format; names as in winnt.h.
namespace blobscope::container::coff {

constexpr uint64_t kFileHeader = 20;
constexpr uint64_t kSectionHeader = 40;
constexpr uint64_t kSymbolRecord = 18;
constexpr uint64_t kWideSymbolRecord = 20; ///< of /bigobj

inline constexpr uint32_t IMAGE_SCN_CNT_CODE = 0x20;
inline constexpr uint32_t IMAGE_SCN_CNT_INITIALIZED_DATA = 0x40;
inline constexpr uint32_t IMAGE_SCN_CNT_UNINITIALIZED_DATA = 0x80;
inline constexpr uint32_t IMAGE_SCN_LNK_INFO = 0x200;
inline constexpr uint32_t IMAGE_SCN_LNK_REMOVE = 0x800;
inline constexpr uint32_t IMAGE_SCN_MEM_DISCARDABLE = 0x2000000;
inline constexpr uint32_t IMAGE_SCN_MEM_EXECUTE = 0x20000000;
inline constexpr uint32_t IMAGE_SCN_MEM_READ = 0x40000000;
inline constexpr uint32_t IMAGE_SCN_MEM_WRITE = 0x80000000;
inline constexpr uint32_t IMAGE_SCN_LNK_COMDAT = 0x1000;
inline constexpr uint32_t IMAGE_SCN_ALIGN_16BYTES = 0x500000;
inline constexpr uint32_t IMAGE_SCN_LNK_NRELOC_OVFL = 0x1000000; ///< the first relocation contains their number

inline constexpr uint16_t IMAGE_FILE_EXECUTABLE_IMAGE = 0x2, IMAGE_FILE_DLL = 0x2000;
inline constexpr uint8_t IMAGE_SYM_CLASS_EXTERNAL = 2, IMAGE_SYM_CLASS_STATIC = 3, IMAGE_SYM_CLASS_FUNCTION = 101,
                         IMAGE_SYM_CLASS_FILE = 103, IMAGE_SYM_CLASS_SECTION = 104, IMAGE_SYM_CLASS_WEAK_EXTERNAL = 105;

/// A processor type of PE and COFF.
struct Machine {
  uint16_t number;
  std::string_view arch; ///< LLVM's name, empty when it has none
  unsigned bits;
};
/// Nothing for numbers that no tool writes, and for 0 ("any").
const Machine* findMachine(uint16_t number);

/// Adds a diagnostic to the image, up to limits::kDiagnostics.
void note(Image& image, DiagnosticId id, std::vector<Argument> arguments, Ref place = {});
/// `extent` cut to the file of the image; FILE-PART when something was cut.
Extent clipped(Image& image, Extent extent, const std::string& what);

/// Cuts NUL-terminated names out of the file without copying. Names of one file rarely share bytes, but in a crafted
/// file each of millions of names can be the same long string, which costs the product of both. So the total length of
/// all names is limited to a few times the size of the file; names above the limit are empty.
class NameCutter {
public:
  explicit NameCutter(uint64_t fileSize);
  /// The text up to a NUL or its end.
  std::string_view cut(std::string_view text);
  /// FILE-LIMIT when names were omitted.
  void report(Image& image) const;

private:
  uint64_t m_limit;
  uint64_t m_used = 0;
  bool m_refused = false;
};

/// The place of a file's symbol records. The string table follows them.
struct SymbolTable {
  uint64_t offset = 0; ///< 0: none
  uint64_t count = 0;  ///< records, auxiliary ones included
  bool wide = false;   ///< of /bigobj

  uint64_t recordSize() const { return wide ? kWideSymbolRecord : kSymbolRecord; }
};

/// The string table after the symbols, with its length field, cut to the file; empty when there is none.
std::string_view stringTable(const Bytes& file, const SymbolTable& table);

/// One section header as stored.
struct SectionHeader {
  uint64_t at = 0;       ///< in the file
  std::string_view name; ///< 8 bytes up to a NUL
  uint64_t virtualSize = 0, address = 0, rawSize = 0, rawOffset = 0;
  uint32_t characteristics = 0;

  /// Its range in the file.
  Extent raw() const { return {rawOffset, rawOffset == 0 ? 0 : rawSize}; }
  /// Its size in memory, not rounded.
  uint64_t memorySize() const { return virtualSize ? virtualSize : rawSize; }
};
/// The header at `at`; fields outside of the file are 0.
SectionHeader sectionAt(std::string_view file, uint64_t at);
/// The section's name, looked up when it is long; as stored ("/4") when the string table does not contain it.
std::string_view sectionName(const SectionHeader& header, std::string_view strings, NameCutter& names);

/// The header of an object.
struct FileHeader {
  bool wide = false; ///< of /bigobj: ANON_OBJECT_HEADER_BIGOBJ
  uint16_t machine = 0;
  uint16_t flags = 0;
  SymbolTable symbols;
  uint64_t sectionsAt = 0, sectionCount = 0;
  uint64_t sectionCountAt() const { return wide ? 44 : 2; }
};
constexpr uint64_t kWideFileHeader = 56;
/// The header at the beginning of `file`; fields outside of it are 0.
FileHeader fileHeaderOf(std::string_view file, bool wide);

/// A symbol record as stored.
struct Record {
  uint64_t at = 0; ///< in the bytes from which it was read
  uint64_t index = 0;
  std::string_view name; ///< 8 bytes, or the name that forEachRecord() found
  uint32_t value = 0;
  int32_t section = 0; ///< 1 is the first; 0 undefined, -1 absolute, -2 for the debugger
  uint16_t type = 0;
  uint8_t storage = 0;   ///< IMAGE_SYM_CLASS_…
  uint8_t auxiliary = 0; ///< records that follow and belong to this one
};
/// Calls `each` with its name for all records in the file, without auxiliary ones. Cancelled.
Result<Done> forEachRecord(const Bytes& file, const SymbolTable& table, Monitor& monitor,
                           const std::function<void(const Record&)>& each);
/// "code", "data", "bss", "debug", "discardable", "info" or "other".
std::string_view sectionTypeName(std::string_view name, uint32_t characteristics);

/// Appends the symbols, `dynamic` false, auxiliary records skipped. In an object their value is the offset in their
/// section, else an address. Section numbers count from the first of image.sections; the first `sections` of these are
/// sections of the file. A weak external is defined where its default is. FILE-PART, FILE-NAMES, FILE-LIMIT in the
/// image's diagnostics; Cancelled.
Result<Done> readSymbols(Image& image, const SymbolTable& table, uint64_t sections, NameCutter& names,
                         Monitor& monitor);

} // namespace blobscope::container::coff
