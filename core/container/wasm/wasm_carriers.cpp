#include "core/container/wasm/wasm.h"
#include "core/container/wasm/wasm_memory.h"
#include "core/container/wasm/wasm_module.h"

#include "core/base/limits.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <utility>

namespace blobscope::container {
namespace {

using wasm::MemoryView;
using wasm::Module;
using Position = MemoryView::Position;

constexpr uint64_t kMiB = uint64_t{1} << 20;
/// Longest prefix of a system library that is searched before the name.
constexpr uint64_t kPrefix = 1024;
/// Maximum number of places that turn out not to be a whole blob. Real modules have none.
constexpr uint64_t kAttempts = 64;
/// Maximum number of words that the cheap checks of a stream may read in total.
constexpr uint64_t kSteps = 64 * kMiB;
/// The shortest streams: header, count, tree record; header, vectors, `_lib`.
constexpr uint64_t kShortestClassic = 8 + 8 + 12 + 8 + 8 + 8, kShortestFfi = 44;
/// The key of the tree record, with its length.
constexpr std::string_view kAnchor("\x0c\0\0\0\0\0\0\0_import_tree", 20);

/// A carrier name in memory: any start from `first` to `suffix` is a symbol name that ends at `end`.
struct NameRange {
  uint64_t first, suffix, end; ///< addresses
  std::size_t part;
};

/// A name and a blob that the code passes in one call.
struct Pair {
  std::string_view symbol;
  Position blob;
  bool called; ///< a call follows
};

class CarrierFinder {
public:
  CarrierFinder(const Image& image, const Module& module, MemoryView memory, std::vector<Diagnostic>& diagnostics,
                const IsBlob& decodes, Monitor& monitor)
      : m_image(image), m_module(module), m_memory(std::move(memory)), m_diagnostics(diagnostics), m_decodes(decodes),
        m_monitor(monitor) {
    for (const WasmMemory& part : m_memory.parts()) m_budget += 8 * part.bytes.size();
  }

  Result<std::vector<Carrier>> find() {
    BLOBSCOPE_CHECK(findGlobals());
    BLOBSCOPE_CHECK(findNames());
    BLOBSCOPE_CHECK(findCalls());
    if (m_found.empty()) BLOBSCOPE_CHECK(findTrees());
    if (m_found.empty()) BLOBSCOPE_CHECK(findStreams());
    addDamaged();
    return std::move(m_found);
  }

private:
  Result<Done> checkStop() const {
    if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    return Done{};
  }

  void report(DiagnosticId id, Ref place, std::vector<Argument> arguments) {
    if (m_diagnostics.size() <= limits::kDiagnostics)
      m_diagnostics.push_back({id, std::move(place), std::move(arguments)});
  }
  void reportLimit(std::string_view what, uint64_t limit) {
    report(DiagnosticId::FileLimit, Ref::file(), {arg("what", what), arg("count", limit + 1), arg("limit", limit)});
  }

  bool known(Position position) const {
    return std::any_of(m_places.begin(), m_places.end(), [&](const Position& place) {
      return place.part == position.part && place.offset == position.offset;
    });
  }

  void add(Position position, CarrierName name, std::string_view prefix, std::string_view symbol) {
    if (m_found.size() == limits::kCarriers) {
      if (!std::exchange(m_full, true)) reportLimit("carriers", limits::kCarriers);
      return;
    }
    Carrier carrier;
    carrier.name = name;
    carrier.prefix = prefix;
    carrier.symbol = symbol;
    carrier.address = m_memory.addressOf(position);
    carrier.available = m_memory.availableAt(position, m_monitor);
    carrier.section = "data";
    m_found.push_back(std::move(carrier));
    m_places.push_back(position);
  }

  /// Whether the blob there is whole; false without a check once too many were checked.
  bool decodesAt(Position position) {
    if (!m_memory.holdsBlob(position) || m_exhausted) return false;
    const uint64_t size = m_memory.numberAt(position.part, position.offset) + 8;
    if (m_attempts == kAttempts || size > m_budget) {
      m_exhausted = true;
      reportLimit("places that look like a blob", m_attempts);
      return false;
    }
    m_budget -= size;
    const bool whole = m_decodes(m_memory.blobAt(position, m_monitor));
    if (!whole) ++m_attempts;
    return whole;
  }

