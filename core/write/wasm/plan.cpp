#include "core/write/wasm/plan.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/write/plan_parts.h"

#include <algorithm>
#include <cstring>

namespace blobscope::write {
namespace {

using namespace wasm_parts;
namespace wasm = container::wasm;

constexpr uint64_t kStep = 1 << 20;

/// Plans a linked module whose blob is spread over data segments. core/formats/containers.md 7 (3).
class SegmentPlanner {
public:
  SegmentPlanner(const PlanRequest& request, const wasm::Module& module) : m_request(request), m_module(module) {}

  Result<Plan> plan() {
    BLOBSCOPE_CHECK(chooseSegments());
    BLOBSCOPE_CHECK(rebuild());
    return write();
  }

private:
  Error refusal(std::string reason) const {
    return layoutError(m_request.package, std::move(reason), m_request.blob.ref());
  }

  // --- 1. The segments that contain the blob; no other segment may overlap them. ------------------------------------
  Result<Done> chooseSegments() {
    if (m_module.memory64) return refusal("its memory has 64-bit addresses");
    if (m_module.importCount(wasm::Entity::Memory) > 0)
      return refusal("its memory is imported, so zeros cannot be omitted");
    const auto data = placeOf(m_module, wasm::Data);
    if (!data || m_module.dataCut || m_module.data.empty()) return refusal("its data section is damaged");
    m_data = *data;
    m_old = {m_request.blob.carrier.address, m_request.blob.bytes.size()};
    if (m_old.end() > std::min(kMemory, m_module.memoryBytes.value_or(0)))
      return refusal("the blob at " + hexText(m_old.offset) + " extends past the end of its memory");
    std::vector<Extent> places;
    uint64_t low = m_old.offset, high = m_old.end();
    for (std::size_t i = 0; i < m_module.data.size(); ++i) {
      if (i % 4096 == 0 && m_request.monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const wasm::DataSegment& segment = m_module.data[i];
      if (!segment.active || segment.memory != 0 || segment.bytes.size == 0) continue;
      if (!segment.address.known || segment.address.global)
        return refusal("data segment " + std::to_string(i) + " has no constant address");
      const Extent place{segment.address.number, segment.bytes.size};
      if (place.end() > kMemory) return refusal("data segment " + std::to_string(i) + " extends past 4 GiB");
      places.push_back(place);
      if (place.offset >= m_old.end() || place.end() <= m_old.offset) continue;
      m_chosen.push_back(i);
      low = std::min(low, place.offset);
      high = std::max(high, place.end());
    }
    std::sort(places.begin(), places.end(), [](Extent a, Extent b) { return a.offset < b.offset; });
    for (std::size_t i = 1; i < places.size(); ++i)
      if (places[i - 1].end() > places[i].offset)
        return refusal("data segments overlap at " + hexText(places[i].offset));
    if (m_chosen.empty()) return refusal("no data segment contains the blob");
    m_hull = {low, high - low};
    return Done{};
  }

  // --- 2. The new content of that memory. ---------------------------------------------------------------------------
  Result<Done> rebuild() {
    m_memory.resize(m_hull.size);
    for (const std::size_t i : m_chosen) {
      const wasm::DataSegment& segment = m_module.data[i];
      BLOBSCOPE_CHECK(
          put(segment.address.number - m_hull.offset, m_module.file.slice(segment.bytes.offset, segment.bytes.size)));
    }
    // This memory must equal the one that readers rebuild, else another segment would be overwritten.
    const uint64_t at = m_old.offset - m_hull.offset;
    if (std::string_view(reinterpret_cast<const char*>(m_memory.data()) + at, m_old.size) !=
        m_request.blob.bytes.view())
      return refusal("the blob is not at " + hexText(m_old.offset));
    uint64_t done = at;
    for (const Bytes& piece : m_request.newBlob.pieces) {
      BLOBSCOPE_CHECK(put(done, piece));
      done += piece.size();
    }
    std::fill(m_memory.begin() + static_cast<std::ptrdiff_t>(done),
              m_memory.begin() + static_cast<std::ptrdiff_t>(at + m_old.size), std::byte{});
    return Done{};
  }

  Result<Done> put(uint64_t at, const Bytes& bytes) {
    for (uint64_t done = 0; done < bytes.size(); done += kStep) {
      if (m_request.monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const Bytes step = bytes.slice(done, kStep);
      std::memcpy(m_memory.data() + at + done, step.data(), step.size());
    }
    return Done{};
  }

  // --- 3. The sections. ---------------------------------------------------------------------------------------------
  Result<Plan> write() {
    BLOBSCOPE_TRY(keepCount, namesSegments(m_module, m_request.monitor));
    const uint64_t others = m_module.data.size() - m_chosen.size();
    const uint64_t most = keepCount ? m_chosen.size() : std::max<uint64_t>(1, kSegments - std::min(kSegments, others));
    const std::string_view memory(reinterpret_cast<const char*>(m_memory.data()), m_memory.size());
    BLOBSCOPE_TRY(runs, splitAtZeros(memory, most, m_request.monitor));
    // Segments that code may name keep their numbers, so segments that are no longer needed become empty.
    if (keepCount) runs.resize(m_chosen.size(), Extent{0, 0});
    const uint64_t count = others + runs.size();

    // The place of each chosen segment gets one range, that of the last segment all remaining ranges.
    std::vector<std::pair<Extent, std::string>> replaced; // entry in the file, its replacement
    std::size_t run = 0;
    uint64_t size = m_data.content.size;
    for (std::size_t i = 0; i < m_chosen.size(); ++i) {
      if (m_request.monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const Extent entry = entryOf(m_chosen[i]);
      std::string text;
      while (run < runs.size() && (text.empty() || i + 1 == m_chosen.size())) {
        text += segmentText(m_hull.offset + runs[run].offset, memory.substr(runs[run].offset, runs[run].size));
        ++run;
      }
      size = size - entry.size + text.size();
      if (!replaced.empty() && replaced.back().first.end() == entry.offset) {
        replaced.back().first.size += entry.size;
        replaced.back().second += text;
      } else {
        replaced.emplace_back(entry, std::move(text));
      }
    }
    const std::size_t countWidth = entryOf(0).offset - m_data.content.offset;
    const std::string countText = ulebText(count, countWidth);
    size = size - countWidth + countText.size();
    if (size > UINT32_MAX) return sizeError(size, UINT32_MAX);
    return put(replaced, count, countText, size);
  }

  /// Returns the extent of a segment in the file, including its header.
  Extent entryOf(std::size_t index) const {
    uint64_t begin = m_data.content.offset;
    if (index > 0) {
      begin = m_module.data[index - 1].bytes.end();
    } else {
      wasm::Cursor cursor(m_module.text(), m_data.content);
      cursor.number();
      begin = cursor.position();
    }
    return {begin, m_module.data[index].bytes.end() - begin};
  }

  Result<Plan> put(const std::vector<std::pair<Extent, std::string>>& replaced, uint64_t count,
                   const std::string& countText, uint64_t size) {
    const std::string_view text = m_module.text();
    PlanBuilder builder;
    uint64_t done = 0;
    std::vector<PlanRange> before, after;
    const auto upTo = [&](uint64_t offset) {
      builder.input({done, offset - done});
      done = offset;
    };
    const auto replace = [&](uint64_t offset, uint64_t old, const std::string& newBytes, const std::string& why) {
      upTo(offset);
      done = offset + old;
      if (text.substr(offset, old) == newBytes) return builder.input({offset, old});
      builder.step("Set: " + why, builder.position(), newBytes.size(), "follows from the new segments");
      builder.literal(Bytes::copyOf(newBytes), why);
    };
    builder.step("Copy the file", 0, text.size(), "except for the changes below");
    if (count != m_module.data.size())
      if (const auto place = placeOf(m_module, wasm::DataCount)) {
        const std::string number = ulebText(count, place->content.size);
        if (place->start > m_data.start) return refusal("its data count is after the data");
        replace(place->start + 1, place->sizeWidth + place->content.size,
                ulebText(number.size(), place->sizeWidth) + number, "number of data segments");
      }
    replace(m_data.start + 1, m_data.sizeWidth, ulebText(size, m_data.sizeWidth), "size of the data section");
    replace(m_data.content.offset, entryOf(0).offset - m_data.content.offset, countText, "number of data segments");
    for (const auto& [entry, newBytes] : replaced) {
      upTo(entry.offset);
      before.push_back({PlanRange::Kind::Other, entry.offset});
      after.push_back({PlanRange::Kind::Other, builder.position()});
      builder.step("Write the new blob", builder.position(), newBytes.size(),
                   "in data segments that omit zeros, " + groupedText(m_chosen.size()) + " before, " +
                       groupedText(count + m_chosen.size() - m_module.data.size()) + " now");
      builder.literal(Bytes::copyOf(newBytes), "data segments of the blob");
      before.push_back({PlanRange::Kind::Blob, entry.end()});
      after.push_back({PlanRange::Kind::Blob, builder.position()});
      done = entry.end();
    }
    upTo(text.size());
    before.push_back({PlanRange::Kind::Other, text.size()});
    after.push_back({PlanRange::Kind::Other, builder.position()});
    const uint64_t fileSize = builder.position();
    Plan plan = builder.take({fileSize == text.size() ? Strategy::InPlace : Strategy::Resize});
    // Until here, the ranges store their ends instead of sizes.
    const auto sized = [](std::vector<PlanRange>& ranges) {
      uint64_t begin = 0;
      for (PlanRange& range : ranges) begin += range.size -= begin;
      std::erase_if(ranges, [](const PlanRange& range) { return range.size == 0; });
    };
    sized(before);
    sized(after);
    plan.before = std::move(before);
    plan.after = std::move(after);
    return plan;
  }

  const PlanRequest& m_request;
  const wasm::Module& m_module;
  SectionPlace m_data;
  Extent m_old, m_hull; ///< in memory: the blob, the segments that contain it
  std::vector<std::size_t> m_chosen;
  Buffer m_memory; ///< the content of m_hull
};

/// Returns the place of the size of a symbol of a data segment in the symbol table of an object; empty when there is
/// none. Source: WebAssembly tool conventions, Linking.md, "Symbol Table Subsection".
Extent sizeOfSymbol(const wasm::Module& module, std::string_view symbol) {
  constexpr uint8_t kSymbolTable = 8, kData = 1, kSection = 3;
  constexpr uint64_t kUndefined = 0x10, kExplicitName = 0x40;
  const wasm::SectionEntry* const linking = module.find(wasm::Custom, "linking");
  if (!linking) return {};
  wasm::Cursor section(module.text(), linking->content);
  section.number(); // version
  while (!section.atEnd()) {
    const uint8_t id = section.byte();
    const Extent content = section.take(section.number());
    if (id != kSymbolTable) continue;
    wasm::Cursor cursor(module.text(), content);
    for (uint64_t left = cursor.number(); left > 0 && cursor.ok(); --left) {
      const uint8_t kind = cursor.byte();
      const uint64_t flags = cursor.number();
      if (kind != kData) {
        cursor.number();
        if (kind != kSection && (!(flags & kUndefined) || flags & kExplicitName)) cursor.name();
        continue;
      }
      const std::string_view name = cursor.name();
      if (flags & kUndefined) continue;
      cursor.number();
      cursor.number(64);
      const uint64_t at = cursor.position();
      cursor.number(64);
      if (cursor.ok() && name == symbol) return {at, cursor.position() - at};
    }
  }
  return {};
}

} // namespace

Result<Plan> planWasm(const PlanRequest& request) {
  longWork("write::planWasm");
  const library::Package& package = request.package;
  const library::Blob& blob = request.blob;
  const uint64_t newSize = request.newBlob.size;
  BLOBSCOPE_TRY(module, wasm::readModule(package.bytes, request.monitor));
  const bool isObject = package.image.kind == container::Kind::Object;
  if (!isObject || newSize != blob.bytes.size()) {
    BLOBSCOPE_TRY(resized, isObject ? resizeInObject(request, module) : resizeInMemory(request, module));
    if (resized) return std::move(*resized);
  }
  if (newSize > blob.bytes.size()) return moveInMemory(request, module);
  // Otherwise one segment contains the whole blob: in objects, and in modules that no optimiser has packed.
  if (!placeIn(package.bytes, blob.bytes)) return SegmentPlanner(request, module).plan();
  BLOBSCOPE_TRY(room, roomFor(request));
  std::vector<Overwrite> overwrites;
  if (isObject && newSize != room.size) {
    const Extent place = sizeOfSymbol(module, blob.carrier.symbol);
    // A smaller number fits into the bytes of a larger one.
    if (place.size > 0 && (place.end() <= room.offset || place.offset >= room.end()))
      overwrites.push_back({place.offset, Bytes::copyOf(ulebText(newSize, place.size)), "symbol size"});
  }
  return overwritePlan(request, room, std::move(overwrites));
}

} // namespace blobscope::write
