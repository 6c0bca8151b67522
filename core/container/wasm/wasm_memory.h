#pragma once

#include "core/container/wasm/wasm.h"
#include "core/container/wasm/wasm_module.h"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace blobscope::container::wasm {

/// Largest memory that is rebuilt. Real ones: 35 MiB; a file of 30 bytes can request 16 EiB.
constexpr uint64_t kMemoryBytes = uint64_t{1} << 30;
/// The number of zeros that the linker is assumed to have omitted at the end of memory.
constexpr uint64_t kTailBytes = uint64_t{1} << 20;

/// rebuildMemory() of a parsed module.
Result<std::vector<WasmMemory>> rebuildMemory(const Module& module, const BudgetPtr& budget, Monitor& monitor,
                                              std::vector<Diagnostic>& diagnostics);

/// Linear memory with what is needed to extract blobs from it: numbers that may extend into zeros omitted at its end,
/// and bytes that keep their place in the file where they can.
class MemoryView {
public:
  static Result<MemoryView> read(const Module& module, const BudgetPtr& budget, Monitor& monitor,
                                 std::vector<Diagnostic>& diagnostics);

  const std::vector<WasmMemory>& parts() const { return m_parts; }
  /// A place in one of the parts.
  struct Position {
    std::size_t part = 0;
    uint64_t offset = 0;
  };
  /// The position of an address; parts without an address are not searched. A number that can be both an address and an
  /// offset from a global is treated as an address.
  std::optional<Position> find(uint64_t address) const;
  uint64_t addressOf(Position position) const { return m_parts[position.part].base + position.offset; }
  /// The bytes of a part and the zeros that may have been omitted after it.
  uint64_t reachOf(std::size_t part) const { return m_parts[part].bytes.size() + m_tails[part]; }
  /// A little-endian number; zeros after the end.
  uint64_t numberAt(std::size_t part, uint64_t offset) const;
  /// Whether the blob's header there declares no more bytes than there are.
  bool holdsBlob(Position position) const;
  /// The bytes from a blob's header to the end of its segment or memory, with zeros added when the blob needs them
  /// (unless the monitor requests a stop meanwhile).
  Bytes availableAt(Position position, Monitor& monitor);
  /// The blob there and nothing after it; holdsBlob() must be true.
  Bytes blobAt(Position position, Monitor& monitor);

private:
  struct Placed {
    uint64_t address;
    Extent file;
  };
  /// The rest of the segment that contains `size` bytes at an address unchanged.
  std::optional<Bytes> inFile(Position position, uint64_t size) const;

  Bytes m_file;
  std::vector<WasmMemory> m_parts;
  std::vector<uint64_t> m_tails;
  std::vector<Bytes> m_extended;                                        ///< parts with zeros added, empty until needed
  std::array<std::vector<std::pair<uint64_t, std::size_t>>, 2> m_bases; ///< parts with addresses, with a global
  std::vector<Placed> m_placed; ///< active segments by address, when they do not overlap
  BudgetPtr m_budget;           ///< for parts that are extended
};

} // namespace blobscope::container::wasm
