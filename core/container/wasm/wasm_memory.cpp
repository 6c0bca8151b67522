#include "core/container/wasm/wasm_memory.h"

#include "core/base/limits.h"
#include "core/base/source.h"
#include "core/base/text.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <utility>

namespace blobscope::container::wasm {
namespace {

constexpr uint64_t kStep = uint64_t{1} << 20;

/// Segments of one address space: memory 0, or the memory at a global.
using Group = std::vector<const DataSegment*>;

void report(std::vector<Diagnostic>& diagnostics, DiagnosticId id, std::vector<Argument> arguments) {
  if (diagnostics.size() <= limits::kDiagnostics) diagnostics.push_back({id, Ref::file(), std::move(arguments)});
}

/// `size` zeros; made in steps so that the monitor is checked. Nothing when there is not enough memory.
Result<std::optional<GrowingBuffer>> zeros(uint64_t size, Monitor& monitor) {
  GrowingBuffer buffer;
  while (buffer.size() < size) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (!buffer.resize(std::min<uint64_t>(size, buffer.size() + kStep))) return std::optional<GrowingBuffer>{};
  }
  return std::optional(std::move(buffer));
}

Result<Done> copyInto(GrowingBuffer& buffer, uint64_t at, const Bytes& bytes, Monitor& monitor) {
  for (uint64_t done = 0; done < bytes.size(); done += kStep) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const Bytes piece = bytes.slice(done, kStep);
    std::memcpy(buffer.data() + at + done, piece.data(), piece.size());
  }
  return Done{};
}

/// Whether the segments, in order of their addresses, share a byte.
bool overlap(Group sorted) {
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->address.number < b->address.number; });
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (Extent{sorted[i - 1]->address.number, sorted[i - 1]->bytes.size}.end() > sorted[i]->address.number) return true;
  return false;
}

WasmMemory oneSegment(const Module& module, const DataSegment& segment) {
  WasmMemory memory;
  memory.bytes = module.file.slice(segment.bytes.offset, segment.bytes.size);
  memory.place = WasmMemory::Place::Unknown;
  if (!segment.active || segment.memory != 0 || !segment.address.known) return memory;
  memory.place = segment.address.global ? WasmMemory::Place::Global : WasmMemory::Place::Address;
  memory.base = segment.address.number;
  memory.global = segment.address.global.value_or(0);
  return memory;
}

/// Rebuilds the group as one part when possible, else each segment separately.
Result<Done> rebuild(const Module& module, const Group& group, const BudgetPtr& budget, Monitor& monitor,
                     std::vector<WasmMemory>& parts, std::vector<Diagnostic>& diagnostics) {
  uint64_t low = UINT64_MAX, high = 0;
  for (const DataSegment* segment : group) {
    low = std::min(low, segment->address.number);
    high = std::max(high, Extent{segment->address.number, segment->bytes.size}.end());
  }
  const bool relative = group.front()->address.global.has_value();
  bool whole = group.size() > 1 && high - low <= kMemoryBytes;
  if (group.size() > 1 && !whole)
    report(diagnostics, DiagnosticId::FileLimit,
           {arg("what", "bytes from the first to the last data segment, which are read one by one"),
            {"count", groupedText(high - low)},
            {"limit", groupedText(kMemoryBytes)}});
  // Several segments that begin at the same global have been placed by something that is not in the file.
  if (whole && relative && overlap(group)) whole = false;
  Charge charge(budget);
  if (whole && !charge.add(high - low)) {
    if (diagnostics.size() <= limits::kDiagnostics)
      diagnostics.push_back(
          budget->memoryExceeded("of linear memory, whose data segments are read one by one", high - low, Ref::file()));
    whole = false;
  }
  if (whole) {
    BLOBSCOPE_TRY(buffer, zeros(high - low, monitor));
    if (buffer) {
      for (const DataSegment* segment : group)
        BLOBSCOPE_CHECK(copyInto(*buffer, segment->address.number - low,
                                 module.file.slice(segment->bytes.offset, segment->bytes.size), monitor));
      WasmMemory memory = oneSegment(module, *group.front());
      memory.base = low;
      memory.bytes = ByteSource::all(ByteSource::fromBuffer(std::move(*buffer), std::move(charge)));
      parts.push_back(std::move(memory));
      return Done{};
    }
    report(diagnostics, DiagnosticId::FileTable,
           {arg("table", "linear memory"), {"reason", "there is no room for its " + sizeText(high - low)}});
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (i % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    parts.push_back(oneSegment(module, *group[i]));
  }
  return Done{};
}

} // namespace