  // --- 1. A global with the address. --------------------------------------------------------------------------------
  Result<Done> findGlobals() {
    for (uint64_t i = 0; i < m_image.symbols.size() && !m_full; ++i) {
      if (i % 4096 == 0) BLOBSCOPE_CHECK(checkStop());
      const Symbol& symbol = m_image.symbols[i];
      const auto match = matchCarrier(symbol.name);
      if (!match || !symbol.defined || isFunctionName(symbol.type, symbol.name)) continue;
      const Ref place = Ref::named(Ref::Kind::Symbol, symbol.name);
      const auto isReported = [&](const Diagnostic& diagnostic) { return diagnostic.place == place; };
      const auto reportOnce = [&](DiagnosticId id, std::vector<Argument> arguments) {
        if (m_diagnostics.size() <= limits::kDiagnostics &&
            std::none_of(m_diagnostics.begin(), m_diagnostics.end(), isReported))
          report(id, place, std::move(arguments));
      };
      if (symbol.type == SymbolType::Function) {
        reportOnce(DiagnosticId::CarrierType, {arg("symbol", symbol.name), arg("type", symbolTypeName(symbol.type))});
        continue;
      }
      const auto position = m_memory.find(symbol.value);
      if (!position)
        reportOnce(DiagnosticId::CarrierNoBytes, {arg("symbol", symbol.name), hexArg("address", symbol.value)});
      else if (!known(*position))
        add(*position, match->name, match->prefix, symbol.name);
    }
    return Done{};
  }

  // --- 2. The call that registers a system library. -----------------------------------------------------------------
  /// Calls `each(offset)` for the places of `pattern` in a part.
  template <class Each> Result<Done> scan(std::size_t part, std::string_view pattern, const Each& each) {
    const std::string_view text = m_memory.parts()[part].bytes.view();
    for (uint64_t start = 0; start < text.size(); start += kMiB) {
      BLOBSCOPE_CHECK(checkStop());
      m_monitor.progress("looking for carriers", start, text.size());
      const std::string_view piece = text.substr(start, kMiB + pattern.size() - 1);
      uint64_t seen = 0;
      for (std::size_t at = findBytes(piece, pattern, 0); at != std::string_view::npos;
           at = findBytes(piece, pattern, at + 1)) {
        if (++seen % 4096 == 0) BLOBSCOPE_CHECK(checkStop());
        if (!each(start + at)) return Done{};
      }
    }
    return Done{};
  }

