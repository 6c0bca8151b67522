#include "core/container/wasm/wasm.h"
#include "core/container/wasm/wasm_memory.h"
#include "core/container/wasm/wasm_module.h"

#include "core/base/limits.h"
#include "core/base/text.h"

#include <array>
#include <utility>

namespace blobscope::container {
namespace {

using wasm::Cursor;
using wasm::Entity;
using wasm::Module;
using wasm::SectionEntry;

/// Subsections. Source: tool-conventions Linking.md; core specification, appendix "Name Section".
constexpr uint8_t kSegmentInfo = 5, kSymbolTable = 8, kGlobalNames = 7;
/// Flags of linking symbols.
constexpr uint64_t kWeak = 1, kLocal = 2, kUndefined = 0x10, kExplicitName = 0x40, kThreadLocal = 0x100,
                   kAbsolute = 0x200;
/// Kinds of linking symbols.
constexpr uint8_t kFunctionSymbol = 0, kDataSymbol = 1, kGlobalSymbol = 2, kSectionSymbol = 3, kTagSymbol = 4,
                  kTableSymbol = 5;
/// The prefix that wasm-ld gives to the global with the address of a symbol. Source: llvm/llvm-project 19
/// lld/wasm/SyntheticSections.cpp, NameSection::writeBody.
constexpr std::string_view kGotPrefix = "GOT.data.internal.";

/// "data[0]", "data[1]", …: section names are views, so names that are not in the file are made at compile time. LLVM
/// names every segment; segments beyond the table are called "data".
class SegmentNames {
public:
  constexpr SegmentNames() {
    for (std::size_t i = 0; i < kCount; ++i) {
      char* out = m_text[i].data();
      for (const char c : std::string_view("data[")) *out++ = c;
      if (i >= 100) *out++ = static_cast<char>('0' + i / 100);
      if (i >= 10) *out++ = static_cast<char>('0' + i / 10 % 10);
      *out++ = static_cast<char>('0' + i % 10);
      *out = ']';
    }
  }
  constexpr std::string_view at(std::size_t index) const {
    if (index >= kCount) return "data";
    return {m_text[index].data(), std::size_t{index < 10 ? 7u : index < 100 ? 8u : 9u}};
  }

private:
  static constexpr std::size_t kCount = 1000;
  std::array<std::array<char, 9>, kCount> m_text{};
};
constexpr SegmentNames kSegmentNames;

class WasmReader {
public:
  WasmReader(Module module, Monitor& monitor) : m_module(std::move(module)), m_monitor(monitor) {}

  Result<Image> read() {
    m_image.file = m_module.file;
    m_image.format = Format::Wasm;
    m_image.kind = m_module.isObject ? Kind::Object : Kind::Module;
    m_image.bits = m_module.memory64 ? 64 : 32;
    m_image.arch = m_module.memory64 ? "wasm64" : "wasm32";

    readSections();
    if (m_module.isObject) {
      BLOBSCOPE_CHECK(readSegmentSections());
      BLOBSCOPE_CHECK(readLinking(kSymbolTable));
    } else {
      BLOBSCOPE_CHECK(readSegments());
      BLOBSCOPE_CHECK(readExports());
      BLOBSCOPE_CHECK(readImports());
      BLOBSCOPE_CHECK(readGlobalNames());
    }
    m_image.diagnostics = std::move(m_module.diagnostics);
    return std::move(m_image);
  }

private:
  Result<Done> checkStop(uint64_t item, uint64_t total) {
    if (item % 4096 != 0) return Done{};
    if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    m_monitor.progress("reading symbols", item, total);
    return Done{};
  }

  // --- 1. Sections, followed by the data segments in an object. -----------------------------------------------------
  void readSections() {
    for (const SectionEntry& entry : m_module.sections) {
      Section section;
      section.name = entry.name;
      section.file = entry.content;
      section.size = entry.content.size;
      section.type = entry.id == wasm::Custom ? "custom" : "standard";
      section.executable = entry.id == wasm::Code;
      if (entry.id == wasm::Code && m_code == Symbol::kNoSection)
        m_code = static_cast<uint32_t>(m_image.sections.size());
      m_image.sections.push_back(section);
    }
  }

