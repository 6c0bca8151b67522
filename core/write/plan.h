#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Replacing the blob of a finished file: first a plan, which is looked at, then its execution. Source of the methods:
/// core/formats/containers.md, measured on real files.
namespace blobscope::write {

/// A run of the output's bytes. Parts tile the output in order.
struct Part {
  enum class From {
    Input,   ///< `input` of the file as opened, byte for byte
    Literal, ///< `bytes`
    Blob,    ///< `bytes`, of the new blob
    Zeros    ///< `size` zeros
  };
  From from = From::Input;
  Extent input; ///< counts from the first byte of the (member) file that was planned for
  Bytes bytes;
  uint64_t zeros = 0;

  uint64_t size() const;
};

/// Bytes of the output outside the blob that differ from the input, or lie elsewhere.
struct Change {
  uint64_t offset = 0; ///< in the output
  uint64_t size = 0;
  std::string why; ///< "symbol size", "section headers"
};

/// One row of the plan as people read it.
struct Step {
  std::string what;               ///< "Write the new blob"
  std::optional<uint64_t> offset; ///< in the output
  std::optional<uint64_t> size;   ///< bytes
  std::string why;                ///< "does not fit in the old place"
};

/// A stretch of a file for the bars of before and after.
struct PlanRange {
  enum class Kind { Other, Blob, DeadBlob };
  Kind kind = Kind::Other;
  uint64_t size = 0;
};

/// How the new blob gets into the file.
enum class Strategy : uint8_t {
  InPlace,       ///< no offset of the file changes
  Resize,        ///< the blob's place becomes larger or smaller; what follows it moves
  AppendNull,    ///< ELF: a new segment, in an entry PT_NULL of the program header table
  AppendSpare,   ///< ELF: a new segment; the table grows into free bytes after it
  AppendSlide,   ///< ELF: a new segment; what follows the table moves
  AppendNote,    ///< ELF: a new segment, in the entry of the build id
  AppendPhdr,    ///< ELF: a new segment; the table moves to its beginning
  AppendSection, ///< a new section
  AppendSegment, ///< a new segment
  AppendMemory   ///< WebAssembly: behind the memory that is in use
};
/// The name in plans and in JSON: "in-place", "append-slide".
std::string_view strategyName(Strategy strategy);

/// How the output is put together, and what that means. Immutable; nothing is written by making it.
struct Plan {
  /// One per blob that is replaced, in the order in which they are replaced; none when nothing changes.
  std::vector<Strategy> strategies;
  std::vector<Part> parts;
  std::vector<Change> changes; ///< ascending, without the blob itself
  std::vector<Step> steps;
  std::vector<PlanRange> before, after;
  std::vector<Diagnostic> consequences;

  uint64_t size() const;
  bool isIdentity() const { return strategies.empty(); }
};
/// The names of the plan's strategies, separated by ", "; "identity" when nothing changes.
std::string strategyName(const Plan& plan);

/// What replaces a blob: header and stream, as pieces.
struct NewBlob {
  std::vector<Bytes> pieces;
  uint64_t size = 0;
};

struct PlanOptions {
  enum class Signature { Keep, AdHoc, Remove };
  bool scrub = false; ///< fill the old place with zeros when the blob moves
  bool force = false; ///< go on where a refusal can be overridden (REP-REF)
  Signature signature = Signature::Keep;
};

/// One blob to replace, and how. Refers to what the caller keeps.
struct PlanRequest {
  const library::Package& package;
  const library::Blob& blob; ///< lies in `package` itself, not in one of its members
  const NewBlob& newBlob;    ///< what takes its place
  const PlanOptions& options;
  Monitor& monitor;
};

/// A plan that replaces one blob.
/// The same bytes give the plan "identity" in every format. REP-… when it cannot be done; Cancelled.
Result<Plan> planBlob(const PlanRequest& request);

/// The file as it is: one part.
Plan identityPlan(const library::Package& package);
/// Bytes of the blob, the zeros behind it when it became smaller, and what else is overwritten: a plan that changes no
/// offset of the file. `room`: where the old blob lies. `overwrites` may be in any order, must
/// not touch one another or the blob's place.
struct Overwrite {
  uint64_t offset = 0;
  Bytes bytes;
  std::string why;
};
Plan overwritePlan(const PlanRequest& request, Extent room, std::vector<Overwrite> overwrites);

/// Collects parts, changes and steps while it walks through the output from front to back.
class PlanBuilder {
public:
  void input(Extent extent);
  /// Bytes that the output has and the input has not, or not there. An empty `why` adds no change.
  void literal(Bytes bytes, std::string why);
  void blob(const NewBlob& newBlob);
  void zeros(uint64_t count, std::string why);
  uint64_t position() const { return m_position; }
  void step(std::string what, std::optional<uint64_t> offset, std::optional<uint64_t> size, std::string why);
  Plan take(std::vector<Strategy> strategies);

private:
  void change(uint64_t size, std::string why);

  Plan m_plan;
  uint64_t m_position = 0;
};

/// The whole output in memory, for formats that pack it again around (gzip) and for tests. Cancelled.
Result<Bytes> assemble(const Plan& plan, const Bytes& input, Monitor& monitor);

// --- one planner per format; the new blob differs from what is there ---
Result<Plan> planElf(const PlanRequest& request);
Result<Plan> planPe(const PlanRequest& request);
Result<Plan> planMachO(const PlanRequest& request);
Result<Plan> planWasm(const PlanRequest& request);
Result<Plan> planCoff(const PlanRequest& request);
Result<Plan> planCSource(const PlanRequest& request);
Result<Plan> planRaw(const PlanRequest& request);

/// A plan for `outer` in which `member` is replaced by what `inner` says: slices of universal files, members of ar, tar
/// and zip archives, compressed streams around them. REP-ARCHIVE, REP-GROW, REP-THIN; Cancelled.
Result<Plan> planMember(const library::Package& outer, const library::PackageMember& member, Plan inner,
                        Monitor& monitor);

} // namespace blobscope::write
