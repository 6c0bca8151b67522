#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"
#include "core/container/number_at.h"

#include <cstdint>
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

constexpr uint32_t kCode = 0x20;              ///< IMAGE_SCN_CNT_CODE
constexpr uint32_t kInitializedData = 0x40;   ///< IMAGE_SCN_CNT_INITIALIZED_DATA
constexpr uint32_t kUninitializedData = 0x80; ///< IMAGE_SCN_CNT_UNINITIALIZED_DATA
constexpr uint32_t kLinkInfo = 0x200;         ///< IMAGE_SCN_LNK_INFO
constexpr uint32_t kLinkRemove = 0x800;       ///< IMAGE_SCN_LNK_REMOVE
constexpr uint32_t kDiscardable = 0x2000000;  ///< IMAGE_SCN_MEM_DISCARDABLE
constexpr uint32_t kExecute = 0x20000000;     ///< IMAGE_SCN_MEM_EXECUTE
constexpr uint32_t kWrite = 0x80000000;       ///< IMAGE_SCN_MEM_WRITE

/// A processor that PE and COFF name.
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

/// Cuts NUL-terminated names out of the file without copying. Names of one file rarely share bytes, but a hostile one
/// lets each of millions of names be the same long string, which costs the product of both. So the lengths of all names
/// together are limited to a few times the file; names beyond that are empty.
class NameCutter {
public:
  explicit NameCutter(uint64_t fileSize);
  /// The beginning of `text` up to a NUL or its end.
  std::string_view cut(std::string_view text);
  /// FILE-LIMIT when names were left out.
  void report(Image& image) const;

private:
  uint64_t m_limit;
  uint64_t m_used = 0;
  bool m_refused = false;
};

/// Where a file's symbol records lie. The string table follows them.
struct SymbolTable {
  uint64_t offset = 0; ///< 0: none
  uint64_t count = 0;  ///< records, auxiliary ones included
  bool wide = false;   ///< of /bigobj

  uint64_t recordSize() const { return wide ? kWideSymbolRecord : kSymbolRecord; }
};

/// The string table behind the symbols with its length field, cut to the file; empty when there is none.
std::string_view stringTable(const Bytes& file, const SymbolTable& table);

/// One section header as stored.
struct SectionHeader {
  std::string_view name; ///< long names looked up; as stored ("/4") when they are in no string table
  uint32_t virtualSize = 0;
  uint32_t virtualAddress = 0;
  uint32_t rawSize = 0;
  uint32_t rawOffset = 0;
  uint32_t characteristics = 0;
};
/// The header at `offset`, which must lie inside the file.
SectionHeader sectionHeaderAt(const Bytes& file, uint64_t offset, std::string_view strings, NameCutter& names);
/// "code", "data", "bss", "debug", "discardable", "info" or "other".
std::string_view sectionTypeName(const SectionHeader& header);

/// Appends the symbols, `dynamic` false, auxiliary records skipped. In an object their value is the offset in their
/// section, else an address; section numbers count from the first of image.sections, of which `sections` are the
/// file's. A weak external is defined where its default is. FILE-PART, FILE-NAMES, FILE-LIMIT in the image's
/// diagnostics; Cancelled.
Result<Done> readSymbols(Image& image, const SymbolTable& table, uint64_t sections, NameCutter& names,
                         Monitor& monitor);

} // namespace blobscope::container::coff
