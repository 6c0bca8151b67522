#include "core/write/rewrite.h"

#include "core/base/text.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write {
namespace {

/// Adds `extent` of the input as ranges, with `kind` for the extents of `blob`, which are ascending.
void addRanges(std::vector<PlanRange>& ranges, Extent extent, const std::vector<Extent>& blob, PlanRange::Kind kind) {
  uint64_t done = extent.offset;
  auto it = std::lower_bound(blob.begin(), blob.end(), extent.offset,
                             [](Extent part, uint64_t offset) { return part.end() <= offset; });
  for (; it != blob.end() && it->offset < extent.end(); ++it) {
    const uint64_t from = std::max(done, it->offset), to = std::min(extent.end(), it->end());
    addRange(ranges, PlanRange::Kind::Other, from - done);
    addRange(ranges, kind, to - from);
    done = to;
  }
  addRange(ranges, PlanRange::Kind::Other, extent.end() - done);
}

} // namespace

void Rewrite::set(uint64_t offset, std::string_view bytes, std::string why) {
  if (m_input.slice(offset, bytes.size()).view() != bytes) replace({offset, bytes.size()}, bytes, std::move(why));
}

void Rewrite::replace(Extent old, std::string_view bytes, std::string why) {
  Item item{old, false, 0, bytes.size(), {}, std::move(why)};
  if (!bytes.empty()) item.pieces.push_back(Bytes::copyOf(bytes));
  m_items.push_back(std::move(item));
}

void Rewrite::zeros(Extent old, uint64_t count, std::string why) {
  if (count > 0 || old.size > 0) m_items.push_back({old, false, count, count, {}, std::move(why)});
}

void Rewrite::blob(Extent old, const NewBlob& newBlob) {
  m_items.push_back({old, true, 0, newBlob.size, newBlob.pieces, {}});
}

void Rewrite::blob(Extent old, Bytes encoded, std::string why) {
  const uint64_t size = encoded.size();
  m_items.push_back({old, true, 0, size, {std::move(encoded)}, std::move(why)});
}

uint64_t Rewrite::sizeOf(Extent old) const {
  uint64_t size = old.size;
  for (const Item& item : m_items)
    if (item.old.offset >= old.offset && item.old.end() <= old.end()) size += item.size - item.old.size;
  return size;
}

Result<Done> Rewrite::settle(const library::Package& package) {
  std::stable_sort(m_items.begin(), m_items.end(), [](const Item& a, const Item& b) {
    return a.old.offset != b.old.offset ? a.old.offset<b.old.offset : (a.old.size == 0)>(b.old.size == 0);
  });
  uint64_t done = 0;
  for (const Item& item : m_items) {
    if (item.old.offset < done || !Extent{0, m_input.size()}.contains(item.old))
      return layoutError(package, "its parts overlap at " + hexText(item.old.offset));
    done = item.old.end();
  }
  return Done{};
}

uint64_t Rewrite::outputOf(uint64_t offset) const {
  uint64_t moved = offset;
  for (const Item& item : m_items) {
    if (item.old.end() > offset) break;
    moved += item.size - item.old.size;
  }
  return moved;
}

void Rewrite::step(std::string what, uint64_t outputOffset, uint64_t size, std::string why) {
  m_steps.push_back({std::move(what), outputOffset, size, std::move(why)});
}

Plan Rewrite::plan(Strategy strategy) const {
  PlanBuilder builder;
  std::vector<Change> moved;
  std::vector<PlanRange> before, after;
  uint64_t done = 0;
  const auto upTo = [&](uint64_t offset) {
    if (offset > done && builder.position() != done) moved.push_back({builder.position(), offset - done, "moved"});
    builder.input({done, offset - done});
    addRanges(after, {done, offset - done}, m_blob, PlanRange::Kind::DeadBlob);
    done = offset;
  };
  for (const Item& item : m_items) {
    upTo(item.old.offset);
    if (item.isBlob)
      addRange(after, PlanRange::Kind::Blob, item.size);
    else if (item.size == item.old.size)
      addRanges(after, item.old, m_blob, PlanRange::Kind::DeadBlob);
    else
      addRange(after, PlanRange::Kind::Other, item.size);
    if (item.isBlob && item.why.empty())
      builder.blob({item.pieces, item.size});
    else
      for (const Bytes& piece : item.pieces) builder.literal(piece, item.why);
    builder.zeros(item.zeroCount, item.why);
    done = item.old.end();
  }
  upTo(m_input.size());
  addRanges(before, {0, m_input.size()}, m_blob, PlanRange::Kind::Blob);
  for (const Step& step : m_steps) builder.step(step.what, step.offset, step.size, step.why);
  Plan plan = builder.take({strategy});
  plan.changes.insert(plan.changes.end(), moved.begin(), moved.end());
  std::sort(plan.changes.begin(), plan.changes.end(),
            [](const Change& a, const Change& b) { return a.offset < b.offset; });
  plan.before = std::move(before);
  plan.after = std::move(after);
  return plan;
}

} // namespace blobscope::write
