#pragma once

#include "core/write/plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Functions that several planners share. Only for planners.
namespace blobscope::write {

/// Returns the extent of `inner` in `outer`; nothing when `outer` does not contain these bytes in memory.
/// Bytes::offset() is no substitute: offsets of a member are relative to the member, and unpacked bytes have them too.
std::optional<Extent> placeIn(const Bytes& outer, const Bytes& inner);

/// Returns the place of the blob in its file, if the new blob fits into it. Errors: REP-GROW, REP-NOLOAD.
Result<Extent> roomFor(const PlanRequest& request);

/// Returns REP-SHAPE with the package's format.
Error layoutError(const library::Package& package, std::string reason, Ref place = {});
/// Returns REP-ARCHIVE.
Error archiveError(std::string reason);
/// Returns REP-4G.
Error sizeError(uint64_t size, uint64_t limit);

/// Reads the output of a plan without assembling it. Remembers its position, so reading from front to back is fast.
class OutputReader {
public:
  OutputReader(const Plan& plan, const Bytes& input) : m_plan(plan), m_input(input), m_size(plan.size()) {}
  /// Returns the bytes `[offset, offset + size)`, cut at the end of the output; copies them unless one part contains
  /// them all.
  Bytes read(uint64_t offset, uint64_t size);
  uint64_t size() const { return m_size; }

private:
  const Plan& m_plan;
  Bytes m_input;
  uint64_t m_size;
  std::size_t m_part = 0;
  uint64_t m_start = 0; ///< offset of the part m_part in the output
};

/// Adds changes that PlanBuilder does not detect: the bytes of the output at `moved` come from another offset of the
/// input. Existing changes there stay.
void addMoved(Plan& plan, Extent moved);
/// The same for many, which do not overlap.
void addMoved(Plan& plan, std::vector<Extent> moved);
/// Adds a range; extends the last range when it has the same kind.
void addRange(std::vector<PlanRange>& ranges, PlanRange::Kind kind, uint64_t size);

/// Ends the output at `size`; the removed bytes must be copied from the input.
void cutOutput(Plan& plan, uint64_t size);

/// Adds overwrites for the ranges in which `newBytes` differs from `old`, which is at `offset`. Merges ranges that are
/// closer than a word.
void addDifferences(std::vector<Overwrite>& overwrites, std::string_view old, std::string_view newBytes,
                    uint64_t offset, const std::string& why);

/// Returns `size` bytes of `value` in either byte order.
std::string numberText(uint64_t value, unsigned size, bool bigEndian);

// --- archives ---

/// Builds a plan for an archive: the archive's bytes as parts, and once the parts of the member.
class MemberBuilder {
public:
  /// `member`: the place of the member in the archive; nothing when its new bytes come from somewhere else.
  MemberBuilder(const Bytes& archive, std::optional<Extent> member, Plan inner)
      : m_archive(archive), m_member(member), m_inner(std::move(inner)) {}

  /// Copies the archive up to that offset.
  void upTo(uint64_t offset);
  /// Overwrites bytes of the archive by the same number of bytes; copies equal bytes.
  void replace(uint64_t offset, std::string_view newBytes, const std::string& why);
  /// Skips the next `size` bytes of the archive.
  void skip(uint64_t size) { m_done += size; }
  void literal(std::string_view bytes, const std::string& why);
  /// Adds the parts of the inner plan in place of the member.
  void member();
  /// Replaces `size` bytes of the archive by a recompressed member.
  void packed(const Bytes& bytes, uint64_t size, const std::string& why);
  PlanBuilder& builder() { return m_builder; }
  /// Copies the rest and returns the plan with the strategies and consequences of the inner plan.
  Plan take();

private:
  Bytes m_archive;
  std::optional<Extent> m_member;
  Plan m_inner;
  PlanBuilder m_builder;
  std::vector<Change> m_changes;
  std::vector<Step> m_steps;
  uint64_t m_done = 0; ///< offset in the archive
  uint64_t m_memberAt = 0, m_memberSize = 0, m_oldSize = 0, m_oldAt = 0;
};

// Planners for archives without compression around them. `archive`: its bytes; `index`: the index of the member in
// container::Image. Errors: REP-ARCHIVE, REP-THIN, REP-4G, Cancelled.
Result<Plan> planArMember(const Bytes& archive, const container::Member& member, Plan inner);
Result<Plan> planTarMember(const Bytes& archive, const container::Member& member, uint64_t index, Plan inner,
                           Monitor& monitor);
Result<Plan> planZipMember(const Bytes& archive, const container::Member& member, uint64_t index, Plan inner,
                           Monitor& monitor);

} // namespace blobscope::write
