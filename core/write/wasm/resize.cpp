#include "core/base/source.h"
#include "core/base/text.h"
#include "core/container/number_at.h"
#include "core/container/wasm/wasm.h"
#include "core/container/wasm/wasm_memory.h"
#include "core/write/code_references.h"
#include "core/write/plan_parts.h"
#include "core/write/wasm/plan.h"

#include <algorithm>
#include <map>

namespace blobscope::write::wasm_parts {
namespace {

namespace wasm = container::wasm;

constexpr uint64_t kStep = 1 << 20;
constexpr uint64_t kPage = 65'536, kAlign = 16, kWord = 4;
constexpr uint64_t kMostPages = 65'536;
/// The largest distance from the constant of the blob's name to that of its address: code that is not optimised stores
/// each in a local first.
constexpr uint64_t kBetween = 16;
constexpr uint8_t kI32Const = 0x41;
/// The prefix of wasm-ld for the global that contains the address of a symbol (see container/wasm.cpp).
constexpr std::string_view kGotPrefix = "GOT.data.internal.";

constexpr uint64_t rounded(uint64_t value, uint64_t step) {
  return (value + step - 1) / step * step;
} // for numbers below 2³³
constexpr uint64_t pagesOf(uint64_t size) { return rounded(size, kPage) / kPage; }

/// A number in the file, stored as LEB128.
struct Number {
  uint64_t value = 0;
  Extent place;
};

class MemoryPlanner {
public:
  MemoryPlanner(const PlanRequest& request, const wasm::Module& module)
      : m_request(request), m_module(module), m_scrub(request.options.scrub) {}

  Result<Plan> move() {
    BLOBSCOPE_CHECK(readModule());
    BLOBSCOPE_CHECK(findFreeMemory());
    BLOBSCOPE_CHECK(findUses());
    BLOBSCOPE_CHECK(place(0));
    return write();
  }

