#include "core/base/digest.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/base/writer.h"
#include "core/container/ar/file.h"
#include "core/container/archive/archive.h"
#include "core/container/macho/universal.h"
#include "core/container/number_at.h"
#include "core/write/members.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write {
namespace {

using container::Format;
using container::numberAt;
using container::macho::FatArch;
using container::macho::FatHeader;

/// The old and the new table of a universal file, by offset.
struct SliceTable {
  std::vector<FatArch> rows, newRows;
  std::size_t changed = 0; ///< the row of the slice whose size changes
  unsigned wordSize = 4;
};

/// Reads the rows, by offset.
Result<std::vector<FatArch>> readSlices(const library::Package& outer, const FatHeader& header) {
  constexpr uint64_t kMostAlignBits = 24; // lipo writes at most 2^15
  const std::string_view text = outer.bytes.view();
  if (!Extent{0, text.size()}.contains(header.table())) return layoutError(outer, "its table is truncated");
  std::vector<FatArch> rows;
  for (uint64_t i = 0; i < header.count; ++i) {
    rows.push_back(header.arch(text, i));
    if (const uint64_t bits = rows.back().align; bits > kMostAlignBits)
      return layoutError(outer, "a slice is aligned to 2^" + std::to_string(bits) + " bytes");
  }
  std::sort(rows.begin(), rows.end(),
            [](const FatArch& a, const FatArch& b) { return a.place.offset < b.place.offset; });
  return rows;
}

/// Computes the new offsets for a slice at `place` with `size` bytes. Only zeros may be between slices, since their
/// number changes.
Result<SliceTable> placeSlices(const library::Package& outer, const container::Member& member, Extent place,
                               uint64_t size, const Ref& ref) {
  const std::string_view text = outer.bytes.view();
  const auto header = FatHeader::read(text);
  SliceTable table;
  table.wordSize = header.wordSize();
  const uint64_t limit = table.wordSize == 8 ? INT64_MAX : UINT32_MAX;
  BLOBSCOPE_TRY(rows, readSlices(outer, header));
  std::vector<FatArch> newRows = rows;
  std::optional<std::size_t> changed;
  uint64_t done = header.table().end();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Extent old = rows[i].place;
    if (old.offset < done || !Extent{0, text.size()}.contains(old))
      return layoutError(outer, "its slices overlap or are incomplete");
    if (text.substr(done, old.offset - done).find_first_not_of('\0') != std::string_view::npos)
      return layoutError(outer, "there are unknown bytes at " + hexText(done) + ", between slices");
    done = old.end();
    if (changed) {
      const uint64_t end = newRows[i - 1].place.end();
      const uint64_t align = uint64_t{1} << rows[i].align;
      newRows[i].place.offset = (end + align - 1) / align * align;
    } else if (old == place) {
      changed = i;
      newRows[i].place.size = size;
    }
    if (newRows[i].place.end() > limit)
      return Error(DiagnosticId::PlanSize, {sizeArg("size", newRows[i].place.end()), sizeArg("limit", limit)}, ref);
  }
  if (!changed)
    return layoutError(outer, "no entry of its table gives the size of slice '" + escaped(member.path) + "'");
  table.rows = std::move(rows);
  table.newRows = std::move(newRows);
  table.changed = *changed;
  return table;
}

/// Plans a slice with another size: the slices after it move to the next offset with their alignment. Nothing before it
/// changes, so the result depends only on the sizes. Source: core/formats/containers.md 6.4.
Result<Plan> planSlice(const library::Package& outer, const container::Member& member, Plan inner, const Ref& ref) {
  const auto place = placeIn(outer.bytes, member.bytes);
  if (!place) return layoutError(outer, "slice '" + escaped(member.path) + "' is not stored in it unchanged");
  for (const container::Member& other : outer.image.members) {
    const auto taken = placeIn(outer.bytes, other.bytes);
    if (&other != &member && taken && taken->offset < place->end() && place->offset < taken->end())
      return layoutError(outer, "slices '" + escaped(member.path) + "' and '" + escaped(other.path) + "' overlap");
  }
  const uint64_t size = inner.size();
  MemberBuilder builder(outer.bytes, place, std::move(inner));
  if (size == place->size) {
    builder.member();
    return builder.take();
  }
  BLOBSCOPE_TRY(slices, placeSlices(outer, member, *place, size, ref));

  // --- The output: the table, the slice, and the moved slices. ---
  const auto& [rows, newRows, changed, word] = slices;
  std::vector<FatArch> table = newRows;
  std::sort(table.begin(), table.end(), [](const FatArch& a, const FatArch& b) { return a.at < b.at; });
  for (const FatArch& row : table)
    builder.replace(row.at + 8, numberText(row.place.offset, word, true) + numberText(row.place.size, word, true),
                    "table of slices");
  builder.member();
  for (std::size_t i = changed + 1; i < rows.size(); ++i) {
    builder.skip(rows[i].place.offset - rows[i - 1].place.end());
    builder.builder().zeros(newRows[i].place.offset - newRows[i - 1].place.end(), "padding between slices");
    builder.builder().step("Move slice", newRows[i].place.offset, rows[i].place.size,
                           "the one before it has another size");
    builder.upTo(rows[i].place.end());
  }
  return builder.take();
}

