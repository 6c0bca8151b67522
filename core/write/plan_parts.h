#pragma once

#include "core/write/plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What several planners need. Not for anyone else.
namespace blobscope::write {

/// Where `inner` lies in `outer`, counted from its first byte; nothing when it does not lie there as it is. The places
/// that Bytes know cannot tell: those of a member count from the member, and what is unpacked has them, too.
std::optional<Extent> placeIn(const Bytes& outer, const Bytes& inner);

/// The blob's place in its file, if the new one fits in. REP-GROW, REP-NOLOAD.
Result<Extent> roomFor(const PlanRequest& request);

/// REP-SHAPE with the package's format.
Error layoutError(const library::Package& package, std::string reason, Ref place = {});
/// REP-ARCHIVE.
Error archiveError(std::string reason);
/// REP-4G.
Error sizeError(uint64_t size, uint64_t limit);

/// Bytes of the output of a plan, without assembling it. Asked for front to back it remembers where it was.
class OutputReader {
public:
  OutputReader(const Plan& plan, const Bytes& input) : m_plan(plan), m_input(input), m_size(plan.size()) {}
  /// The bytes `[offset, offset + size)`, cut to what is there; copied unless one part holds them.
  Bytes read(uint64_t offset, uint64_t size);
  uint64_t size() const { return m_size; }

private:
  const Plan& m_plan;
  Bytes m_input;
  uint64_t m_size;
  std::size_t m_part = 0;
  uint64_t m_start = 0; ///< of the part m_part in the output
};

/// Adds what PlanBuilder does not see: bytes of the output at `moved` come from another place of the input. What is
/// told there already stays.
void addMoved(Plan& plan, Extent moved);
/// Adds to the last stretch when it is of the same kind.
void addRange(std::vector<PlanRange>& ranges, PlanRange::Kind kind, uint64_t size);

/// Ends the output at `size`; what is cut must be copied from the input.
void cutOutput(Plan& plan, uint64_t size);

/// Overwrites for the runs in which `fresh` differs from the bytes at `offset`. Runs that are closer than a word are
/// one.
void addDifferences(std::vector<Overwrite>& overwrites, std::string_view old, std::string_view newBytes,
                    uint64_t offset, const std::string& why);

/// `size` bytes of `value` in either byte order.
std::string numberText(uint64_t value, unsigned size, bool bigEndian);

// --- archives ---

/// A plan for an archive while it is put together: its own bytes as parts, and once the member's.
class MemberBuilder {
public:
  /// `member`: where the member lies in the archive; nothing when its new bytes come from somewhere else.
  MemberBuilder(const Bytes& archive, std::optional<Extent> member, Plan inner)
      : m_archive(archive), m_member(member), m_inner(std::move(inner)) {}

  /// Copies up to that offset of the archive.
  void upTo(uint64_t offset);
  /// Puts bytes in the place of as many of the archive's; what is equal to them is copied.
  void replace(uint64_t offset, std::string_view newBytes, const std::string& why);
  /// Leaves out `size` bytes of the archive behind what was copied.
  void skip(uint64_t size) { m_done += size; }
  void literal(std::string_view bytes, const std::string& why);
  /// The inner plan's parts in the place of the member.
  void member();
  /// Other bytes in the place of `size` bytes of the archive: a member that is packed again.
  void packed(const Bytes& bytes, uint64_t size, const std::string& why);
  PlanBuilder& builder() { return m_builder; }
  /// Copies the rest; with the inner plan's strategies and consequences.
  Plan take();

private:
  Bytes m_archive;
  std::optional<Extent> m_member;
  Plan m_inner;
  PlanBuilder m_builder;
  std::vector<Change> m_changes;
  std::vector<Step> m_steps;
  uint64_t m_done = 0; ///< in the archive
  uint64_t m_memberAt = 0, m_memberSize = 0, m_oldSize = 0, m_oldAt = 0;
};

// Each plans for an archive without compression around it. `archive`: its bytes; `index`: of the member, as
// container::Image counts them. REP-ARCHIVE, REP-THIN, REP-4G; Cancelled.
Result<Plan> planArMember(const Bytes& archive, const container::Member& member, Plan inner);
Result<Plan> planTarMember(const Bytes& archive, const container::Member& member, uint64_t index, Plan inner,
                           Monitor& monitor);
Result<Plan> planZipMember(const Bytes& archive, const container::Member& member, uint64_t index, Plan inner,
                           Monitor& monitor);

} // namespace blobscope::write
