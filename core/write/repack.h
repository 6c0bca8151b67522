#pragma once

#include "core/edit/apply.h"
#include "core/write/plan.h"

#include <filesystem>
#include <span>
#include <vector>

namespace blobscope::write {

/// A file with edits, planned and not yet written. Immutable.
struct Repack {
  library::PackagePtr package; ///< as opened
  edit::Applied applied;
  Plan plan; ///< consequences include the warnings of the edits, and a REP-CALL per call that they break
  std::vector<std::size_t> breakingRenames; ///< places in the list of edits: without them fewer calls break
  std::vector<std::filesystem::path> files; ///< that the edits read; the output may be none of them

  /// Whether the plan has a consequence that people should agree to before it is written: a call that fails.
  bool needsConsent() const;
};

/// Applies the edits and plans the file that comes of them. Without edits, and for edits that change nothing, the plan
/// is the identity in every format. The errors of edit::apply and planBlob; FILE-CHANGED. Cancelled.
Result<Repack> planRepack(const library::PackagePtr& package, std::span<const edit::Edit> edits,
                          const edit::ApplyOptions& applyOptions, const PlanOptions& planOptions, Monitor& monitor);

struct WriteOptions {
  enum class Verify {
    Full,   ///< every byte is read back
    Sampled ///< of long unchanged ranges some bytes are read back
  };
  Verify verify = Verify::Full;
  bool backup = false;                            ///< keep what the target was as "TARGET.bak"
  std::vector<std::filesystem::path> inputs = {}; ///< what else was read and is no output: a list of edits, a manifest
};

/// Writes the file beside `target`, reads it back, compares it with the plan, its tree with the edited one, and renames
/// it. `target` may be the opened file. What stood there stays until the rename; after an error or Cancelled it is
/// untouched. FILE-WRITE; FILE-SAME when the target is a file that the edits or `options` name, or its backup would
/// replace one or the opened file; FILE-CHANGED when the opened bytes may no longer be what was opened, or when others
/// wrote to the opened file and it is the target; REP-VERIFY.
Result<Done> writeRepack(const Repack& repack, const std::filesystem::path& target, const WriteOptions& options,
                         Monitor& monitor);

/// Compares the file at `path` with the plan and, opened, with the edited tree. REP-VERIFY; Cancelled.
Result<Done> verifyRepack(const Repack& repack, const std::filesystem::path& path, WriteOptions::Verify verify,
                          Monitor& monitor);

} // namespace blobscope::write
