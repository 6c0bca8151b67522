#pragma once

#include "core/edit/apply.h"
#include "core/write/plan.h"

#include <filesystem>
#include <span>
#include <vector>

namespace blobscope::write {

/// A plan for a file with edits, before it is written. Immutable.
struct Repack {
  library::PackagePtr package; ///< as opened
  edit::Applied applied;
  Plan plan; ///< its consequences include the warnings of the edits, and a REP-CALL per broken call
  std::vector<std::size_t> breakingRenames; ///< indexes in the list of edits: without them fewer calls break
  std::vector<std::filesystem::path> files; ///< files that the edits read; the output must not be one of them

  /// Whether the plan has a consequence that needs the user's consent: a call that fails.
  bool needsConsent() const;
};

/// Applies the edits and plans the resulting file. Without edits, and for edits that change nothing, the plan is the
/// identity in every format. Errors: those of edit::apply and planBlob, FILE-CHANGED, Cancelled.
Result<Repack> planRepack(const library::PackagePtr& package, std::span<const edit::Edit> edits,
                          const edit::ApplyOptions& applyOptions, const PlanOptions& planOptions, Monitor& monitor);

/// Returns a plan that writes the result of edits. Errors: those of planBlob and planMembers, Cancelled.
Result<Plan> planApplied(const library::PackagePtr& package, const edit::Applied& applied, const PlanOptions& options,
                         Monitor& monitor);

struct WriteOptions {
  enum class Verify {
    Full,   ///< every byte is read back
    Sampled ///< only some bytes of long unchanged ranges are read back
  };
  Verify verify = Verify::Full;
  bool backup = false;                            ///< keep the old target as "TARGET.bak"
  std::vector<std::filesystem::path> inputs = {}; ///< other files that were read and must not be overwritten: a list of
                                                  ///< edits, a manifest
};

/// Writes the file next to `target`, reads it back, compares it with the plan and its tree with the edited tree, and
/// renames it. `target` may be the opened file. The old target stays until the rename; after an error or Cancelled it
/// is unchanged. Errors: FILE-WRITE; FILE-SAME when the target is a file that the edits or `options` name, or its
/// backup would replace one of them or the opened file; FILE-CHANGED when the opened bytes may have changed;
/// REP-VERIFY; REP-CHANGED when the target is the opened file, but others wrote to it or put another file in its place
/// meanwhile. With these two the result is kept next to the target.
Result<Done> writeRepack(const Repack& repack, const std::filesystem::path& target, const WriteOptions& options,
                         Monitor& monitor);

/// Compares the file at `path` with the plan, opens it, and compares its tree with the edited tree. Errors: REP-VERIFY,
/// Cancelled.
Result<Done> verifyRepack(const Repack& repack, const std::filesystem::path& path, WriteOptions::Verify verify,
                          Monitor& monitor);

} // namespace blobscope::write