  /// Returns nothing when the blob was not put there by an earlier edit.
  Result<std::optional<Plan>> resize() {
    if (const auto read = readModule(); !read) {
      if (read.error().code() == ErrorCode::Cancelled) return Error(DiagnosticId::Cancelled, {});
      return std::optional<Plan>();
    }
    BLOBSCOPE_TRY(ours, isOurs());
    if (!ours) return std::optional<Plan>();
    m_resized = true;
    BLOBSCOPE_CHECK(place(pagesOf(m_old.size)));
    BLOBSCOPE_TRY(plan, write());
    return std::optional(std::move(plan));
  }

private:
  Error shape(std::string reason) const {
    return layoutError(m_request.package, std::move(reason), m_request.blob.ref());
  }
  Error refuse(DiagnosticId id, std::vector<Argument> arguments) const {
    return Error(id, std::move(arguments), m_request.blob.ref());
  }
  Error heapError(std::string reason) const { return refuse(DiagnosticId::PlanHeap, {{"reason", std::move(reason)}}); }
  Result<Done> checkStop(uint64_t item) const {
    if (item % 4096 == 0 && m_request.monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    return Done{};
  }

  // --- 1. Memory: its limits and its initial content. ---------------------------------------------------------------
  Result<Done> readModule() {
    if (m_module.memory64) return shape("its memory has 64-bit addresses");
    if (m_module.importCount(wasm::Entity::Memory) > 0) return shape("its memory is imported");
    const auto data = placeOf(m_module, wasm::Data);
    if (!data || m_module.dataCut || m_module.data.empty()) return shape("its data section is damaged");
    m_dataPlace = *data;
    BLOBSCOPE_CHECK(readLimits());
    std::vector<Extent> places;
    m_old = {m_request.blob.carrier.address, m_request.blob.bytes.size()};
    for (std::size_t i = 0; i < m_module.data.size(); ++i) {
      BLOBSCOPE_CHECK(checkStop(i));
      const wasm::DataSegment& segment = m_module.data[i];
      if (!segment.active || segment.memory != 0)
        return shape("data segment " + std::to_string(i) + " is put into memory by code");
      if (!segment.address.known || segment.address.global)
        return shape("data segment " + std::to_string(i) + " has no constant address");
      const Extent place{segment.address.number, segment.bytes.size};
      if (place.end() > m_memoryBytes)
        return shape("data segment " + std::to_string(i) + " extends past the end of its memory");
      if (place.size == 0) continue;
      places.push_back(place);
      m_segments.emplace(place.offset, i);
      if (place.offset < m_old.end() && place.end() > m_old.offset)
        m_chosen.push_back(i);
      else
        m_othersEnd = std::max(m_othersEnd, place.end());
    }
    std::sort(places.begin(), places.end(), [](Extent a, Extent b) { return a.offset < b.offset; });
    for (std::size_t i = 1; i < places.size(); ++i)
      if (places[i - 1].end() > places[i].offset) return shape("data segments overlap at " + hexText(places[i].offset));
    if (m_chosen.empty() || m_old.end() > m_memoryBytes)
      return shape("the blob at " + hexText(m_old.offset) + " is not in its memory");

    std::vector<Diagnostic> diagnostics;
    BLOBSCOPE_TRY(parts, container::rebuildMemory(m_module.file, Budget::forFile(m_module.file.size()),
                                                  m_request.monitor, diagnostics));
    if (parts.size() != 1 || parts.front().place != container::WasmMemory::Place::Address)
      return shape("its data segments are too far apart");
    m_base = parts.front().base;
    m_image = parts.front().bytes;
    // This memory must equal the one that readers rebuild, else other data would be changed. Zeros at the end may be
    // missing.
    const uint64_t at = m_old.offset - std::min(m_old.offset, m_base);
    const std::string_view here = m_image.slice(at, m_old.size).view();
    if (m_old.offset < m_base || here != m_request.blob.bytes.view().substr(0, here.size()))
      return shape("the blob is not at " + hexText(m_old.offset));
    return Done{};
  }

  Result<Done> readLimits() {
    const auto memory = placeOf(m_module, wasm::Memory);
    if (!memory) return shape("its memory section is damaged");
    m_memoryPlace = *memory;
    wasm::Cursor cursor(m_module.text(), memory->content);
    const uint64_t count = cursor.number(), flags = cursor.number();
    m_minimum = readNumber(cursor);
    if (flags == 1) m_maximum = cursor.number();
    if (!cursor.ok() || count != 1 || flags > 1 || m_minimum.value > kMostPages)
      return shape("it has several memories, or one that is shared or has other pages");
    m_memoryBytes = m_minimum.value * kPage;
    return Done{};
  }

  static Number readNumber(wasm::Cursor& cursor) {
    Number number;
    number.place.offset = cursor.position();
    number.value = cursor.number();
    number.place.size = cursor.position() - number.place.offset;
    return number;
  }

  /// Returns words of memory with the value `value` outside the blob; stops after two.
  Result<std::vector<uint64_t>> findWords(uint32_t value) const {
    std::vector<uint64_t> found;
    const std::string_view text = m_image.view();
    for (uint64_t address = rounded(m_base, kWord), steps = 0; address < m_base + text.size() && found.size() < 2;
         address += kWord) {
      if (steps++ % (kStep / kWord) == 0 && m_request.monitor.stopRequested())
        return Error(DiagnosticId::Cancelled, {});
      if (wordAt(address) == value && (address + kWord <= m_old.offset || address >= m_old.end()))
        found.push_back(address);
    }
    return found;
  }

  /// Returns a word of memory; bytes after the end of the segments are zeros.
  uint32_t wordAt(uint64_t address) const {
    const std::string_view text = m_image.view();
    const uint64_t at = address - m_base;
    if (at + kWord <= text.size()) return container::numberAt<uint32_t>(text, at);
    uint32_t value = 0;
    for (uint64_t i = 0; i < kWord && at + i < text.size(); ++i)
      value |= static_cast<uint32_t>(static_cast<unsigned char>(text[at + i])) << 8 * i;
    return value;
  }

  // --- 2. Free memory, and the word that marks its start. -----------------------------------------------------------
  /// Returns the initial stack pointer: global 0 in all modules seen, unless a name identifies another global.
  std::optional<uint64_t> stackPointer() const {
    uint32_t index = 0;
    for (const auto& [name, global] : globalNames())
      if (name == "__stack_pointer") index = global;
    if (index >= m_module.globals.size() || !m_module.globals[index].isMutable || !m_module.globals[index].isAddress)
      return std::nullopt;
    return m_module.constantOf(index);
  }

  /// Returns the names of exported globals, and of all globals when the module has a name section.
  std::vector<std::pair<std::string_view, uint32_t>> globalNames() const {
    constexpr uint8_t kGlobalNames = 7;
    std::vector<std::pair<std::string_view, uint32_t>> names;
    for (const wasm::ExportEntry& entry : m_module.exports)
      if (entry.kind == wasm::Entity::Global) names.emplace_back(entry.name, entry.index);
    const wasm::SectionEntry* const section = m_module.find(wasm::Custom, "name");
    if (!section) return names;
    wasm::Cursor cursor(m_module.text(), section->content);
    while (!cursor.atEnd()) {
      const uint8_t id = cursor.byte();
      const Extent content = cursor.take(cursor.number());
      if (id != kGlobalNames || !cursor.ok()) continue;
      wasm::Cursor inner(m_module.text(), content);
      for (uint64_t left = inner.number(); left > 0 && inner.ok(); --left) {
        const auto index = static_cast<uint32_t>(inner.number());
        std::string_view name = inner.name();
        if (name.starts_with(kGotPrefix)) name.remove_prefix(kGotPrefix.size());
        if (inner.ok()) names.emplace_back(name, index);
      }
    }
    return names;
  }

  Result<Done> findFreeMemory() {
    const auto stack = stackPointer();
    if (!stack || *stack < std::max(m_othersEnd, m_old.end()) || *stack > m_memoryBytes)
      return refuse(DiagnosticId::PlanStackFirst, {});
    const uint64_t heap = rounded(*stack, kAlign);
    BLOBSCOPE_TRY(words, findWords(static_cast<uint32_t>(heap)));
    if (words.size() > 1)
      return heapError("more than one word of its data holds " + hexText(heap) + ", where the stack begins");
    m_newAddress = heap;
    if (words.size() == 1) {
      m_word = words.front();
      return Done{};
    }
    // Without an allocator in the module, the host manages free memory, which ends with the memory. Added memory does
    // not conflict with it, unless other code treats all memory up to the end as free.
    BLOBSCOPE_TRY(uses, findConstants(static_cast<uint32_t>(heap)));
    if (!uses.empty())
      return heapError("no word of its data holds " + hexText(heap) +
                       ", where the stack begins, but its code has that number");
    bool beginIsKnown = false, endIsKnown = false;
    for (const auto& [name, global] : globalNames()) {
      beginIsKnown = beginIsKnown || name == "__heap_base";
      endIsKnown = endIsKnown || name == "__heap_end";
    }
    if (beginIsKnown && !endIsKnown)
      return heapError("it says where free memory begins (__heap_base), but not where it ends");
    m_newAddress = m_memoryBytes;
    return Done{};
  }

  /// Whether the blob is where findFreeMemory() places blobs, and nothing else is there.
  Result<bool> isOurs() {
    const auto stack = stackPointer();
    if (!stack || m_old.offset < *stack || m_old.offset % kAlign != 0 || m_othersEnd > m_old.offset) return false;
    // The segments of the blob must be the last ones and contain only the blob.
    const std::size_t count = m_module.data.size();
    for (std::size_t i = 0; i < m_chosen.size(); ++i) {
      const wasm::DataSegment& segment = m_module.data[m_chosen[i]];
      if (m_chosen[i] != count - m_chosen.size() + i ||
          !m_old.contains(Extent{segment.address.number, segment.bytes.size}))
        return false;
    }
    BLOBSCOPE_TRY(words, findWords(static_cast<uint32_t>(rounded(m_old.end(), kAlign))));
    m_newAddress = m_old.offset;
    if (words.size() == 1) {
      m_word = words.front();
      return true;
    }
    return words.empty() && m_old.offset % kPage == 0 && m_memoryBytes == m_old.offset + rounded(m_old.size, kPage);
  }

  // --- 3. References to the blob's address. -------------------------------------------------------------------------
  /// Returns all bytes that may be operands of i32.const with that value, up to the number that is worth reporting.
  Result<std::vector<Extent>> findConstants(uint32_t value) const {
    constexpr std::size_t kReported = 1'000;
    std::vector<Extent> found;
    const wasm::SectionEntry* const code = m_module.find(wasm::Code);
    if (!code) return found;
    const std::string_view text = m_module.text();
    for (uint64_t at = code->content.offset; at < code->content.end() && found.size() < kReported; ++at) {
      if (at % kStep == 0 && m_request.monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      if (static_cast<uint8_t>(text[at]) != kI32Const) continue;
      wasm::Cursor cursor(text, {at + 1, code->content.end() - at - 1});
      const auto number = static_cast<uint32_t>(cursor.signedNumber(32));
      if (cursor.ok() && number == value) found.push_back({at + 1, cursor.position() - at - 1});
    }
    return found;
  }

  /// Finds globals that contain the address: those with the blob's name and those without a name. A global with another
  /// name has the same address by coincidence, such as the beginning of all data.
  Result<Done> findGlobals() {
    std::vector<bool> isOther(m_module.globals.size());
    for (const auto& [name, global] : globalNames())
      if (global < isOther.size() && !container::matchCarrier(name)) isOther[global] = true;
    for (uint32_t i = m_module.importCount(wasm::Entity::Global); i < m_module.globals.size(); ++i) {
      BLOBSCOPE_CHECK(checkStop(i));
      if (!isOther[i] && m_module.globals[i].isAddress && m_module.constantOf(i) == std::optional(m_old.offset))
        m_globals.push_back(i);
    }
    return Done{};
  }

  Result<Done> findUses() {
    BLOBSCOPE_CHECK(findGlobals());
    BLOBSCOPE_TRY(uses, findConstants(static_cast<uint32_t>(m_old.offset)));
    BLOBSCOPE_TRY(named, countNamed(uses));
    References found;
    if (named == 1 && uses.size() == 1) {
      m_operand = uses.front();
      // When readers do not recognize name and address together, they search for bytes that look like a blob, and must
      // not find the old one.
      m_scrub = m_scrub || (m_globals.empty() && !m_adjacent);
    } else if (named > 0 || m_globals.empty()) {
      return refuse(DiagnosticId::PlanManyUses, {arg("count", uses.size())});
    } else {
      for (const Extent& use : uses) found.add(use.offset, "instruction");
    }
    BLOBSCOPE_TRY(words, findWords(static_cast<uint32_t>(m_old.offset)));
    for (const uint64_t word : words) found.add(word, "data");
    found.codeRead = !m_operand;
    return found.checkNone(m_request.blob.ref(), m_request.options.force, m_consequences);
  }

  /// Returns the number of `uses` that are directly after the constant of the blob's name, as in the call that
  /// registers it.
  Result<uint64_t> countNamed(const std::vector<Extent>& uses) {
    const std::string name = m_request.blob.carrier.symbol + '\0';
    const std::string_view text = m_image.view(), file = m_module.text();
    uint64_t count = 0;
    for (const Extent& use : uses) {
      BLOBSCOPE_CHECK(checkStop(0));
      for (uint64_t back = 2; back <= kBetween && back <= use.offset; ++back) {
        if (static_cast<uint8_t>(file[use.offset - back]) != kI32Const) continue;
        wasm::Cursor cursor(file, {use.offset - back + 1, back - 1});
        const uint64_t address = static_cast<uint32_t>(cursor.signedNumber(32));
        if (!cursor.ok() || address < m_base || address - m_base > text.size() ||
            !text.substr(address - m_base).starts_with(name))
          continue;
        ++count;
        m_adjacent = cursor.left() == 1; // the instruction of the address
        break;
      }
    }
    return count;
  }

  // --- 4. Sizes. `before`: the pages that were added for the old blob. ----------------------------------------------
  Result<Done> place(uint64_t before) {
    if (m_request.newBlob.size > kMemory || m_newAddress + rounded(m_request.newBlob.size, kAlign) > kMemory)
      return sizeError(Extent{m_newAddress, m_request.newBlob.size}.end(), kMemory);
    // The output is read back before it is used, and readers do not rebuild larger memories.
    if (const uint64_t reach = m_newAddress + m_request.newBlob.size; reach > wasm::kMemoryBytes)
      return shape("its data would reach to " + sizeText(reach) + " of its memory, of which " +
                   sizeText(wasm::kMemoryBytes) + " are read back");
    // The amount of free memory stays the same. A memory that cannot grow must already be large enough.
    const uint64_t atLeast = 1 << 20, end = m_newAddress + m_request.newBlob.size;
    m_pages = m_minimum.value - std::min(before, m_minimum.value) + pagesOf(m_request.newBlob.size);
    if (m_maximum && *m_maximum == m_minimum.value && end + atLeast <= m_memoryBytes) m_pages = m_minimum.value;
    if (m_pages > m_maximum.value_or(kMostPages))
      return shape("its memory may have at most " + sizeText(m_maximum.value_or(kMostPages) * kPage) + ", " +
                   sizeText(m_pages * kPage) + " are needed");
    if (m_pages * kPage < end) return shape("its memory is too small for the blob that it has");
    return Done{};
  }

  // --- 5. The output. -----------------------------------------------------------------------------------------------
  Result<Plan> write() {
    std::vector<Extent> oldPlaces;
    for (const std::size_t i : m_chosen) {
      const wasm::DataSegment& segment = m_module.data[i];
      const uint64_t from = std::max(m_old.offset, segment.address.number),
                     to = std::min(m_old.end(), Extent{segment.address.number, segment.bytes.size}.end());
      oldPlaces.push_back({segment.bytes.offset + (from - segment.address.number), to - from});
    }
    std::sort(oldPlaces.begin(), oldPlaces.end(), [](Extent a, Extent b) { return a.offset < b.offset; });
    Rewrite rewrite(m_module.file, oldPlaces);
    std::vector<SectionPlace> touched = {m_dataPlace};

    const std::string pages = ulebText(m_pages);
    if (m_pages != m_minimum.value) rewrite.replace(m_minimum.place, pages, "size of memory");
    touched.push_back(m_memoryPlace);
    BLOBSCOPE_CHECK(writeGlobals(rewrite, touched));
    BLOBSCOPE_CHECK(writeOperand(rewrite, touched));
    BLOBSCOPE_CHECK(writeData(rewrite, oldPlaces, touched));
    BLOBSCOPE_CHECK(resizeSections(rewrite, touched));
    BLOBSCOPE_CHECK(rewrite.settle(m_request.package));
    BLOBSCOPE_CHECK(checkSourceMap(rewrite));

    rewrite.step("Copy the file", 0, m_module.file.size(), "except for the changes below");
    if (m_pages != m_minimum.value)
      rewrite.step("Set: size of memory", rewrite.outputOf(m_minimum.place.offset), pages.size(),
                   groupedText(m_minimum.value) + " pages before, " + groupedText(m_pages) + " now");
    if (m_word)
      rewrite.step("Set: start of free memory", rewrite.outputOf(m_wordOffset), kWord,
                   "the allocator begins after the blob");
    if (m_operand)
      rewrite.step("Change the address in the code", rewrite.outputOf(m_operand->offset), m_operand->size,
                   "the library is registered with it");
    if (!m_resized && !m_globals.empty())
      rewrite.step("Change the global", rewrite.outputOf(m_globalOffset), 1, "hosts find the new blob by it");
    if (!m_resized && m_scrub)
      rewrite.step("Fill the old place with zeros", rewrite.outputOf(oldPlaces.front().offset), m_old.size,
                   m_request.options.scrub ? "requested" : "it would be recognised as a second blob");
    rewrite.step("Write the new blob", rewrite.outputOf(m_insertAt) - m_encodedSize, m_encodedSize,
                 groupedText(m_runs) + (m_runs == 1 ? " data segment" : " data segments, which omit zeros") +
                     ", at the address " + hexText(m_newAddress));
    Plan plan = rewrite.plan(m_resized ? Strategy::Resize : Strategy::AppendMemory);
    if (!m_resized)
      plan.consequences.push_back(
          {m_scrub ? DiagnosticId::PlanScrubbed : DiagnosticId::PlanDead, {}, {sizeArg("size", m_old.size)}});
    plan.consequences.insert(plan.consequences.end(), m_consequences.begin(), m_consequences.end());
    return plan;
  }

  /// Writes the constants of the globals that contain the address.
  Result<Done> writeGlobals(Rewrite& rewrite, std::vector<SectionPlace>& touched) {
    if (m_globals.empty()) return Done{};
    const auto section = placeOf(m_module, wasm::Global);
    if (!section) return shape("its global section is damaged");
    const uint32_t imported = m_module.importCount(wasm::Entity::Global);
    wasm::Cursor cursor(m_module.text(), section->content);
    std::size_t done = 0;
    const uint64_t count = cursor.number();
    for (uint64_t i = 0; i < count && cursor.ok() && done < m_globals.size(); ++i) {
      BLOBSCOPE_CHECK(checkStop(i));
      const uint8_t type = cursor.byte();
      if (type == 0x63 || type == 0x64) cursor.signedNumber(64);
      cursor.byte(); // mutability
      if (m_globals[done] == imported + i) {
        if (cursor.byte() != kI32Const) return shape("the address of the blob is computed in its global section");
        const uint64_t at = cursor.position();
        cursor.signedNumber(32);
        const Extent place{at, cursor.position() - at};
        if (cursor.byte() != 0x0b) return shape("the address of the blob is computed in its global section");
        // Numbers in the shortest form stay in it, padded ones keep their width.
        const bool shortest = addressText(m_old.offset).size() == place.size;
        rewrite.replace(place, addressText(m_newAddress, shortest ? 1 : place.size), "address of the blob");
        if (done++ == 0) m_globalOffset = at;
        continue;
      }
      if (!skipExpression(cursor)) return shape("its global section has unknown instructions");
    }
    if (done != m_globals.size()) return shape("its global section is damaged");
    touched.push_back(*section);
    return Done{};
  }

  /// Skips a constant expression including its `end`.
  static bool skipExpression(wasm::Cursor& cursor) {
    while (cursor.ok()) {
      switch (cursor.byte()) {
      case 0x0b: return cursor.ok();
      case 0x41: cursor.signedNumber(32); break;
      case 0x42: cursor.signedNumber(64); break;
      case 0x43: cursor.take(4); break;
      case 0x44: cursor.take(8); break;
      case 0x23:
      case 0xd2: cursor.number(); break;
      case 0xd0: cursor.signedNumber(64); break;
      case 0xfd: cursor.number(), cursor.take(16); break;
      case 0x6a:
      case 0x6b:
      case 0x6c:
      case 0x7c:
      case 0x7d:
      case 0x7e: break;
      default: return false;
      }
    }
    return false;
  }

  /// Writes the address in the code, and the sizes around it when its width changes.
  Result<Done> writeOperand(Rewrite& rewrite, std::vector<SectionPlace>& touched) {
    if (!m_operand || m_resized) return Done{};
    const bool shortest = addressText(m_old.offset).size() == m_operand->size;
    const std::string newOperand = addressText(m_newAddress, shortest ? 1 : m_operand->size);
    rewrite.replace(*m_operand, newOperand, "address of the blob");
    if (newOperand.size() == m_operand->size) return Done{};
    for (const wasm::SectionEntry& section : m_module.sections)
      if (section.id == wasm::Custom &&
          (section.name.starts_with(".debug_") || section.name.starts_with("metadata.code.")))
        return shape("the code gets longer, and its section '" + escapedWithin(section.name, 32) +
                     "' uses offsets from its beginning; strip it first");
    const auto code = placeOf(m_module, wasm::Code);
    const auto body = std::find_if(m_module.bodies.begin(), m_module.bodies.end(),
                                   [&](Extent extent) { return extent.contains(*m_operand); });
    if (!code || body == m_module.bodies.end()) return shape("its code section is damaged");
    // The size of the body is before it, after the previous body or the number of bodies.
    uint64_t at = code->content.offset;
    if (body != m_module.bodies.begin()) {
      at = std::prev(body)->end();
    } else {
      wasm::Cursor cursor(m_module.text(), code->content);
      cursor.number();
      at = cursor.position();
    }
    wasm::Cursor cursor(m_module.text(), {at, code->content.end() - std::min(at, code->content.end())});
    const Number size = readNumber(cursor);
    if (size.place.end() != body->offset || size.value != body->size) return shape("its code section is damaged");
    const uint64_t newSize = size.value - m_operand->size + newOperand.size();
    rewrite.replace(size.place, lebLike(newSize, size.value, size.place.size), "size of the function");
    touched.push_back(*code);
    return Done{};
  }

  /// Returns the new blob in one piece.
  Result<Buffer> joinedBlob() const {
    Buffer memory;
    memory.reserve(m_request.newBlob.size);
    for (const Bytes& piece : m_request.newBlob.pieces)
      for (uint64_t done = 0; done < piece.size(); done += kStep) {
        BLOBSCOPE_CHECK(checkStop(0));
        const Bytes step = piece.slice(done, kStep);
        memory.insert(memory.end(), step.span().begin(), step.span().end());
      }
    return memory;
  }

  /// Writes the old blob's segments, the allocator's word, and the new segments after all others.
  Result<Done> writeData(Rewrite& rewrite, const std::vector<Extent>& oldPlaces, std::vector<SectionPlace>& touched) {
    // 1. The remaining old segments.
    std::size_t kept = m_module.data.size();
    if (m_resized) {
      kept -= m_chosen.size();
      // Single-byte segments for the word, which an earlier edit added, are directly before (see below).
      while (m_word && kept > 0 && isLoneByte(kept - 1)) --kept;
    } else if (m_scrub) {
      for (const Extent& place : oldPlaces) rewrite.zeros(place, place.size, "old blob");
    }
    m_insertAt = m_dataPlace.content.end();
    const uint64_t cut = kept == m_module.data.size() ? m_insertAt : entryStart(kept);

    // 2. The word: bytes in a segment are overwritten there, bytes that were omitted as zeros are added.
    std::string added;
    uint64_t segments = 0;
    if (m_word) {
      const std::string word = numberText(rounded(m_newAddress + m_request.newBlob.size, kAlign), kWord, false);
      m_wordOffset = cut;
      for (uint64_t i = 0; i < kWord; ++i) {
        const auto offset = offsetOf(*m_word + i, kept);
        if (offset) {
          rewrite.set(*offset, word.substr(i, 1), "start of free memory");
          m_wordOffset = std::min(m_wordOffset, *offset);
        } else if (word[i] != 0) {
          added += segmentText(*m_word + i, word.substr(i, 1));
          ++segments;
        }
      }
    }

    // 3. The blob. Its last byte is always written: readers only add a limited number of zeros.
    BLOBSCOPE_TRY(memory, joinedBlob());
    const std::string_view text(reinterpret_cast<const char*>(memory.data()), memory.size());
    if (kept + segments + 2 > kSegments)
      return shape("it has " + groupedText(kept) + " data segments, almost as many as browsers accept");
    BLOBSCOPE_TRY(runs, splitAtZeros(text, kSegments - kept - segments - 1, m_request.monitor));
    if (runs.empty() || runs.back().end() < text.size()) runs.push_back({text.size() - 1, 1});
    m_runs = runs.size();
    Buffer encoded;
    const auto append = [&](std::string_view bytes) {
      const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
      encoded.insert(encoded.end(), first, first + bytes.size());
    };
    for (std::size_t i = 0; i < runs.size(); ++i) {
      BLOBSCOPE_CHECK(checkStop(i));
      append(segmentText(m_newAddress + runs[i].offset, text.substr(runs[i].offset, runs[i].size)));
    }
    m_encodedSize = encoded.size();
    if (!added.empty()) rewrite.replace({cut, 0}, added, "start of free memory");
    rewrite.blob({cut, m_insertAt - cut}, ByteSource::all(ByteSource::fromBuffer(std::move(encoded))),
                 "data segments of the blob");
    return setSegmentCount(rewrite, m_request.package, m_module, m_dataPlace, kept + segments + runs.size(), touched);
  }

  /// Returns the offset of the entry of a data segment.
  uint64_t entryStart(std::size_t index) const {
    if (index > 0) return m_module.data[index - 1].bytes.end();
    wasm::Cursor cursor(m_module.text(), m_dataPlace.content);
    cursor.number();
    return cursor.position();
  }

  bool isLoneByte(std::size_t index) const {
    const wasm::DataSegment& segment = m_module.data[index];
    return segment.bytes.size == 1 && segment.address.number >= *m_word && segment.address.number < *m_word + kWord;
  }

  /// Returns the file offset of that byte of memory in one of the first `kept` segments.
  std::optional<uint64_t> offsetOf(uint64_t address, std::size_t kept) const {
    const auto next = m_segments.upper_bound(address);
    if (next == m_segments.begin()) return std::nullopt;
    const std::size_t index = std::prev(next)->second;
    const wasm::DataSegment& segment = m_module.data[index];
    if (index >= kept || address - segment.address.number >= segment.bytes.size) return std::nullopt;
    return segment.bytes.offset + (address - segment.address.number);
  }

  /// Source maps use offsets in the file.
  Result<Done> checkSourceMap(const Rewrite& rewrite) const {
    const wasm::SectionEntry* const code = m_module.find(wasm::Code);
    if (!code || !m_module.find(wasm::Custom, "sourceMappingURL")) return Done{};
    if (rewrite.outputOf(code->content.end()) == code->content.end()) return Done{};
    return shape("its code moves, and its source map uses offsets in the file; remove the section "
                 "'sourceMappingURL' first");
  }

  const PlanRequest& m_request;
  const wasm::Module& m_module;

  SectionPlace m_dataPlace, m_memoryPlace;
  Number m_minimum; ///< pages of memory
  std::optional<uint64_t> m_maximum;
  uint64_t m_memoryBytes = 0;
  Extent m_old;                               ///< place in memory
  std::map<uint64_t, std::size_t> m_segments; ///< by address
  std::vector<std::size_t> m_chosen;          ///< the segments that contain the blob
  uint64_t m_othersEnd = 0;                   ///< end of all other segments in memory
  Bytes m_image;
  uint64_t m_base = 0; ///< address of m_image
  uint64_t m_newAddress = 0, m_pages = 0;
  std::optional<uint64_t> m_word; ///< address of the allocator's start of free memory
  std::optional<Extent> m_operand;
  std::vector<uint32_t> m_globals;
  std::vector<Diagnostic> m_consequences;
  bool m_resized = false, m_scrub = false;
  bool m_adjacent = false; ///< the constants of name and address are adjacent
  uint64_t m_insertAt = 0, m_encodedSize = 0, m_runs = 0, m_wordOffset = 0, m_globalOffset = 0;
};

} // namespace

Result<std::optional<Plan>> resizeInMemory(const PlanRequest& request, const wasm::Module& module) {
  return MemoryPlanner(request, module).resize();
}

Result<Plan> moveInMemory(const PlanRequest& request, const wasm::Module& module) {
  return MemoryPlanner(request, module).move();
}

} // namespace blobscope::write::wasm_parts
