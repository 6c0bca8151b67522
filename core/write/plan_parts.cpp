#include "core/write/plan_parts.h"

#include "core/base/source.h"

#include <algorithm>

namespace blobscope::write {
namespace {

/// Returns `inner` with other bytes before and after it.
std::vector<PlanRange> surrounded(uint64_t before, const std::vector<PlanRange>& inner, uint64_t after) {
  std::vector<PlanRange> all;
  addRange(all, PlanRange::Kind::Other, before);
  for (const PlanRange& range : inner) addRange(all, range.kind, range.size);
  addRange(all, PlanRange::Kind::Other, after);
  return all;
}

/// Cuts the ranges to their first `size` bytes.
void cutRanges(std::vector<PlanRange>& ranges, uint64_t size) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].size < size) {
      size -= ranges[i].size;
      continue;
    }
    ranges[i].size = size;
    ranges.resize(size > 0 ? i + 1 : i);
    return;
  }
}

} // namespace

void addMoved(Plan& plan, std::vector<Extent> moved) {
  std::ranges::sort(moved, {}, &Extent::offset);
  std::vector<Change> gaps;
  auto first = plan.changes.begin(); // of those that do not end before the current extent
  for (const Extent& extent : moved) {
    uint64_t at = extent.offset;
    while (first != plan.changes.end() && first->offset + first->size <= at) ++first;
    for (auto change = first; change != plan.changes.end() && change->offset < extent.end(); ++change) {
      if (change->offset + change->size <= at) continue;
      if (change->offset > at) gaps.push_back({at, change->offset - at, "moved"});
      at = change->offset + change->size;
    }
    if (at < extent.end()) gaps.push_back({at, extent.end() - at, "moved"});
  }
  plan.changes.insert(plan.changes.end(), gaps.begin(), gaps.end());
  std::ranges::sort(plan.changes, {}, &Change::offset);
}

void addMoved(Plan& plan, Extent moved) { addMoved(plan, std::vector{moved}); }

void addRange(std::vector<PlanRange>& ranges, PlanRange::Kind kind, uint64_t size) {
  if (size == 0) return;
  if (!ranges.empty() && ranges.back().kind == kind)
    ranges.back().size += size;
  else
    ranges.push_back({kind, size});
}

std::optional<Extent> placeIn(const Bytes& outer, const Bytes& inner) {
  // Addresses of different objects can only be compared as numbers.
  const auto first = reinterpret_cast<std::uintptr_t>(outer.data()),
             at = reinterpret_cast<std::uintptr_t>(inner.data());
  if (inner.empty() || outer.empty() || at < first) return std::nullopt;
  const Extent place{at - first, inner.size()};
  return Extent{0, outer.size()}.contains(place) ? std::optional(place) : std::nullopt;
}

Result<Extent> roomFor(const PlanRequest& request) {
  const library::Package& package = request.package;
  const library::Blob& blob = request.blob;
  const auto room = placeIn(package.bytes, blob.bytes);
  if (!room) return Error(DiagnosticId::PlanNoLoad, {}, blob.ref());
  if (request.newBlob.size > room->size)
    return Error(DiagnosticId::PlanGrow,
                 {arg("size", request.newBlob.size), arg("room", room->size),
                  arg("format", container::formatTitle(package.image.format))},
                 blob.ref());
  return *room;
}

Error layoutError(const library::Package& package, std::string reason, Ref place) {
  return Error(DiagnosticId::PlanLayout,
               {arg("format", container::formatTitle(package.image.format)), {"reason", std::move(reason)}},
               package.ref(std::move(place)));
}

Error archiveError(std::string reason) { return Error(DiagnosticId::PlanArchive, {{"reason", std::move(reason)}}); }

Error sizeError(uint64_t size, uint64_t limit) {
  return Error(DiagnosticId::PlanSize, {sizeArg("size", size), sizeArg("limit", limit)});
}

Bytes OutputReader::read(uint64_t offset, uint64_t size) {
  offset = std::min(offset, m_size);
  size = std::min(size, m_size - offset);
  if (offset < m_start) m_part = 0, m_start = 0;
  while (m_part < m_plan.parts.size() && offset - m_start >= m_plan.parts[m_part].size())
    m_start += m_plan.parts[m_part++].size();
  if (size == 0 || m_part == m_plan.parts.size()) return {};

  const auto bytesOf = [&](const Part& part, uint64_t from, uint64_t count) {
    if (part.from == Part::From::Input) return m_input.slice(part.input.offset, part.input.size).slice(from, count);
    return part.bytes.slice(from, count);
  };
  const Part& first = m_plan.parts[m_part];
  if (first.from != Part::From::Zeros && first.size() - (offset - m_start) >= size)
    return bytesOf(first, offset - m_start, size);

  Buffer buffer;
  buffer.reserve(size);
  std::size_t part = m_part;
  uint64_t start = m_start;
  while (buffer.size() < size && part < m_plan.parts.size()) {
    const Part& current = m_plan.parts[part];
    const uint64_t from = offset + buffer.size() - start, count = std::min(current.size() - from, size - buffer.size());
    if (current.from == Part::From::Zeros) {
      buffer.resize(buffer.size() + count);
    } else {
      const Bytes bytes = bytesOf(current, from, count);
      if (bytes.size() < count) break; // a part outside its input is a bug of ours; do not invent bytes
      buffer.insert(buffer.end(), bytes.span().begin(), bytes.span().end());
    }
    start += current.size();
    ++part;
  }
  return ByteSource::all(ByteSource::fromBuffer(std::move(buffer)));
}

