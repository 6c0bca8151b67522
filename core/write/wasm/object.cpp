#include "core/base/text.h"
#include "core/container/carrier.h"
#include "core/write/plan_parts.h"
#include "core/write/wasm/plan.h"

#include <algorithm>

/// Source of the custom sections' layouts: WebAssembly tool conventions, Linking.md.
namespace blobscope::write::wasm_parts {
namespace {

namespace wasm = container::wasm;

constexpr uint8_t kSegmentInfo = 5, kSymbolTable = 8; // subsections of "linking"
constexpr uint8_t kDataSymbol = 1, kSectionSymbol = 3;
constexpr uint64_t kUndefined = 0x10, kExplicitName = 0x40, kAbsolute = 0x200;
constexpr uint64_t kAlign = 16;
/// Begins like LLVM's names of constant sections; linkers put all of them into .rodata.
constexpr std::string_view kSegmentName = ".rodata.__tvm_blob";

struct Number {
  uint64_t value = 0;
  Extent place;
};

Number readNumber(wasm::Cursor& cursor, unsigned bits = 32) {
  Number number;
  number.place.offset = cursor.position();
  number.value = cursor.number(bits);
  number.place.size = cursor.position() - number.place.offset;
  return number;
}

/// A symbol in a data segment.
struct DataSymbol {
  std::string_view name;
  Number segment, offset, size;
};

/// A subsection of "linking".
struct Subsection {
  Number size;
  Extent content;
};

class ObjectPlanner {
public:
  ObjectPlanner(const PlanRequest& request, const wasm::Module& module) : m_request(request), m_module(module) {}

  Result<std::optional<Plan>> plan() {
    BLOBSCOPE_CHECK(findPlace());
    BLOBSCOPE_CHECK(readLinking());
    const bool last = endsSegment();
    if (!last && m_request.newBlob.size <= m_place.size) return std::optional<Plan>();
    if (m_carriers.empty())
      return Error(DiagnosticId::PlanSymbol, {arg("reason", "no symbol of the table labels it")}, m_request.blob.ref());
    auto made = last ? resize() : append();
    if (!made) return made.takeError();
    return std::optional(std::move(*made));
  }

private:
  Error shape(std::string reason) const {
    return layoutError(m_request.package, std::move(reason), m_request.blob.ref());
  }
  std::string_view text() const { return m_module.text(); }

  // --- 1. The segment, the symbols in it, and whether data is after the blob. ---------------------------------------
  Result<Done> findPlace() {
    const auto data = placeOf(m_module, wasm::Data);
    const auto place = placeIn(m_module.file, m_request.blob.bytes);
    if (!place) return Error(DiagnosticId::PlanNoLoad, {}, m_request.blob.ref());
    if (!data || m_module.dataCut) return shape("its data section is damaged");
    m_data = *data;
    m_place = *place;
    const auto found = std::find_if(m_module.data.begin(), m_module.data.end(),
                                    [&](const wasm::DataSegment& segment) { return segment.bytes.contains(m_place); });
    if (found == m_module.data.end()) return Error(DiagnosticId::PlanNoLoad, {}, m_request.blob.ref());
    m_segment = static_cast<std::size_t>(found - m_module.data.begin());
    return Done{};
  }

  const wasm::DataSegment& segment() const { return m_module.data[m_segment]; }
  uint64_t offsetInSegment() const { return m_place.offset - segment().bytes.offset; }

  Result<Done> readLinking() {
    for (std::size_t i = 0; i < m_module.sections.size(); ++i)
      if (m_module.sections[i].id == wasm::Custom && m_module.sections[i].name == "linking" && !m_linking)
        m_linking = placeAt(m_module, i);
    if (!m_linking) return shape("its linking section is damaged");
    wasm::Cursor cursor(text(), m_linking->content);
    cursor.number(); // version
    while (!cursor.atEnd()) {
      Subsection subsection;
      const uint8_t id = cursor.byte();
      subsection.size = readNumber(cursor);
      subsection.content = cursor.take(subsection.size.value);
      if (!cursor.ok()) break;
      if (id == kSegmentInfo && !m_segmentInfo) m_segmentInfo = subsection;
      if (id != kSymbolTable || m_symbolTable) continue;
      m_symbolTable = subsection;
      BLOBSCOPE_CHECK(readSymbols(subsection.content));
    }
    return cursor.ok() ? Result<Done>(Done{}) : shape("its linking section is damaged");
  }