  Result<Done> readSegmentSections() {
    m_firstSegment = static_cast<uint32_t>(m_image.sections.size());
    const uint64_t room = limits::kSections - std::min<uint64_t>(limits::kSections, m_firstSegment);
    if (m_module.data.size() > room)
      m_module.note(DiagnosticId::FileLimit,
                    {arg("what", "sections and data segments"), arg("count", m_firstSegment + m_module.data.size()),
                     arg("limit", limits::kSections)});
    for (uint64_t i = 0; i < m_module.data.size() && i < room; ++i) {
      BLOBSCOPE_CHECK(checkStop(i, m_module.data.size()));
      Section section;
      section.name = kSegmentNames.at(i);
      section.file = m_module.data[i].bytes;
      section.size = section.file.size;
      section.type = "segment";
      section.allocated = true;
      m_image.sections.push_back(section);
    }
    return readLinking(kSegmentInfo);
  }

  // --- 2. Subsections. ----------------------------------------------------------------------------------------------
  /// Calls `each` for the entries of the subsections `wanted` of a custom section.
  template <class Each>
  Result<Done> readSubsections(Cursor cursor, uint8_t wanted, const std::string& table, const Each& each) {
    for (uint64_t i = 0; !cursor.atEnd(); ++i) {
      BLOBSCOPE_CHECK(checkStop(i, 0));
      const uint8_t id = cursor.byte();
      const Extent content = cursor.take(cursor.number());
      if (!cursor.ok()) break;
      if (id != wanted) continue;
      Cursor inner(m_module.text(), content);
      BLOBSCOPE_CHECK(wasm::readEntries(m_module, inner, table, m_monitor, each));
    }
    if (!cursor.ok()) m_module.note(DiagnosticId::FileTable, {{"table", table}, {"reason", cursor.reason()}});
    return Done{};
  }

  Result<Done> readLinking(uint8_t wanted) {
    const SectionEntry* const section = m_module.find(wasm::Custom, "linking");
    if (!section) return Done{};
    Cursor cursor(m_module.text(), section->content);
    const uint64_t version = cursor.number();
    if (!cursor.ok() || version != 2) {
      if (wanted == kSymbolTable)
        m_module.note(DiagnosticId::FileTable,
                      {arg("table", "linking section"),
                       {"reason", cursor.ok() ? "version " + std::to_string(version) + " is not 2" : cursor.reason()}});
      return Done{};
    }
    if (wanted == kSegmentInfo)
      return readSubsections(cursor, wanted, "segment names", [&](Cursor& c, uint64_t index) {
        const std::string_view name = c.name();
        c.number(), c.number(); // alignment, flags
        if (c.ok() && index < m_image.sections.size() - m_firstSegment && !name.empty())
          m_image.sections[m_firstSegment + index].name = name;
      });
    for (const wasm::ImportEntry& entry : m_module.imports)
      m_importNames[static_cast<std::size_t>(entry.kind)].push_back(entry.field);
    BLOBSCOPE_CHECK(
        readSubsections(cursor, wanted, "symbol table", [&](Cursor& c, uint64_t index) { readSymbol(c, index); }));
    if (m_astray > 0)
      m_module.note(DiagnosticId::FileTable,
                    {arg("table", "symbol table"),
                     {"reason", std::to_string(m_astray) +
                                    " entries refer to functions, segments or sections that do not exist"}});
    return Done{};
  }