Result<std::vector<WasmMemory>> rebuildMemory(const Module& module, const BudgetPtr& budget, Monitor& monitor,
                                              std::vector<Diagnostic>& diagnostics) {
  // --- 1. Which segments belong together. ---
  std::vector<WasmMemory> parts, unplaced;
  Group absolute;
  std::map<uint32_t, Group> relative;
  for (uint64_t i = 0; i < module.data.size(); ++i) {
    if (i % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const DataSegment& segment = module.data[i];
    if (segment.bytes.size == 0) continue;
    if (i >= limits::kSections) {
      report(diagnostics, DiagnosticId::FileLimit,
             {arg("what", "data segments"), arg("count", module.data.size()), arg("limit", limits::kSections)});
      break;
    }
    if (!segment.active || segment.memory != 0 || !segment.address.known)
      unplaced.push_back(oneSegment(module, segment));
    else if (segment.address.global)
      relative[*segment.address.global].push_back(&segment);
    else
      absolute.push_back(&segment);
  }

  // --- 2. Each group as a part, those with addresses first. ---
  uint64_t rebuilt = 0;
  const auto add = [&](const Group& group) -> Result<Done> {
    const std::size_t before = parts.size();
    BLOBSCOPE_CHECK(rebuild(module, group, budget, monitor, parts, diagnostics));
    if (parts.size() == before + 1 && group.size() > 1) rebuilt += parts.back().bytes.size();
    return Done{};
  };
  if (!absolute.empty()) BLOBSCOPE_CHECK(add(absolute));
  for (const auto& [global, group] : relative) {
    // One buffer of the largest size, not one per global.
    if (rebuilt <= kMemoryBytes / 2) {
      BLOBSCOPE_CHECK(add(group));
    } else {
      for (const DataSegment* segment : group) parts.push_back(oneSegment(module, *segment));
    }
  }
  parts.insert(parts.end(), std::make_move_iterator(unplaced.begin()), std::make_move_iterator(unplaced.end()));
  return parts;
}

Result<MemoryView> MemoryView::read(const Module& module, const BudgetPtr& budget, Monitor& monitor,
                                    std::vector<Diagnostic>& diagnostics) {
  MemoryView view;
  view.m_budget = budget;
  view.m_file = module.file;
  BLOBSCOPE_TRY(parts, wasm::rebuildMemory(module, budget, monitor, diagnostics));
  view.m_parts = std::move(parts);
  view.m_extended.resize(view.m_parts.size());
  for (const WasmMemory& part : view.m_parts) {
    uint64_t tail = module.dataCut ? 0 : kTailBytes;
    if (part.place == WasmMemory::Place::Address && module.memoryBytes) {
      const uint64_t end = Extent{part.base, part.bytes.size()}.end();
      tail = std::min(tail, *module.memoryBytes - std::min(*module.memoryBytes, end));
    }
    view.m_tails.push_back(tail);
  }
  for (std::size_t i = 0; i < view.m_parts.size(); ++i)
    if (view.m_parts[i].place != WasmMemory::Place::Unknown)
      view.m_bases[view.m_parts[i].place == WasmMemory::Place::Global].push_back({view.m_parts[i].base, i});
  for (auto& bases : view.m_bases) std::sort(bases.begin(), bases.end());
  for (const DataSegment& segment : module.data)
    if (segment.active && segment.memory == 0 && segment.address.known && !segment.address.global && segment.bytes.size)
      view.m_placed.push_back({segment.address.number, segment.bytes});
  std::stable_sort(view.m_placed.begin(), view.m_placed.end(),
                   [](const Placed& a, const Placed& b) { return a.address < b.address; });
  for (std::size_t i = 1; i < view.m_placed.size(); ++i)
    if (Extent{view.m_placed[i - 1].address, view.m_placed[i - 1].file.size}.end() > view.m_placed[i].address) {
      view.m_placed.clear(); // overlapping bytes are visible only in the rebuilt memory
      break;
    }
  return view;
}

std::optional<MemoryView::Position> MemoryView::find(uint64_t address) const {
  for (const auto& bases : m_bases) {
    const auto upper = std::upper_bound(bases.begin(), bases.end(), std::pair(address, SIZE_MAX));
    if (upper == bases.begin()) continue;
    const auto [base, part] = *std::prev(upper);
    if (address - base < m_parts[part].bytes.size()) return Position{part, address - base};
  }
  return std::nullopt;
}

uint64_t MemoryView::numberAt(std::size_t part, uint64_t offset) const {
  const Bytes& bytes = m_parts[part].bytes;
  uint64_t value = 0;
  if (offset < bytes.size()) std::memcpy(&value, bytes.data() + offset, std::min<uint64_t>(8, bytes.size() - offset));
  return value;
}

bool MemoryView::holdsBlob(Position position) const {
  const uint64_t reach = reachOf(position.part), declared = numberAt(position.part, position.offset);
  return position.offset < m_parts[position.part].bytes.size() && reach - position.offset >= 16 && declared >= 8 &&
         declared <= reach - position.offset - 8;
}

std::optional<Bytes> MemoryView::inFile(Position position, uint64_t size) const {
  const WasmMemory& part = m_parts[position.part];
  if (part.bytes.offset()) return std::nullopt; // it already is a slice of the file
  if (part.place != WasmMemory::Place::Address) return std::nullopt;
  const uint64_t address = addressOf(position);
  const auto upper = std::upper_bound(m_placed.begin(), m_placed.end(), address,
                                      [](uint64_t value, const Placed& placed) { return value < placed.address; });
  if (upper == m_placed.begin()) return std::nullopt;
  const Placed& placed = *std::prev(upper);
  const uint64_t delta = address - placed.address;
  if (delta >= placed.file.size || size > placed.file.size - delta) return std::nullopt;
  return m_file.slice(placed.file.offset + delta, placed.file.size - delta);
}

Bytes MemoryView::availableAt(Position position, Monitor& monitor) {
  const Bytes& bytes = m_parts[position.part].bytes;
  const uint64_t left = bytes.size() - position.offset, declared = numberAt(position.part, position.offset);
  const uint64_t needed = checkedAdd(declared, 8).value_or(UINT64_MAX);
  if (needed <= left) {
    if (const auto asIs = inFile(position, needed)) return *asIs;
    return bytes.slice(position.offset);
  }
  if (holdsBlob(position)) {
    Bytes& extended = m_extended[position.part];
    const uint64_t reach = reachOf(position.part);
    if (Charge charge(m_budget); extended.empty() && charge.add(reach)) {
      if (auto buffer = zeros(reach, monitor); buffer && *buffer && copyInto(**buffer, 0, bytes, monitor))
        extended = ByteSource::all(ByteSource::fromBuffer(std::move(**buffer), std::move(charge)));
    }
    if (!extended.empty()) return extended.slice(position.offset, needed);
  }
  if (const auto asIs = inFile(position, left)) return *asIs;
  return bytes.slice(position.offset);
}

Bytes MemoryView::blobAt(Position position, Monitor& monitor) {
  return availableAt(position, monitor).slice(0, numberAt(position.part, position.offset) + 8);
}

} // namespace blobscope::container::wasm