  Result<Done> findNames() {
    for (std::size_t part = 0; part < m_memory.parts().size(); ++part) {
      const WasmMemory& memory = m_memory.parts()[part];
      const std::string_view text = memory.bytes.view();
      for (const CarrierName name : {CarrierName::DevMblob, CarrierName::FfiLibraryBin, CarrierName::FfiLibraryBin2}) {
        const std::string_view suffix = carrierText(name);
        BLOBSCOPE_CHECK(scan(part, suffix, [&](uint64_t at) {
          const uint64_t end = at + suffix.size();
          if (end < text.size() && text[end] != '\0') return true; // the last zeros of memory may be omitted
          m_spellings.set(static_cast<std::size_t>(name));
          if (memory.place == WasmMemory::Place::Unknown) return true;
          if (m_names.size() == limits::kCarriers) {
            reportLimit("carrier names in linear memory", limits::kCarriers);
            return false;
          }
          uint64_t first = at;
          while (first > 0 && at - first < kPrefix && text[first - 1] != '\0') --first;
          m_names.push_back({memory.base + first, memory.base + at, memory.base + end, part});
          return true;
        }));
      }
    }
    std::sort(m_names.begin(), m_names.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return Done{};
  }

  const NameRange* nameAt(uint64_t address) const {
    const auto upper = std::upper_bound(m_names.begin(), m_names.end(), address,
                                        [](uint64_t value, const NameRange& range) { return value < range.first; });
    if (upper == m_names.begin()) return nullptr;
    const NameRange& range = *std::prev(upper);
    return address <= range.suffix ? &range : nullptr;
  }

  /// The operand of a constant instruction, with the LEB128 size of the address type.
  uint64_t constant(wasm::Cursor& cursor) const {
    const int64_t value = cursor.signedNumber(m_module.memory64 ? 64 : 32);
    return m_module.memory64 ? static_cast<uint64_t>(value) : static_cast<uint32_t>(value);
  }

  struct BlobArgument {
    uint64_t address = 0;
    bool called = false; ///< a call follows
  };
  /// The second argument: a constant, the constant value of a global, or a constant added to a global or to the local
  /// that contains it (seen: __memory_base, which is 0 in a linked module and is set by the loader in a library).
  std::optional<BlobArgument> blobArgument(wasm::Cursor cursor) const {
    const uint8_t constOpcode = m_module.memory64 ? 0x42 : 0x41, addOpcode = m_module.memory64 ? 0x7c : 0x6a;
    uint8_t opcode = cursor.byte();
    if (opcode == addOpcode) opcode = cursor.byte();
    BlobArgument argument;
    bool complete = false;
    if (opcode == 0x23) {
      const auto held = m_module.constantOf(static_cast<uint32_t>(cursor.number()));
      argument.address = held.value_or(0);
      complete = held.has_value();
      wasm::Cursor more = cursor;
      if (more.byte() == constOpcode) {
        const uint64_t number = constant(more);
        if (more.byte() == addOpcode && more.ok()) {
          argument.address += number;
          cursor = more;
          complete = true;
        }
      }
    } else if (opcode == 0x20) {
      cursor.number();
      complete = cursor.byte() == constOpcode;
      argument.address = constant(cursor);
      complete = complete && cursor.byte() == addOpcode;
    } else if (opcode == constOpcode) {
      argument.address = constant(cursor);
      complete = true;
      wasm::Cursor more = cursor;
      if (more.byte() == addOpcode) cursor = more;
    }
    if (!complete || !cursor.ok()) return std::nullopt;
    if (!m_module.memory64) argument.address &= UINT32_MAX;
    const uint8_t next = cursor.byte();
    argument.called = next == 0x10 || next == 0x11; // call, call_indirect
    return argument;
  }

  Result<Done> findCalls() {
    const wasm::SectionEntry* const code = m_module.find(wasm::Code);
    if (!code || m_names.empty()) return Done{};
    const uint8_t constOpcode = m_module.memory64 ? 0x42 : 0x41;
    const std::string_view text = m_module.text();
    uint64_t lastCheck = code->content.offset;
    for (uint64_t at = code->content.offset; at < code->content.end(); ++at) {
      if (at - lastCheck >= kMiB / 4) {
        BLOBSCOPE_CHECK(checkStop());
        lastCheck = at;
      }
      if (static_cast<uint8_t>(text[at]) != constOpcode) continue;
      wasm::Cursor cursor(text, {at + 1, code->content.end() - at - 1});
      const uint64_t value = constant(cursor);
      const NameRange* const range = cursor.ok() ? nameAt(value) : nullptr;
      if (!range) continue;
      const auto argument = blobArgument(cursor);
      const auto blob = argument ? m_memory.find(argument->address) : std::nullopt;
      if (!blob || !m_memory.holdsBlob(*blob) || known(*blob)) continue;
      const WasmMemory& memory = m_memory.parts()[range->part];
      m_pairs.push_back({memory.bytes.view().substr(value - memory.base, range->end - value), *blob, argument->called});
      if (m_pairs.size() == limits::kCarriers) {
        reportLimit("pairs of a carrier's name and a place in the code", limits::kCarriers);
        break;
      }
    }
    for (const Pair& pair : m_pairs) {
      BLOBSCOPE_CHECK(checkStop());
      if (!known(pair.blob) && decodesAt(pair.blob)) addPair(pair);
    }
    return Done{};
  }

  void addPair(const Pair& pair) {
    if (const auto match = matchCarrier(pair.symbol)) add(pair.blob, match->name, match->prefix, pair.symbol);
  }

  /// Adds a blob that a call registers under a name for which no whole blob was found: it is damaged. Two constants
  /// without a call, or with a name that was already found, are a coincidence: the runtime's own code contains the
  /// names too.
  void addDamaged() {
    for (const Pair& pair : m_pairs) {
      const auto sameName = [&](const Carrier& carrier) { return carrier.symbol == pair.symbol; };
      if (pair.called && !known(pair.blob) && std::none_of(m_found.begin(), m_found.end(), sameName)) addPair(pair);
    }
  }

  /// Skips zeros from `at`: returns the last position that is known to be 0, near `until`. Rebuilt memory is mostly
  /// zeros.
  uint64_t pastZeros(std::size_t part, uint64_t at, uint64_t until) const {
    const uint64_t size = m_memory.parts()[part].bytes.size();
    while (at < until && at + 16 <= size && m_memory.numberAt(part, at + 8) == 0) at += 8;
    return at;
  }

  // --- 3. The import tree that ends a stream of v0.7 – v0.21. -------------------------------------------------------
  struct Tree {
    uint64_t end;
    std::vector<uint64_t> starts; ///< of blobs that would end there, ascending
  };

  std::optional<uint64_t> treeEnd(std::size_t part, uint64_t anchor) const {
    const uint64_t rows = m_memory.numberAt(part, anchor + kAnchor.size());
    if (rows == 0 || rows > limits::kModules + 1) return std::nullopt;
    const uint64_t children = anchor + kAnchor.size() + 8 + rows * 8;
    const uint64_t edges = m_memory.numberAt(part, children);
    if (edges > limits::kImportEdges) return std::nullopt;
    const uint64_t end = children + 8 + edges * 8;
    return end <= m_memory.reachOf(part) ? std::optional(end) : std::nullopt;
  }

  /// Whether the bytes can be the count and the first key of a classic stream.
  bool looksClassic(std::size_t part, uint64_t start) const {
    const uint64_t count = m_memory.numberAt(part, start + 8), key = m_memory.numberAt(part, start + 16);
    if (count == 0 || count > limits::kModules + 1 || key == 0 || key > limits::kKeyLength) return false;
    const std::string_view text = m_memory.parts()[part].bytes.slice(start + 24, key).view();
    return text.size() == key && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
  }

  Result<Done> findTrees() {
    // The bytes do not distinguish v0.21 from earlier releases, but the names in memory may.
    const bool later = m_spellings[1] && !m_spellings[0];
    const CarrierName name = later ? CarrierName::FfiLibraryBin : CarrierName::DevMblob;
    for (std::size_t part = 0; part < m_memory.parts().size() && !m_exhausted; ++part) {
      BLOBSCOPE_TRY(trees, treesOf(part));
      BLOBSCOPE_CHECK(collectStarts(part, trees));
      for (const Tree& tree : trees) {
        // Backwards: the nearest start that gives a whole stream is used.
        for (auto start = tree.starts.rbegin(); start != tree.starts.rend(); ++start) {
          BLOBSCOPE_CHECK(checkStop());
          if (!decodesAt({part, *start})) continue;
          add({part, *start}, name, {}, carrierText(name));
          break;
        }
        if (m_exhausted) break;
      }
    }
    return Done{};
  }

  Result<std::vector<Tree>> treesOf(std::size_t part) {
    std::vector<Tree> trees;
    BLOBSCOPE_CHECK(scan(part, kAnchor, [&](uint64_t at) {
      if (trees.size() == limits::kCarriers) {
        reportLimit("import trees in linear memory", limits::kCarriers);
        return false;
      }
      if (const auto end = treeEnd(part, at)) trees.push_back({*end, {}});
      return true;
    }));
    std::sort(trees.begin(), trees.end(), [](const Tree& a, const Tree& b) { return a.end < b.end; });
    trees.erase(std::unique(trees.begin(), trees.end(), [](const Tree& a, const Tree& b) { return a.end == b.end; }),
                trees.end());
    return trees;
  }

  /// One pass over memory for all trees: finds the addresses whose number is the distance to the end of a tree.
  Result<Done> collectStarts(std::size_t part, std::vector<Tree>& trees) {
    if (trees.empty()) return Done{};
    std::bitset<65'536> ends; // the low bits rule out most numbers
    for (const Tree& tree : trees) ends.set(tree.end & 0xffff);
    const uint64_t last = trees.back().end, size = m_memory.parts()[part].bytes.size();
    uint64_t starts = 0, lastCheck = 0;
    for (uint64_t at = 0; at + kShortestClassic <= last && at < size; ++at) {
      if (at - lastCheck >= kMiB) {
        BLOBSCOPE_CHECK(checkStop());
        lastCheck = at;
      }
      const uint64_t declared = m_memory.numberAt(part, at);
      if (declared == 0) at = pastZeros(part, at, lastCheck + kMiB);
      if (declared > last || declared + 8 < kShortestClassic) continue;
      const uint64_t end = at + 8 + declared;
      if (!ends.test(end & 0xffff)) continue;
      const auto tree = std::lower_bound(trees.begin(), trees.end(), end,
                                         [](const Tree& entry, uint64_t value) { return entry.end < value; });
      if (tree == trees.end() || tree->end != end || !looksClassic(part, at)) continue;
      if (starts++ == limits::kSearchCandidates) {
        reportLimit("places that may begin a blob", limits::kSearchCandidates);
        break;
      }
      tree->starts.push_back(at);
    }
    return Done{};
  }

  // --- 4. Streams of v0.22 on. --------------------------------------------------------------------------------------
  Result<Done> findStreams() {
    // The spelling that v0.22 dropped again is used only when it is the only one in memory.
    const bool earlier = m_spellings[1] && !m_spellings[2];
    const CarrierName name = earlier ? CarrierName::FfiLibraryBin : CarrierName::FfiLibraryBin2;
    for (std::size_t part = 0; part < m_memory.parts().size(); ++part) {
      const uint64_t size = m_memory.parts()[part].bytes.size(), reach = m_memory.reachOf(part);
      uint64_t lastCheck = 0;
      BLOBSCOPE_CHECK(checkStop());
      for (uint64_t at = 0; at < size && reach - at >= kShortestFfi + 8; ++at) {
        if (at - lastCheck >= kMiB) {
          BLOBSCOPE_CHECK(checkStop());
          m_monitor.progress("looking for carriers", at, size);
          lastCheck = at;
        }
        const uint64_t declared = m_memory.numberAt(part, at);
        if (declared == 0) at = pastZeros(part, at, lastCheck + kMiB);
        if (declared < kShortestFfi || declared > reach - at - 8) continue;
        if (m_memory.numberAt(part, at + 16) != 0 || !looksFfi(part, at)) continue;
        if (m_steps >= kSteps) {
          reportLimit("numbers read in what looks like a blob", kSteps);
          return Done{};
        }
        BLOBSCOPE_CHECK(checkStop());
        if (!decodesAt({part, at})) {
          if (m_exhausted) return Done{};
          continue;
        }
        add({part, at}, name, {}, carrierText(name));
        at += declared + 7; // blobs do not overlap
      }
      if (m_steps >= kSteps) break;
    }
    if (m_steps >= kSteps) reportLimit("numbers read in what looks like a blob", kSteps);
    return Done{};
  }

  /// Whether the vectors and records end exactly where the header says.
  bool looksFfi(std::size_t part, uint64_t start) {
    if (m_steps >= kSteps) return false;
    const uint64_t end = start + 8 + m_memory.numberAt(part, start);
    uint64_t at = start + 8;
    // Every length is compared with the bytes left before it is added.
    const auto left = [&] { return end - at; };
    const auto number = [&] {
      ++m_steps;
      const uint64_t value = m_memory.numberAt(part, at);
      at += 8;
      return value;
    };
    const uint64_t rows = number();
    if (rows < 2 || rows > limits::kModules + 1 || rows * 8 > left()) return false;
    uint64_t previous = 0;
    for (uint64_t i = 0; i < rows; ++i) {
      const uint64_t row = number();
      if (row < previous || row > limits::kImportEdges || (i == 0 && row != 0)) return false;
      previous = row;
    }
    if (left() < 8) return false;
    const uint64_t edges = number();
    if (edges < previous || edges > limits::kImportEdges || edges * 8 > left()) return false;
    for (uint64_t i = 0; i < edges; ++i)
      if (number() >= rows - 1) return false;
    const std::string_view text = m_memory.parts()[part].bytes.view();
    for (uint64_t i = 0; i + 1 < rows; ++i) {
      if (left() < 8) return false;
      const uint64_t length = number();
      if (length == 0 || length > limits::kKeyLength || length > left()) return false;
      const bool host = at < text.size() && text.substr(at, length) == "_lib";
      at += length;
      if (host) continue;
      if (left() < 8) return false;
      const uint64_t size = number();
      if (size > left()) return false;
      at += size;
    }
    return at == end;
  }

  const Image& m_image;
  const Module& m_module;
  MemoryView m_memory;
  std::vector<Diagnostic>& m_diagnostics;
  const IsBlob& m_decodes;
  Monitor& m_monitor;
  std::vector<Carrier> m_found;
  std::vector<Position> m_places; ///< of m_found
  std::vector<NameRange> m_names; ///< by `first`
  std::vector<Pair> m_pairs;
  std::bitset<3> m_spellings; ///< spellings found in memory
  uint64_t m_attempts = 0, m_steps = 0;
  uint64_t m_budget = 64 * kMiB; ///< bytes that may still be decoded
  bool m_exhausted = false, m_full = false;
};

} // namespace

Result<std::vector<Carrier>> findWasmCarriers(const Image& image, std::vector<Diagnostic>& diagnostics,
                                              const IsBlob& decodes, const BudgetPtr& budget, Monitor& monitor) {
  if (image.kind == Kind::Object) return findCarriers(image, diagnostics, monitor);
  BLOBSCOPE_TRY(module, wasm::readModule(image.file, monitor));
  BLOBSCOPE_TRY(memory, MemoryView::read(module, budget, monitor, diagnostics));
  BLOBSCOPE_TRY(carriers, CarrierFinder(image, module, std::move(memory), diagnostics, decodes, monitor).find());
  // No more zeros are added after memory once the monitor requests a stop.
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  return carriers;
}

} // namespace blobscope::container