  // --- 3. Symbols of an object. -------------------------------------------------------------------------------------
  void readSymbol(Cursor& cursor, uint64_t index) {
    if (index % 4096 == 0) m_monitor.progress("reading symbols", index, 0);
    const uint64_t at = cursor.position();
    const uint8_t kind = cursor.byte();
    const uint64_t flags = cursor.number();
    if (!cursor.ok()) return;
    Symbol symbol;
    symbol.defined = !(flags & kUndefined);
    symbol.binding = flags & kLocal ? Binding::Local : flags & kWeak ? Binding::Weak : Binding::Global;
    switch (kind) {
    case kFunctionSymbol: readIndexed(cursor, symbol, flags, Entity::Function); break;
    case kGlobalSymbol: readIndexed(cursor, symbol, flags, Entity::Global); break;
    case kTagSymbol: readIndexed(cursor, symbol, flags, Entity::Tag); break;
    case kTableSymbol: readIndexed(cursor, symbol, flags, Entity::Table); break;
    case kDataSymbol: readDataSymbol(cursor, symbol, flags); break;
    case kSectionSymbol: {
      const uint64_t section = cursor.number();
      symbol.type = SymbolType::Section;
      if (section < m_module.sections.size()) {
        symbol.section = static_cast<uint32_t>(section);
        symbol.name = m_module.sections[section].name;
      } else if (cursor.ok()) {
        ++m_astray;
      }
      break;
    }
    default: cursor.fail("kind " + std::to_string(kind) + " at " + hexText(at) + " does not exist");
    }
    if (cursor.ok()) m_image.symbols.push_back(symbol);
  }

  /// Functions and other symbols with an index: an imported one has its import's name unless it has an explicit name.
  void readIndexed(Cursor& cursor, Symbol& symbol, uint64_t flags, Entity kind) {
    const uint64_t index = cursor.number();
    symbol.type = kind == Entity::Function ? SymbolType::Function : SymbolType::Other;
    const auto& imported = m_importNames[static_cast<std::size_t>(kind)];
    if (symbol.defined || flags & kExplicitName)
      symbol.name = cursor.name();
    else if (index < imported.size())
      symbol.name = imported[index];
    if (!symbol.defined || !cursor.ok()) return;
    if (kind != Entity::Function) {
      symbol.absolute = true;
      symbol.value = index;
      return;
    }
    const uint64_t body = index - imported.size(); // wraps to a number that no body has
    if (index < imported.size() || body >= m_module.bodies.size() || m_code == Symbol::kNoSection) {
      ++m_astray;
      return;
    }
    symbol.section = m_code;
    symbol.value = m_module.bodies[body].offset - m_image.sections[m_code].file.offset;
    symbol.size = m_module.bodies[body].size;
  }

  void readDataSymbol(Cursor& cursor, Symbol& symbol, uint64_t flags) {
    symbol.name = cursor.name();
    symbol.type = flags & kThreadLocal ? SymbolType::Tls : SymbolType::Object;
    if (!symbol.defined) return;
    const uint64_t segment = cursor.number();
    symbol.value = cursor.number(64);
    symbol.size = cursor.number(64);
    symbol.absolute = flags & kAbsolute;
    if (!cursor.ok() || symbol.absolute) return;
    if (segment < m_image.sections.size() - m_firstSegment)
      symbol.section = m_firstSegment + static_cast<uint32_t>(segment);
    else
      ++m_astray;
  }

  // --- 4. A linked module: what the loader maps and links. ----------------------------------------------------------
  Result<Done> readSegments() {
    for (uint64_t i = 0; i < m_module.data.size(); ++i) {
      BLOBSCOPE_CHECK(checkStop(i, m_module.data.size()));
      const wasm::DataSegment& data = m_module.data[i];
      if (!data.active || data.memory != 0 || !data.address.known || data.address.global) continue;
      if (m_image.segments.size() == limits::kSections) {
        m_module.note(DiagnosticId::FileLimit, {arg("what", "data segments"), arg("count", m_module.data.size()),
                                                arg("limit", limits::kSections)});
        break;
      }
      Segment segment;
      segment.address = data.address.number;
      segment.memorySize = data.bytes.size;
      segment.file = data.bytes;
      segment.writable = true;
      m_image.segments.push_back(segment);
    }
    return Done{};
  }

  void placeFunction(Symbol& symbol, uint64_t index) {
    symbol.type = SymbolType::Function;
    symbol.absolute = true;
    const uint64_t imported = m_module.importCount(Entity::Function);
    symbol.defined = index >= imported; // otherwise re-exported
    if (!symbol.defined) return;
    if (index - imported >= m_module.bodies.size()) {
      ++m_astray;
      return;
    }
    const Extent body = m_module.bodies[index - imported];
    symbol.value = body.offset;
    symbol.size = body.size;
    symbol.section = m_code;
  }

