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

/// Plans that replace the blob of a finished file. A plan can be inspected before it is executed. Source of the
/// methods: core/formats/containers.md, measured on real files.
namespace blobscope::write {

/// A range of the output. Parts tile the output in order.
struct Part {
  enum class From {
    Input,   ///< the range `input` of the file as opened, byte for byte
    Literal, ///< `bytes`
    Blob,    ///< `bytes` of the new blob
    Zeros    ///< `size` zeros
  };
  From from = From::Input;
  Extent input; ///< relative to the first byte of the planned (member) file
  Bytes bytes;
  uint64_t zeros = 0;

  uint64_t size() const;
};

/// Bytes of the output outside the blob that differ from the input or have moved.
struct Change {
  uint64_t offset = 0; ///< in the output
  uint64_t size = 0;
  std::string why; ///< "symbol size", "section headers"
};

/// One step of the plan, for people.
struct Step {
  std::string what;               ///< "Write the new blob"
  std::optional<uint64_t> offset; ///< in the output
  std::optional<uint64_t> size;   ///< in bytes
  std::string why;                ///< "does not fit in the old place"
};

/// A range of a file, for the bars that show the file before and after.
struct PlanRange {
  enum class Kind { Other, Blob, DeadBlob, Member };
  Kind kind = Kind::Other;
  uint64_t size = 0;
};

/// How the new blob is put into the file.
enum class Strategy : uint8_t {
  InPlace,       ///< no offset of the file changes
  Resize,        ///< the place of the blob is resized; the bytes after it move
  AppendNull,    ///< ELF: a new segment, in a PT_NULL entry of the program header table
  AppendSpare,   ///< ELF: a new segment; the table grows into free bytes after it
  AppendSlide,   ///< ELF: a new segment; the bytes after the table move
  AppendNote,    ///< ELF: a new segment, in the entry of the build id
  AppendPhdr,    ///< ELF: a new segment; the table moves to its beginning
  AppendSection, ///< a new section
  AppendSegment, ///< a new segment
  AppendMemory,  ///< WebAssembly: after the used memory
  Members,       ///< members of an archive change; the others stay byte for byte
  Values         ///< values of tensors change in place
};
/// Returns the name in plans and in JSON: "in-place", "append-slide".
std::string_view strategyName(Strategy strategy);

/// How to build the output, and the consequences. Immutable; creating a plan writes nothing.
struct Plan {
  /// One per replaced blob, in the order of replacement; none when nothing changes.
  std::vector<Strategy> strategies;
  std::vector<Part> parts;
  std::vector<Change> changes; ///< ascending, without the blob itself
  std::vector<Step> steps;
  std::vector<PlanRange> before, after;
  std::vector<Diagnostic> consequences;

  uint64_t size() const;
  bool isIdentity() const { return strategies.empty(); }
};
/// Returns the names of the plan's strategies, separated by ", "; "identity" when nothing changes.
std::string strategyName(const Plan& plan);

/// The replacement of a blob: header and stream, in pieces.
struct NewBlob {
  std::vector<Bytes> pieces;
  uint64_t size = 0;
};

struct PlanOptions {
  enum class Signature { Keep, AdHoc, Remove };
  bool scrub = false; ///< fill the old place with zeros when the blob moves
  bool force = false; ///< override refusals that can be overridden (REP-REF)
  Signature signature = Signature::Keep;
};

/// A blob to replace, with options. Contains references; the caller keeps the objects alive.
struct PlanRequest {
  const library::Package& package;
  const library::Blob& blob; ///< in `package` itself, not in one of its members
  const NewBlob& newBlob;    ///< its replacement
  const PlanOptions& options;
  Monitor& monitor;
};

/// Returns a plan that replaces one blob. For the same bytes, it is the identity in every format. Errors: REP-… when it
/// is not possible, Cancelled.
Result<Plan> planBlob(const PlanRequest& request);

/// Returns a plan for the unchanged file, with one part.
Plan identityPlan(const library::Package& package);
/// Bytes of the file that a plan overwrites besides the blob.
struct Overwrite {
  uint64_t offset = 0;
  Bytes bytes;
  std::string why;
};
/// Returns a plan that changes no offset of the file: it writes the blob, zeros after it when it is smaller, and
/// `overwrites`, in any order, which must not overlap each other or the blob's place. `room`: the place of the old
/// blob.
Plan overwritePlan(const PlanRequest& request, Extent room, std::vector<Overwrite> overwrites);

/// Collects parts, changes and steps of the output from front to back.
class PlanBuilder {
public:
  void input(Extent extent);
  /// Adds bytes that the input does not have at this place. An empty `why` adds no change.
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

/// Returns the whole output in memory, for formats that compress it (gzip) and for tests. Error: only Cancelled.
Result<Bytes> assemble(const Plan& plan, const Bytes& input, Monitor& monitor);

// --- one planner per format; the new blob differs from the old one ---
Result<Plan> planElf(const PlanRequest& request);
Result<Plan> planPe(const PlanRequest& request);
Result<Plan> planMachO(const PlanRequest& request);
Result<Plan> planWasm(const PlanRequest& request);
Result<Plan> planCoff(const PlanRequest& request);
Result<Plan> planCSource(const PlanRequest& request);
Result<Plan> planRaw(const PlanRequest& request);

/// Returns a plan for `outer` in which the output of `inner` replaces `member`: slices of universal files, members of
/// ar, tar and zip archives, compressed streams around them. Errors: REP-ARCHIVE, REP-GROW, REP-THIN, Cancelled.
Result<Plan> planMember(const library::Package& outer, const library::PackageMember& member, Plan inner,
                        Monitor& monitor);

} // namespace blobscope::write