/// Returns the size of the gzip header; 0 when it is damaged. Source: RFC 1952, 2.3.
uint64_t gzipHeader(std::string_view text) {
  enum : unsigned { Checksum = 2, Extra = 4, Name = 8, Comment = 16 };
  if (text.size() < 18) return 0;
  const auto flags = static_cast<unsigned char>(text[3]);
  uint64_t at = 10;
  if (flags & Extra) at += 2 + uint64_t{numberAt<uint16_t>(text, at)};
  for (const unsigned flag : {unsigned{Name}, unsigned{Comment}}) {
    if (!(flags & flag)) continue;
    const std::size_t end = at < text.size() ? text.find('\0', at) : std::string_view::npos;
    if (end == std::string_view::npos) return 0;
    at = end + 1;
  }
  if (flags & Checksum) at += 2;
  return at < text.size() ? at : 0;
}

/// Returns the compression level for the compressor's mark in the header (XFL: 2 best, 4 fastest).
int gzipLevel(char mark) { return mark == 2 ? 9 : mark == 4 ? 1 : 6; }

Result<Plan> planIn(const library::Package& outer, Format format, const Bytes& archive, const container::Member& member,
                    uint64_t index, Plan inner, Monitor& monitor) {
  switch (format) {
  case Format::Universal: return planSlice(outer, member, std::move(inner), outer.ref({}));
  case Format::Ar: return planArMember(archive, member, std::move(inner));
  case Format::Tar: return planTarMember(archive, member, index, std::move(inner), monitor);
  case Format::Zip: return planZipMember(archive, member, index, std::move(inner), monitor);
  case Format::Raw: return inner; // the content of a compressed file is its only member
  default: break;
  }
  return archiveError("it is not an archive");
}

/// Assembles the plan of a compressed file's content in memory and compresses it again after the existing header.
Result<Plan> compressed(const library::Package& outer, const Bytes& content, Plan plan, Monitor& monitor) {
  const bool gzip = outer.image.compression == "gzip";
  const std::string_view text = outer.bytes.view();
  if (plan.size() > limits::kUnpackedBytes) return sizeError(plan.size(), limits::kUnpackedBytes);
  BLOBSCOPE_TRY(whole, assemble(plan, content, monitor));
  if (plan.size() != whole.size()) return archiveError("it could not be assembled");

  const uint64_t header = gzip ? gzipHeader(text) : 0;
  if (gzip && header == 0) return archiveError("its gzip header is damaged");
  Bytes packed;
  if (gzip) {
    // Deflated bytes, their checksum and size: everything after the header.
    BLOBSCOPE_TRY(deflated, container::packDeflate(whole, gzipLevel(text[8]), monitor));
    uint32_t crc = 0;
    for (uint64_t at = 0; at < whole.size(); at += 1 << 20) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      crc = crc32(crc, whole.slice(at, 1 << 20).view());
    }
    packed = joined({deflated, Bytes::copyOf(numberText(crc, 4, false) + numberText(whole.size(), 4, false))});
  } else {
    BLOBSCOPE_TRY(frame, container::packZstd(whole, monitor));
    packed = frame;
  }
  MemberBuilder builder(outer.bytes, std::nullopt, std::move(plan));
  builder.upTo(header);
  builder.packed(packed, text.size() - header, "compressed bytes");
  return builder.take();
}

/// Plans a member of a compressed file.
Result<Plan> planPacked(const library::Package& outer, const container::Member& member, uint64_t index, Plan inner,
                        Monitor& monitor) {
  BLOBSCOPE_TRY(content, container::unpackStream(outer.bytes, limits::kUnpackedBytes, monitor));
  BLOBSCOPE_TRY(plan, planIn(outer, outer.image.format, content, member, index, std::move(inner), monitor));
  return compressed(outer, content, std::move(plan), monitor);
}