void cutOutput(Plan& plan, uint64_t size) {
  uint64_t end = plan.size();
  while (end > size && !plan.parts.empty() && plan.parts.back().from == Part::From::Input) {
    Part& last = plan.parts.back();
    const uint64_t cut = std::min(end - size, last.input.size);
    last.input.size -= cut;
    end -= cut;
    if (last.input.size == 0) plan.parts.pop_back();
  }
  cutRanges(plan.after, end);
}

void addDifferences(std::vector<Overwrite>& overwrites, std::string_view old, std::string_view newBytes,
                    uint64_t offset, const std::string& why) {
  constexpr std::size_t kWord = 8;
  const std::size_t size = std::min(old.size(), newBytes.size());
  for (std::size_t at = 0; at < size; ++at) {
    if (old[at] == newBytes[at]) continue;
    std::size_t end = at + 1;
    for (std::size_t next = end; next < size && next - end < kWord; ++next)
      if (old[next] != newBytes[next]) end = next + 1;
    overwrites.push_back({offset + at, Bytes::copyOf(newBytes.substr(at, end - at)), why});
    at = end;
  }
}

std::string numberText(uint64_t value, unsigned size, bool bigEndian) {
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += static_cast<char>(value >> 8 * (bigEndian ? size - 1 - i : i));
  return text;
}

// --- MemberBuilder

void MemberBuilder::upTo(uint64_t offset) {
  if (offset <= m_done) return;
  m_builder.input({m_done, offset - m_done});
  m_done = offset;
}

void MemberBuilder::replace(uint64_t offset, std::string_view newBytes, const std::string& why) {
  upTo(offset);
  if (m_archive.slice(offset, newBytes.size()).view() == newBytes) {
    upTo(offset + newBytes.size());
    return;
  }
  m_builder.step("Set: " + why, m_builder.position(), newBytes.size(), "follows from the member's new bytes");
  m_builder.literal(Bytes::copyOf(newBytes), why);
  m_done = offset + newBytes.size();
}

void MemberBuilder::literal(std::string_view bytes, const std::string& why) {
  m_builder.literal(Bytes::copyOf(bytes), why);
}

void MemberBuilder::member() {
  const Extent place = m_member.value_or(Extent{m_done, 0});
  upTo(place.offset);
  m_oldAt = place.offset;
  m_oldSize = place.size;
  m_memberAt = m_builder.position();
  m_memberSize = m_inner.size();
  for (const Part& part : m_inner.parts) {
    switch (part.from) {
    case Part::From::Input: m_builder.input({place.offset + part.input.offset, part.input.size}); break;
    case Part::From::Literal: m_builder.literal(part.bytes, {}); break;
    case Part::From::Blob: m_builder.blob({{part.bytes}, part.bytes.size()}); break;
    case Part::From::Zeros: m_builder.zeros(part.zeros, {}); break;
    }
  }
  m_done = place.end();
  // Offsets in the inner plan are relative to the member.
  for (Change change : m_inner.changes) {
    change.offset += m_memberAt;
    m_changes.push_back(std::move(change));
  }
  for (Step step : m_inner.steps) {
    if (step.offset) *step.offset += m_memberAt;
    m_steps.push_back(std::move(step));
  }
}

void MemberBuilder::packed(const Bytes& bytes, uint64_t size, const std::string& why) {
  m_oldAt = m_done;
  m_oldSize = size;
  m_memberAt = m_builder.position();
  m_memberSize = bytes.size();
  for (Step step : m_inner.steps) {
    step.offset.reset(); // its offset in compressed bytes is unknown
    m_steps.push_back(std::move(step));
  }
  m_builder.step("Recompress", m_memberAt, bytes.size(), "it was compressed");
  m_builder.literal(bytes, why);
  m_inner.before = {{PlanRange::Kind::Other, size}};
  m_inner.after = {{PlanRange::Kind::Other, bytes.size()}};
  m_done += size;
}

Plan MemberBuilder::take() {
  upTo(m_archive.size());
  const uint64_t size = m_builder.position();
  Plan plan = m_builder.take(std::move(m_inner.strategies));
  plan.changes.insert(plan.changes.end(), std::make_move_iterator(m_changes.begin()),
                      std::make_move_iterator(m_changes.end()));
  std::sort(plan.changes.begin(), plan.changes.end(),
            [](const Change& a, const Change& b) { return a.offset < b.offset; });
  m_steps.insert(m_steps.end(), std::make_move_iterator(plan.steps.begin()), std::make_move_iterator(plan.steps.end()));
  plan.steps = std::move(m_steps);
  plan.before = surrounded(m_oldAt, m_inner.before, m_archive.size() - m_oldAt - m_oldSize);
  plan.after = surrounded(m_memberAt, m_inner.after, size - m_memberAt - m_memberSize);
  plan.consequences = std::move(m_inner.consequences);
  return plan;
}

} // namespace blobscope::write
