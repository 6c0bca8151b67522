#pragma once

#include "core/base/bytes.h"
#include "core/base/diagnostic.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/leb128.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The parts of a WebAssembly module that the reader (wasm.h) needs, parsed but not interpreted. Offsets count from the
/// start of the file, names point into it.
namespace blobscope::container::wasm {

/// Bounded cursor over a part of the file. After the first failure every read returns zeros and does not move.
class Cursor {
public:
  /// The file must contain `part`.
  Cursor(std::string_view file, Extent part) : m_file(file), m_position(part.offset), m_end(part.end()) {}

  bool ok() const { return m_reason.empty(); }
  /// The reason of the failure in words.
  const std::string& reason() const { return m_reason; }
  uint64_t position() const { return m_position; }
  uint64_t left() const { return m_end - m_position; }
  bool atEnd() const { return m_position == m_end || !ok(); }

  uint8_t byte();
  uint32_t word();
  /// Unsigned LEB128 of at most `bits` bits (32 or 64).
  uint64_t number(unsigned bits = 32);
  /// Signed LEB128, sign-extended.
  int64_t signedNumber(unsigned bits);
  /// The next `size` bytes.
  Extent take(uint64_t size);
  /// The next `size` bytes, or fewer when the part ends before.
  Extent takeUpTo(uint64_t size);
  /// A length and that many bytes.
  std::string_view name();
  void fail(std::string reason);

private:
  void failAtEnd();
  bool check(LebEnd end, uint64_t at, unsigned bits);

  std::string_view m_file;
  uint64_t m_position, m_end;
  std::string m_reason;
};

enum SectionId : uint8_t {
  Custom,
  Type,
  Import,
  Function,
  Table,
  Memory,
  Global,
  Export,
  Start,
  Element,
  Code,
  Data,
  DataCount,
  Tag
};

/// Kinds of imports, exports and (with Data and Section between) linking symbols.
enum class Entity : uint8_t { Function, Table, Memory, Global, Tag };

struct SectionEntry {
  uint8_t id = 0;
  std::string_view name; ///< "code", or the custom section's own
  Extent content;        ///< after id, size and custom name
  bool cut = false;      ///< the file ends inside it
};

struct ImportEntry {
  std::string_view module, field;
  Entity kind = Entity::Function;
};

struct ExportEntry {
  std::string_view name;
  Entity kind = Entity::Function;
  uint32_t index = 0;
};

/// The value of a constant expression: a number, or a global and a number to be added.
struct Constant {
  bool known = false;
  std::optional<uint32_t> global;
  uint64_t number = 0;
};

struct GlobalEntry {
  bool isMutable = false;
  bool isAddress = false; ///< i32 in a 32-bit module, i64 in a 64-bit one
  Constant value;         ///< not known for imports
};

struct DataSegment {
  bool active = false;
  uint64_t memory = 0;
  Constant address; ///< of active segments
  Extent bytes;
};

struct Module {
  Bytes file;
  std::vector<SectionEntry> sections;
  bool isObject = false; ///< there is a `linking` section
  bool memory64 = false;
  std::optional<uint64_t> memoryBytes; ///< size of memory 0 at start, saturated
  std::vector<ImportEntry> imports;
  std::array<uint32_t, 5> importCounts{}; ///< per Entity
  std::vector<GlobalEntry> globals;       ///< imports first
  std::vector<ExportEntry> exports;
  std::vector<Extent> bodies; ///< of the functions that are not imported
  std::vector<DataSegment> data;
  bool dataCut = false; ///< the data section ends early
  std::vector<Diagnostic> diagnostics;

  std::string_view text() const { return file.view(); }
  void note(DiagnosticId id, std::vector<Argument> arguments);
  /// The first section with that id, or custom section with that name.
  const SectionEntry* find(uint8_t id, std::string_view customName = {}) const;
  uint32_t importCount(Entity kind) const { return importCounts[static_cast<std::size_t>(kind)]; }
  /// The constant value of a defined global.
  std::optional<uint64_t> constantOf(uint32_t global) const;
};

/// Calls `each(cursor, index)` for the entries of a counted list until one cannot be read, which is reported as a
/// damaged `table`. The monitor is checked every 4,096 entries. The only assumption about the count is that each entry
/// takes at least one byte.
template <class Each>
Result<Done> readEntries(Module& module, Cursor& cursor, const std::string& table, Monitor& monitor, const Each& each);

/// Parses all standard sections. FILE-HEADER, Cancelled.
Result<Module> readModule(const Bytes& file, Monitor& monitor);

// --- implementation of the template ---

/// Ends readEntries() early: reports that `count` is above the limit, or that entry `index` is damaged.
void noteLimit(Module& module, const std::string& table, uint64_t count);
void noteDamage(Module& module, const std::string& table, uint64_t index, uint64_t count, const Cursor& cursor);
uint64_t entryLimit();

template <class Each>
Result<Done> readEntries(Module& module, Cursor& cursor, const std::string& table, Monitor& monitor, const Each& each) {
  const uint64_t count = cursor.number();
  for (uint64_t i = 0; i < count || !cursor.ok(); ++i) {
    if (i % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (i == entryLimit()) {
      noteLimit(module, table, count);
      break;
    }
    if (cursor.ok()) each(cursor, i);
    if (!cursor.ok()) {
      noteDamage(module, table, i, count, cursor);
      break;
    }
  }
  return Done{};
}

} // namespace blobscope::container::wasm