/// Returns a plan that writes the output of `plan` for the content of a compressed file without compression.
Plan uncompressed(const library::Package& outer, const Bytes& content, Plan plan) {
  for (Part& part : plan.parts)
    if (part.from == Part::From::Input)
      part = {Part::From::Literal, {}, content.slice(part.input.offset, part.input.size), 0};
  const uint64_t size = plan.size();
  plan.strategies = {Strategy::Members};
  plan.steps.push_back({"Store the archive without compression", 0, size,
                        "readers such as those of Zephyr and Arduino cannot read a compressed one"});
  plan.changes = {{0, size, "stored without compression"}};
  plan.before = {{PlanRange::Kind::Other, outer.bytes.size()}};
  return plan;
}

/// Returns a plan that replaces one member of an archive by other bytes.
Result<Plan> planContent(const library::Package& package, const edit::EditedArchive& edited, Monitor& monitor) {
  const auto isPlain = [](const edit::EditedMember& one) { return one.origin && !one.renamed; };
  if (!edited.removed.empty() || !std::all_of(edited.members.begin(), edited.members.end(), isPlain))
    return archiveError("the members of this kind of archive can be replaced, but not added, removed or renamed");
  const edit::EditedMember* changed = nullptr;
  for (const edit::EditedMember& one : edited.members) {
    if (!one.content) continue;
    if (changed) return archiveError("only one member of this kind of archive can be replaced at a time");
    changed = &one;
  }
  if (!changed) return identityPlan(package);
  const library::PackageMember& member = package.members[*changed->origin];
  PlanBuilder builder;
  builder.literal(*changed->content, "content of a member");
  builder.step("Replace member '" + escaped(member.name) + "'", 0, changed->content->size(), "all others stay");
  Plan plan = builder.take({Strategy::Members});
  addRange(plan.before, PlanRange::Kind::Member, member.stored->bytes.size());
  addRange(plan.after, PlanRange::Kind::Member, changed->content->size());
  return planMember(package, member, std::move(plan), monitor);
}

} // namespace

Result<Plan> planMember(const library::Package& outer, const library::PackageMember& member, Plan inner,
                        Monitor& monitor) {
  longWork("write::planMember");
  // An unchanged member must not change the outer file, but compressing it again would (core/formats/containers.md 8).
  if (inner.isIdentity()) return identityPlan(outer);
  const auto& members = outer.image.members;
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const container::Member& stored) { return &stored == member.stored; });
  if (found == members.end()) return archiveError("member '" + escaped(member.name) + "' is not in it");
  // Files and slices have bytes, but a thin archive contains only names.
  if (outer.bytes.view().starts_with(container::ar::kThinMagic))
    return Error(DiagnosticId::PlanThin, {arg("member", found->path)});
  const bool unpacked = outer.image.format != Format::Ar && outer.image.format != Format::Universal;
  if (unpacked && !found->note.empty()) return archiveError("member '" + escaped(member.name) + "' is " + found->note);
  const auto index = static_cast<uint64_t>(found - members.begin());
  if (!outer.image.compression.empty()) return planPacked(outer, *found, index, std::move(inner), monitor);
  return planIn(outer, outer.image.format, outer.bytes, *found, index, std::move(inner), monitor);
}

Result<Plan> planMembers(const library::Package& package, const edit::EditedArchive& edited, Monitor& monitor) {
  longWork("write::planMembers");
  if (package.image.format != Format::Tar) return planContent(package, edited, monitor);
  if (package.members.size() != package.image.members.size())
    return archiveError("not all of its members could be opened");
  const auto isIdentity = [](const Plan& plan, const Bytes& input) {
    return plan.parts.size() == 1 && plan.parts.front().from == Part::From::Input &&
           plan.parts.front().input == Extent{0, input.size()};
  };
  if (package.image.compression.empty()) {
    BLOBSCOPE_TRY(plan, planTarMembers(package.bytes, package.image, edited, monitor));
    return isIdentity(plan, package.bytes) ? identityPlan(package) : std::move(plan);
  }
  BLOBSCOPE_TRY(content, container::unpackStream(package.bytes, limits::kUnpackedBytes, monitor));
  BLOBSCOPE_TRY(plan, planTarMembers(content, package.image, edited, monitor));
  if (edited.uncompressed) return uncompressed(package, content, std::move(plan));
  if (isIdentity(plan, content)) return identityPlan(package);
  return compressed(package, content, std::move(plan), monitor);
}

} // namespace blobscope::write
