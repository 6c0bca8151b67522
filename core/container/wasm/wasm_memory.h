#pragma once

#include "core/container/wasm/wasm.h"
#include "core/container/wasm/wasm_module.h"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace blobscope::container::wasm {

/// Largest memory that is rebuilt. Real ones: 35 MiB; a file of 30 bytes can ask for 16 EiB.
constexpr uint64_t kMemoryBytes = uint64_t{1} << 30;
/// Zeros that are taken as cut from the end of memory.
constexpr uint64_t kTailBytes = uint64_t{1} << 20;

/// rebuildMemory() of a parsed module.
Result<std::vector<WasmMemory>> rebuildMemory(const Module& module, const BudgetPtr& budget, Monitor& monitor,
                                              std::vector<Diagnostic>& diagnostics);

/// Linear memory with what is needed to take blobs out of it: numbers that may reach into zeros cut from its end, and
/// bytes that keep their place in the file where they can.
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
  /// Where an address lies; parts without an address are not asked. A number that fits an address and an offset from a
  /// global is the address.
  std::optional<Position> find(uint64_t address) const;
  uint64_t addressOf(Position position) const { return m_parts[position.part].base + position.offset; }
  /// Bytes of a part and of the zeros that may have been cut behind it.
  uint64_t reachOf(std::size_t part) const { return m_parts[part].bytes.size() + m_tails[part]; }
  /// Little-endian; zeros behind the end.
  uint64_t numberAt(std::size_t part, uint64_t offset) const;
  /// Whether the header there says no more than there is.
  bool holdsBlob(Position position) const;
  /// From a blob's header to the end of its segment or memory, with zeros behind it when it needs them (unless the
  /// monitor says stop meanwhile).
  Bytes availableAt(Position position, Monitor& monitor);
  /// The blob there, nothing behind it; holdsBlob() must be true.
  Bytes blobAt(Position position, Monitor& monitor);

private:
  struct Placed {
    uint64_t address;
    Extent file;
  };
  /// The rest of the segment that holds `size` bytes at an address as they are.
  std::optional<Bytes> inFile(Position position, uint64_t size) const;

  Bytes m_file;
  std::vector<WasmMemory> m_parts;
  std::vector<uint64_t> m_tails;
  std::vector<Bytes> m_extended; ///< parts with their tail, empty until it is needed
  std::array<std::vector<std::pair<uint64_t, std::size_t>>, 2> m_bases; ///< parts with addresses, with a global
  std::vector<Placed> m_placed; ///< active segments by address, when they do not overlap
  BudgetPtr m_budget;           ///< for parts that are extended
};

} // namespace blobscope::container::wasm
