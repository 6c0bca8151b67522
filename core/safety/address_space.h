#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace blobscope::safety {

/// The file as the loader maps it. The sections of an object file get addresses of their own, and its relocations say
/// what its code refers to.
class AddressSpace {
public:
  /// A place that a relocation fills: with an address in the file, or with an imported symbol.
  struct Target {
    uint64_t address = 0;    ///< when `import` is empty; 0 when the value is not known
    std::string_view import; ///< in the file, or own()
  };
  /// The distance between the sections of an object file.
  static constexpr uint64_t kSectionStep = uint64_t{1} << 32;

  /// Reads relocations and the functions' names and beginnings. Error: only Cancelled.
  static Result<AddressSpace> read(const container::Image& image, Monitor& monitor);

  const container::Image& image() const { return *m_image; }
  bool isObject() const { return m_image->kind == container::Kind::Object; }
  /// Bytes from the address to the end of its segment or section; nothing when the file has none there.
  std::optional<Bytes> bytesAt(uint64_t address) const;
  bool isCode(uint64_t address) const;
  /// The word that the loader fills, or nothing.
  const Target* wordAt(uint64_t address) const;
  /// A pointer in the file's data as it is after loading: relocated, or as stored (PE, Mach-O without fix-ups).
  std::optional<Target> pointerAt(uint64_t address) const;
  /// The relocation in `[address, address + size)`; for the code of object files.
  const Target* relocationIn(uint64_t address, uint64_t size) const;
  /// The function that begins after `address`; UINT64_MAX when none is known.
  uint64_t nextStart(uint64_t address) const;
  bool isStart(uint64_t address) const;
  /// The end of the function that begins at the address, from the tables for exceptions; nothing when they have none.
  std::optional<uint64_t> endOf(uint64_t address) const;
  /// The last known function that begins at or before the address; else the beginning of its code.
  uint64_t startBefore(uint64_t address) const;
  /// Whether code may change the bytes there while the program runs.
  bool isWritable(uint64_t address) const;
  /// The name of the symbol at the address, as in the source code; empty when there is none.
  std::string symbolAt(uint64_t address) const;
  /// The offset of an address in the file.
  std::optional<uint64_t> offsetOf(uint64_t address) const;
  /// The NUL-terminated text at an address, at most 200 bytes; empty when it is not printable.
  std::string textAt(uint64_t address) const;
  /// The address of an object file's section.
  static uint64_t sectionAddress(std::size_t index) { return (index + 1) * kSectionStep; }
  /// Resolvers of ELF that run while the file is relocated, in the order of the relocations.
  const std::vector<uint64_t>& resolvers() const { return m_resolvers; }
  /// Names that a PE file finds at the first call.
  const std::set<std::string>& delayedImports() const { return m_delayed; }
  bool hasTextRelocations() const { return m_textRelocations; }

  // For the readers of the formats.
  void setWord(uint64_t address, Target target);
  /// Keeps a name that is not in the file.
  std::string_view own(std::string name) { return *m_names.insert(std::move(name)).first; }
  void addResolver(uint64_t address);
  void addDelayed(std::string_view name);
  void setTextRelocations() { m_textRelocations = true; }

private:
  Result<Done> readSymbols(Monitor& monitor);
  void readRanges();
  void readMachOStarts();
  std::optional<uint64_t> endInFrames(uint64_t address) const;

  const container::Image* m_image = nullptr;
  std::vector<Extent> m_code; ///< in memory, ascending
  std::unordered_map<uint64_t, Target> m_words;
  std::vector<uint64_t> m_starts; ///< of functions, ascending
  std::unordered_map<uint64_t, std::string_view> m_symbols;
  std::vector<uint64_t> m_resolvers;
  std::set<std::string> m_delayed;
  std::unordered_set<std::string> m_names;
  std::string_view m_frames; ///< the table of .eh_frame_hdr, or .pdata
  uint64_t m_framesAt = 0;   ///< its address; of .pdata: the base of the image
  bool m_textRelocations = false;
};

/// Adds what the relocations of an ELF file, the import tables of a PE file, or the indirect symbols of a Mach-O file
/// fill in. Errors: only Cancelled.
Result<Done> addElfWords(AddressSpace& space, Monitor& monitor);
Result<Done> addPeWords(AddressSpace& space, Monitor& monitor);
Result<Done> addMachOWords(AddressSpace& space, Monitor& monitor);

} // namespace blobscope::safety
