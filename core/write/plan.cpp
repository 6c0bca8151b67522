#include "core/write/plan.h"

#include "core/base/thread_rule.h"
#include "core/base/writer.h"
#include "core/write/members.h"
#include "core/write/plan_parts.h"

#include <algorithm>
#include <cstring>

namespace blobscope::write {

uint64_t Part::size() const {
  switch (from) {
  case From::Input: return input.size;
  case From::Zeros: return zeros;
  case From::Literal:
  case From::Blob: break;
  }
  return bytes.size();
}

uint64_t Plan::size() const {
  uint64_t size = 0;
  for (const Part& part : parts) size += part.size();
  return size;
}

// --- strategies

std::string_view strategyName(Strategy strategy) {
  switch (strategy) {
  case Strategy::InPlace: return "in-place";
  case Strategy::Resize: return "resize";
  case Strategy::AppendNull: return "append-null";
  case Strategy::AppendSpare: return "append-spare";
  case Strategy::AppendSlide: return "append-slide";
  case Strategy::AppendNote: return "append-note";
  case Strategy::AppendPhdr: return "append-phdr";
  case Strategy::AppendSection: return "append-section";
  case Strategy::AppendSegment: return "append-segment";
  case Strategy::AppendMemory: return "append-memory";
  case Strategy::Members: return "members";
  case Strategy::Values: break;
  }
  return "values";
}

std::string strategyName(const Plan& plan) {
  if (plan.isIdentity()) return "identity";
  std::string names;
  for (const Strategy strategy : plan.strategies) {
    if (!names.empty()) names += ", ";
    names += strategyName(strategy);
  }
  return names;
}

// --- PlanBuilder

void PlanBuilder::input(Extent extent) {
  if (extent.size == 0) return;
  m_position += extent.size;
  if (!m_plan.parts.empty()) {
    Part& last = m_plan.parts.back();
    if (last.from == Part::From::Input && last.input.offset + last.input.size == extent.offset) {
      last.input.size += extent.size;
      return;
    }
  }
  m_plan.parts.push_back({Part::From::Input, extent, {}, 0});
}

void PlanBuilder::change(uint64_t size, std::string why) {
  if (size == 0 || why.empty()) return;
  if (!m_plan.changes.empty()) {
    Change& last = m_plan.changes.back();
    if (last.why == why && last.offset + last.size == m_position) {
      last.size += size;
      return;
    }
  }
  m_plan.changes.push_back({m_position, size, std::move(why)});
}

void PlanBuilder::literal(Bytes bytes, std::string why) {
  if (bytes.empty()) return;
  const uint64_t size = bytes.size();
  change(size, std::move(why));
  m_plan.parts.push_back({Part::From::Literal, {}, std::move(bytes), 0});
  m_position += size;
}

void PlanBuilder::blob(const NewBlob& newBlob) {
  for (const Bytes& piece : newBlob.pieces)
    if (!piece.empty()) m_plan.parts.push_back({Part::From::Blob, {}, piece, 0});
  m_position += newBlob.size;
}

void PlanBuilder::zeros(uint64_t count, std::string why) {
  if (count == 0) return;
  change(count, std::move(why));
  m_plan.parts.push_back({Part::From::Zeros, {}, {}, count});
  m_position += count;
}

void PlanBuilder::step(std::string what, std::optional<uint64_t> offset, std::optional<uint64_t> size,
                       std::string why) {
  m_plan.steps.push_back({std::move(what), offset, size, std::move(why)});
}

Plan PlanBuilder::take(std::vector<Strategy> strategies) {
  m_plan.strategies = std::move(strategies);
  return std::move(m_plan);
}

// --- plans that do not move bytes

Plan identityPlan(const library::Package& package) {
  PlanBuilder builder;
  builder.input({0, package.bytes.size()});
  builder.step("Copy the whole file", 0, package.bytes.size(), "nothing changes");
  Plan plan = builder.take({});
  addRange(plan.before, PlanRange::Kind::Other, package.bytes.size());
  plan.after = plan.before;
  return plan;
}

Plan planValues(const library::Package& package, std::span<const edit::BytesRun> runs) {
  PlanBuilder builder;
  Plan ranges;
  uint64_t done = 0, written = 0;
  const auto upTo = [&](uint64_t offset) {
    builder.input({done, offset - done});
    addRange(ranges.before, PlanRange::Kind::Other, offset - done);
    done = offset;
  };
  for (const edit::BytesRun& run : runs) {
    upTo(run.offset);
    builder.literal(run.bytes, "values of a tensor");
    addRange(ranges.before, PlanRange::Kind::Member, run.bytes.size());
    done += run.bytes.size();
    written += run.bytes.size();
  }
  upTo(package.bytes.size());
  builder.step("Copy the file", 0, package.bytes.size(), "except for the changes below");
  builder.step("Write new values of tensors", runs.front().offset, written, "types and shapes stay, so nothing moves");
  Plan plan = builder.take({Strategy::Values});
  plan.before = ranges.before;
  plan.after = std::move(ranges.before);
  return plan;
}

Plan overwritePlan(const PlanRequest& request, Extent room, std::vector<Overwrite> overwrites) {
  const NewBlob& newBlob = request.newBlob;
  std::sort(overwrites.begin(), overwrites.end(),
            [](const Overwrite& a, const Overwrite& b) { return a.offset < b.offset; });
  const uint64_t fileSize = request.package.bytes.size(), free = room.size - newBlob.size;
  PlanBuilder builder;
  uint64_t done = 0;
  const auto upTo = [&](uint64_t offset) {
    if (offset > done) builder.input({done, offset - done});
    done = offset;
  };
  const auto putBlob = [&] {
    upTo(room.offset);
    builder.blob(newBlob);
    builder.zeros(free, "free bytes after the smaller blob");
    done = room.offset + room.size;
  };
  bool placed = false;
  for (const Overwrite& overwrite : overwrites) {
    if (!placed && overwrite.offset > room.offset) {
      putBlob();
      placed = true;
    }
    upTo(overwrite.offset);
    builder.literal(overwrite.bytes, overwrite.why);
    done = overwrite.offset + overwrite.bytes.size();
  }
  if (!placed) putBlob();
  upTo(fileSize);

  builder.step("Copy the file", 0, fileSize, "except for the changes below");
  builder.step("Write the new blob", room.offset, newBlob.size,
               free == 0 ? "it has the size of the old one" : "it fits in the old place");
  if (free > 0) builder.step("Fill the rest with zeros", room.offset + newBlob.size, free, "the new blob is smaller");
  for (const Overwrite& overwrite : overwrites)
    builder.step("Set: " + overwrite.why, overwrite.offset, overwrite.bytes.size(), "follows from the new blob");
  Plan plan = builder.take({Strategy::InPlace});
  addRange(plan.before, PlanRange::Kind::Other, room.offset);
  plan.after = plan.before;
  addRange(plan.before, PlanRange::Kind::Blob, room.size);
  addRange(plan.after, PlanRange::Kind::Blob, newBlob.size);
  addRange(plan.before, PlanRange::Kind::Other, fileSize - room.offset - room.size);
  addRange(plan.after, PlanRange::Kind::Other, free + fileSize - room.offset - room.size);
  if (free > 0) plan.consequences.push_back({DiagnosticId::PlanFree, {}, {sizeArg("size", free)}});
  return plan;
}

// --- assembling and choosing

Result<Bytes> assemble(const Plan& plan, const Bytes& input, Monitor& monitor) {
  longWork("write::assemble");
  constexpr uint64_t kStep = 1 << 20;
  const uint64_t size = plan.size();
  Buffer buffer;
  buffer.reserve(size);
  for (const Part& part : plan.parts) {
    if (part.from == Part::From::Zeros) {
      buffer.resize(buffer.size() + part.zeros);
      continue;
    }
    const Bytes bytes = part.from == Part::From::Input ? input.slice(part.input.offset, part.input.size) : part.bytes;
    for (uint64_t at = 0; at < bytes.size(); at += kStep) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("assembling the file", buffer.size(), size);
      const auto step = bytes.slice(at, kStep).span();
      buffer.insert(buffer.end(), step.begin(), step.end());
    }
  }
  return ByteSource::all(ByteSource::fromBuffer(std::move(buffer)));
}

