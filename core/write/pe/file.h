#pragma once

#include "core/container/coff/coff_tables.h"
#include "core/container/number_at.h"
#include "core/write/numbers.h"
#include "core/write/plan.h"
#include "core/write/rewrite.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What rewriting PE images and COFF objects needs of their headers, and what the parts of their planners hand one
/// another. Source of all layouts: "PE Format", learn.microsoft.com/windows/win32/debug/pe-format; names as in winnt.h.
namespace blobscope::write::pe {

/// A section header.
struct Section {
  uint64_t at = 0;       ///< of the header in the file
  std::string_view name; ///< as stored: 8 bytes up to a NUL
  uint64_t virtualSize = 0, address = 0, rawSize = 0, rawOffset = 0;
  uint32_t characteristics = 0;

  /// What it occupies of the file.
  Extent raw() const { return {rawOffset, rawOffset == 0 ? 0 : rawSize}; }
  /// What it occupies of memory, not rounded.
  uint64_t memorySize() const { return virtualSize ? virtualSize : rawSize; }
};
/// The header at `at`; fields outside of the file are 0.
Section sectionAt(std::string_view text, uint64_t at);

/// Data directories by number.
enum Directory : std::size_t {
  kExports = 0,
  kCertificate = 4,
  kRelocations = 5,
  kDebug = 6,
  kLoadConfig = 10,
  kBoundImports = 11,
  kManaged = 14
};

/// The headers of an image. Offsets in the file end with `At`, addresses count from the image base.
struct File {
  Bytes bytes;
  uint64_t headerAt = 0, optionalAt = 0;
  uint16_t machine = 0, flags = 0;
  bool is64 = false;
  uint64_t imageBase = 0;
  uint64_t sectionAlignment = 0, fileAlignment = 0;
  uint64_t initializedSize = 0, imageSize = 0, headersSize = 0;
  uint64_t checksumAt = 0;
  uint32_t checksum = 0;
  uint64_t directoriesAt = 0;
  std::vector<Extent> directories; ///< those that are there; of the certificate the offset is one in the file
  container::coff::SymbolTable symbols;
  uint64_t sectionsAt = 0;
  std::vector<Section> sections;

  std::string_view text() const { return bytes.view(); }
  uint64_t sectionsEnd() const { return sectionsAt + sections.size() * container::coff::kSectionHeader; }
  /// Empty when there is none.
  Extent directory(std::size_t number) const;
  uint64_t directoryAt(std::size_t number) const { return directoriesAt + 8 * number; }
  /// Where `size` bytes from that address on lie in the file, when they lie in one section.
  std::optional<uint64_t> offsetOf(uint64_t address, uint64_t size) const;
};

/// REP-SHAPE when the headers are cut off.
Result<File> readFile(const library::Package& package);

/// A symbol record as stored.
struct Record {
  uint64_t at = 0; ///< in the file
  uint64_t index = 0;
  std::string_view name;
  uint32_t value = 0;
  int64_t section = 0; ///< 1 is the first
  uint16_t type = 0;
  uint8_t storage = 0, auxiliary = 0;
};
constexpr uint8_t kExternal = 2, kStatic = 3; ///< IMAGE_SYM_CLASS_…

/// Calls `each` for all records that are in the file, without auxiliary ones. Cancelled.
Result<Done> forEachRecord(const Bytes& file, const container::coff::SymbolTable& table, Monitor& monitor,
                           const std::function<void(const Record&)>& each);
/// Another value and section for the record at `at`.
void redirect(Rewrite& rewrite, const container::coff::SymbolTable& table, uint64_t at, uint32_t value,
              uint32_t section);
/// Whether that symbol labels a blob: a carrier's name, behind the underscore that 32-bit x86 puts before all names.
bool isCarrier(const library::Package& package, std::string_view name);

/// The plan that `make` gives with the certificate removed and a checksum made again, if there is one. `make` is called
/// with the bytes for the checksum's field, twice at most. REP-SHAPE, Cancelled.
Result<Plan> finish(const File& file, const std::function<Result<Plan>(std::string_view checksum)>& make,
                    Monitor& monitor);

/// Makes the section that holds nothing but the blob larger or smaller. Nothing when it is not the image's last one.
/// REP-2G, REP-4G, REP-SHAPE; Cancelled.
Result<std::optional<Plan>> resizeSection(const PlanRequest& request, const File& file);
/// Puts the blob into a new section behind all others. Source: formats text rewriting.md 5.2.
/// REP-SYM, REP-REF, REP-CLR, REP-HYBRID, REP-BOUND, REP-2G, REP-4G, REP-SHAPE; Cancelled.
Result<Plan> appendSection(const PlanRequest& request, const File& file);

} // namespace blobscope::write::pe