  Result<Done> readSymbols(Extent content) {
    wasm::Cursor cursor(text(), content);
    const uint64_t count = cursor.number();
    for (uint64_t i = 0; i < count && cursor.ok(); ++i) {
      if (i % 4096 == 0 && m_request.monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const uint8_t kind = cursor.byte();
      const uint64_t flags = cursor.number();
      if (kind != kDataSymbol) {
        cursor.number();
        if (kind != kSectionSymbol && (!(flags & kUndefined) || flags & kExplicitName)) cursor.name();
        continue;
      }
      DataSymbol symbol;
      symbol.name = cursor.name();
      if (flags & kUndefined) continue;
      symbol.segment = readNumber(cursor);
      symbol.offset = readNumber(cursor, 64);
      symbol.size = readNumber(cursor, 64);
      if (!cursor.ok() || flags & kAbsolute || symbol.segment.value != m_segment) continue;
      if (symbol.offset.value == offsetInSegment() && container::matchCarrier(symbol.name))
        m_carriers.push_back(symbol);
      else
        m_othersEnd =
            std::max(m_othersEnd, Extent{symbol.offset.value, std::max<uint64_t>(symbol.size.value, 1)}.end());
    }
    return cursor.ok() ? Result<Done>(Done{}) : shape("its symbol table is damaged");
  }

  /// Data without a symbol cannot be referred to, so zeros after the blob were left by an earlier edit.
  bool endsSegment() const {
    const Extent bytes = segment().bytes;
    const std::string_view rest = text().substr(m_place.end(), bytes.end() - m_place.end());
    return m_othersEnd <= offsetInSegment() + m_place.size && rest.find_first_not_of('\0') == std::string_view::npos;
  }

  // --- 2. The segment ends with the blob: it is resized, and the bytes after it move. --------------------------------
  Result<Plan> resize() {
    const Extent bytes = segment().bytes;
    Rewrite rewrite(m_module.file, {m_place});
    std::vector<SectionPlace> touched = {m_data, *m_linking};
    const uint64_t size = offsetInSegment() + m_request.newBlob.size;
    if (size > UINT32_MAX) return sizeError(size, UINT32_MAX);
    // Its size is directly before its bytes.
    const Number old = sizeBefore(bytes);
    if (old.value != bytes.size) return shape("its data section is damaged");
    const std::string sizeText = lebLike(size, old.value, old.place.size);
    rewrite.replace(old.place, sizeText, "size of the data segment");
    rewrite.blob({m_place.offset, bytes.end() - m_place.offset}, m_request.newBlob);
    for (const DataSymbol& symbol : m_carriers) setNumber(rewrite, symbol.size, m_request.newBlob.size, "symbol size");
    BLOBSCOPE_CHECK(resizeSymbolTable(rewrite));
    const uint64_t shift =
        m_request.newBlob.size - (bytes.end() - m_place.offset) + sizeText.size() - old.place.size; // modulo 2⁶⁴
    const uint64_t before = sizeText.size() - old.place.size;
    BLOBSCOPE_CHECK(moveRelocations(rewrite, bytes, before, shift, touched));
    BLOBSCOPE_CHECK(resizeSections(rewrite, touched));
    BLOBSCOPE_CHECK(rewrite.settle(m_request.package));
    rewrite.step("Copy the file", 0, text().size(), "except for the changes below");
    rewrite.step("Write the new blob", rewrite.outputOf(m_place.offset), m_request.newBlob.size,
                 "nothing is after it in its data segment");
    explainSymbols(rewrite, "it states the size");
    return rewrite.plan(Strategy::Resize);
  }

  /// Returns the number that ends where `bytes` begins; LLVM pads it to five bytes.
  Number sizeBefore(Extent bytes) const {
    Number number;
    for (uint64_t width = 1; width <= 5 && width < bytes.offset; ++width) {
      wasm::Cursor cursor(text(), {bytes.offset - width, width});
      const uint64_t value = cursor.number();
      if (!cursor.ok() || cursor.position() != bytes.offset || value != bytes.size) continue;
      // The last bytes of a padded number also form shorter, different numbers, and longer candidates end elsewhere.
      number.value = value;
      number.place = {bytes.offset - width, width};
    }
    return number;
  }

  /// Relocations are relative to the beginning of the section's content. Those of the bytes after the segment move.
  Result<Done> moveRelocations(Rewrite& rewrite, Extent segmentBytes, uint64_t before, uint64_t shift,
                               std::vector<SectionPlace>& touched) {
    // R_WASM_… with an addend; 0 … 26 are known.
    constexpr uint32_t kWithAddend = 1u << 3 | 1u << 4 | 1u << 5 | 1u << 8 | 1u << 9 | 1u << 11 | 1u << 14 | 1u << 15 |
                                     1u << 16 | 1u << 17 | 1u << 21 | 1u << 22 | 1u << 23 | 1u << 25;
    constexpr uint8_t kLastKind = 26;
    std::size_t dataIndex = 0;
    while (m_module.sections[dataIndex].id != wasm::Data) ++dataIndex;
    for (std::size_t i = 0; i < m_module.sections.size(); ++i) {
      if (m_module.sections[i].id != wasm::Custom || !m_module.sections[i].name.starts_with("reloc.")) continue;
      wasm::Cursor cursor(text(), m_module.sections[i].content);
      if (cursor.number() != dataIndex) continue;
      const auto place = placeAt(m_module, i);
      if (!place) return shape("its relocations are damaged");
      touched.push_back(*place);
      const uint64_t count = cursor.number(), start = segmentBytes.offset - m_data.content.offset,
                     end = segmentBytes.end() - m_data.content.offset;
      const uint64_t blobStart = m_place.offset - m_data.content.offset;
      // As one piece, since there may be millions of them.
      std::string newText;
      uint64_t copied = m_module.sections[i].content.offset;
      for (uint64_t left = count; left > 0 && cursor.ok(); --left) {
        if (left % 4096 == 0 && m_request.monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        const uint64_t at = cursor.position();
        const uint8_t kind = cursor.byte();
        if (kind > kLastKind)
          return shape("its relocation at " + hexText(at) + " has the unknown kind " + std::to_string(kind));
        const Number offset = readNumber(cursor);
        cursor.number();
        if (kWithAddend >> kind & 1) cursor.signedNumber(64);
        if (!cursor.ok()) break;
        if (offset.value >= blobStart && offset.value < end)
          return Error(DiagnosticId::PlanRelocation, {hexArg("at", at)}, m_request.blob.ref());
        if (offset.value < start) continue;
        newText += text().substr(copied, offset.place.offset - copied);
        newText += lebLike(offset.value + (offset.value >= end ? shift : before), offset.value, offset.place.size);
        copied = offset.place.end();
      }
      if (!cursor.ok()) return shape("its relocations are damaged");
      const uint64_t first = m_module.sections[i].content.offset;
      if (text().substr(first, copied - first) != newText)
        rewrite.replace({first, copied - first}, newText, "relocations");
    }
    return Done{};
  }

  // --- 3. Other data is after it: the blob gets a separate segment with a new number. --------------------------------
  Result<Plan> append() {
    if (m_module.data.size() + 1 > kSegments)
      return shape("it has " + groupedText(m_module.data.size()) + " data segments");
    Rewrite rewrite(m_module.file, {m_place});
    std::vector<SectionPlace> touched = {m_data, *m_linking};
    uint64_t address = 0;
    for (const wasm::DataSegment& other : m_module.data)
      if (other.active && other.address.known && !other.address.global)
        address = std::max(address, Extent{other.address.number, other.bytes.size}.end());
    if (address > kMemory - kAlign || m_request.newBlob.size > UINT32_MAX)
      return sizeError(Extent{address, m_request.newBlob.size}.end(), kMemory);
    address = (address + kAlign - 1) / kAlign * kAlign;
    const uint64_t number = m_module.data.size(), end = m_data.content.end();
    if (m_module.data.back().bytes.end() != end) return shape("other data follows its last data segment");
    BLOBSCOPE_CHECK(setSegmentCount(rewrite, m_request.package, m_module, m_data, number + 1, touched));
    // Linkers ignore the address; LLVM places the segments of an object one after the other.
    const std::string header = std::string("\x00", 1) + (m_module.memory64 ? '\x42' : '\x41') + addressText(address) +
                               '\x0b' + ulebText(m_request.newBlob.size);
    rewrite.replace({end, 0}, header, "data segment");
    rewrite.blob({end, 0}, m_request.newBlob);
    if (m_request.options.scrub) rewrite.zeros(m_place, m_place.size, "old blob");
    for (const DataSymbol& symbol : m_carriers) {
      setNumber(rewrite, symbol.segment, number, "symbol");
      setNumber(rewrite, symbol.offset, 0, "symbol");
      setNumber(rewrite, symbol.size, m_request.newBlob.size, "symbol");
    }
    BLOBSCOPE_CHECK(resizeSymbolTable(rewrite));
    BLOBSCOPE_CHECK(addSegmentInfo(rewrite, number));
    BLOBSCOPE_CHECK(resizeSections(rewrite, touched));
    BLOBSCOPE_CHECK(rewrite.settle(m_request.package));
    rewrite.step("Copy the file", 0, text().size(), "except for the changes below");
    if (m_request.options.scrub)
      rewrite.step("Fill the old place with zeros", rewrite.outputOf(m_place.offset), m_place.size, "requested");
    rewrite.step("Write the new blob", rewrite.outputOf(end) - m_request.newBlob.size, m_request.newBlob.size,
                 "in a separate data segment: other data is after its old place");
    explainSymbols(rewrite, "linkers find the new blob by it");
    Plan plan = rewrite.plan(Strategy::AppendSegment);
    plan.consequences.push_back({m_request.options.scrub ? DiagnosticId::PlanScrubbed : DiagnosticId::PlanDead,
                                 {},
                                 {sizeArg("size", m_place.size)}});
    return plan;
  }

  Result<Done> addSegmentInfo(Rewrite& rewrite, uint64_t segments) {
    if (!m_segmentInfo) return Done{};
    const Subsection& info = *m_segmentInfo;
    wasm::Cursor cursor(text(), info.content);
    const Number count = readNumber(cursor);
    if (!cursor.ok() || count.value != segments)
      return shape("it has names for " + groupedText(count.value) + " of its " + groupedText(segments) +
                   " data segments");
    setNumber(rewrite, count, segments + 1, "names of data segments");
    rewrite.replace({info.content.end(), 0},
                    ulebText(kSegmentName.size()) + std::string(kSegmentName) + ulebText(4) + ulebText(0),
                    "names of data segments"); // alignment 2⁴, no flags
    return resizeSubsection(rewrite, info);
  }

  // --- Both. ---
  static void setNumber(Rewrite& rewrite, const Number& number, uint64_t value, const char* why) {
    if (value != number.value) rewrite.replace(number.place, lebLike(value, number.value, number.place.size), why);
  }

  Result<Done> resizeSubsection(Rewrite& rewrite, const Subsection& subsection) const {
    setNumber(rewrite, subsection.size, rewrite.sizeOf(subsection.content), "size of a subsection");
    return Done{};
  }

  Result<Done> resizeSymbolTable(Rewrite& rewrite) {
    if (!m_symbolTable) return shape("it has no symbol table");
    return resizeSubsection(rewrite, *m_symbolTable);
  }

  void explainSymbols(Rewrite& rewrite, const char* why) const {
    for (const DataSymbol& symbol : m_carriers)
      rewrite.step("Change the symbol", rewrite.outputOf(symbol.segment.place.offset),
                   symbol.size.place.end() - symbol.segment.place.offset, why);
  }

  const PlanRequest& m_request;
  const wasm::Module& m_module;

  SectionPlace m_data;
  std::optional<SectionPlace> m_linking;
  std::optional<Subsection> m_segmentInfo, m_symbolTable;
  Extent m_place;            ///< place of the blob in the file
  std::size_t m_segment = 0; ///< index of the segment that contains it
  std::vector<DataSymbol> m_carriers;
  uint64_t m_othersEnd = 0; ///< end of all other symbols in the segment
};

} // namespace

Result<std::optional<Plan>> resizeInObject(const PlanRequest& request, const wasm::Module& module) {
  return ObjectPlanner(request, module).plan();
}

} // namespace blobscope::write::wasm_parts