Result<Plan> planBlob(const PlanRequest& request) {
  longWork("write::planBlob");
  const library::Package& package = request.package;
  const library::Blob& blob = request.blob;
  BLOBSCOPE_TRY(difference, findDifference(request.newBlob.pieces, blob.bytes, request.monitor));
  if (!difference) return identityPlan(package);
  // The end of the old blob must be certain, else other bytes would be overwritten.
  if (blob.bytes.size() != blob.declaredSize + 8)
    return Error(DiagnosticId::PlanLength, {{"reason", library::lengthMismatch(blob.declaredSize, blob.bytes.size())}},
                 blob.ref());
  using container::Format;
  switch (package.image.format) {
  case Format::Elf: return planElf(request);
  case Format::Pe: return planPe(request);
  case Format::Coff: return planCoff(request);
  case Format::MachO: return planMachO(request);
  case Format::Wasm: return planWasm(request);
  case Format::CSource: return planCSource(request);
  case Format::Raw: return planRaw(request);
  case Format::Universal:
  case Format::Ar:
  case Format::Tar:
  case Format::Zip: break; // their members contain the blobs
  }
  return Error(
      DiagnosticId::PlanLayout,
      {arg("format", container::formatTitle(package.image.format)), arg("reason", "it contains no blob itself")},
      blob.ref());
}

} // namespace blobscope::write