  Result<Done> readExports() {
    for (uint64_t i = 0; i < m_module.exports.size(); ++i) {
      BLOBSCOPE_CHECK(checkStop(i, m_module.exports.size()));
      const wasm::ExportEntry& entry = m_module.exports[i];
      Symbol symbol;
      symbol.name = entry.name;
      symbol.binding = Binding::Global;
      symbol.dynamic = true;
      if (entry.kind == Entity::Function) {
        placeFunction(symbol, entry.index);
      } else if (entry.kind == Entity::Global) {
        // A global that changes while the module runs (__stack_pointer) is not an address of data.
        const auto address = m_module.constantOf(entry.index);
        if (!address || !m_module.globals[entry.index].isAddress || m_module.globals[entry.index].isMutable) continue;
        symbol.type = SymbolType::Object;
        symbol.value = *address;
        symbol.defined = true;
      } else {
        continue;
      }
      m_image.symbols.push_back(symbol);
    }
    if (m_astray > 0)
      m_module.note(
          DiagnosticId::FileTable,
          {arg("table", "export section"),
           {"reason", std::to_string(m_astray) + " entries name functions that are not in the code section"}});
    return Done{};
  }

  Result<Done> readImports() {
    for (uint64_t i = 0; i < m_module.imports.size(); ++i) {
      BLOBSCOPE_CHECK(checkStop(i, m_module.imports.size()));
      const wasm::ImportEntry& entry = m_module.imports[i];
      if (entry.kind != Entity::Function && entry.kind != Entity::Global) continue;
      Symbol symbol;
      symbol.name = entry.field;
      symbol.type = entry.kind == Entity::Function ? SymbolType::Function : SymbolType::Object;
      symbol.binding = Binding::Global;
      symbol.dynamic = true;
      m_image.symbols.push_back(symbol);
    }
    return Done{};
  }

  /// The globals through which position-independent code accesses data. wasm-ld makes them mutable when they must be
  /// relocated at start.
  Result<Done> readGlobalNames() {
    const SectionEntry* const section = m_module.find(wasm::Custom, "name");
    if (!section) return Done{};
    return readSubsections(Cursor(m_module.text(), section->content), kGlobalNames, "global names",
                           [&](Cursor& c, uint64_t) {
                             const auto index = static_cast<uint32_t>(c.number());
                             const std::string_view name = c.name();
                             if (!c.ok() || !name.starts_with(kGotPrefix)) return;
                             const auto address = m_module.constantOf(index);
                             if (!address || !m_module.globals[index].isAddress) return;
                             Symbol symbol;
                             symbol.name = name.substr(kGotPrefix.size());
                             symbol.value = *address;
                             symbol.type = SymbolType::Object;
                             symbol.defined = true;
                             m_image.symbols.push_back(symbol);
                           });
  }

  Module m_module;
  Monitor& m_monitor;
  Image m_image;
  std::array<std::vector<std::string_view>, 5> m_importNames; ///< per Entity, of an object
  uint32_t m_code = Symbol::kNoSection;
  uint32_t m_firstSegment = 0;
  uint64_t m_astray = 0;
};

} // namespace

bool looksLikeWasm(std::string_view head) { return head.starts_with(std::string_view("\0asm", 4)); }

Result<Image> readWasm(const Bytes& file, Monitor& monitor) {
  BLOBSCOPE_TRY(module, wasm::readModule(file, monitor));
  return WasmReader(std::move(module), monitor).read();
}

Result<std::vector<WasmMemory>> rebuildMemory(const Bytes& file, const BudgetPtr& budget, Monitor& monitor,
                                              std::vector<Diagnostic>& diagnostics) {
  BLOBSCOPE_TRY(module, wasm::readModule(file, monitor));
  return wasm::rebuildMemory(module, budget, monitor, diagnostics);
}

} // namespace blobscope::container
