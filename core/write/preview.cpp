#include "core/write/preview.h"

#include "core/base/thread_rule.h"
#include "core/edit/archive/member_names.h"
#include "core/edit/preview.h"
#include "core/library/open.h"
#include "core/write/repack.h"

namespace blobscope::write {

Result<library::PackagePtr> preview(const library::PackagePtr& opened, const edit::Applied& applied, Monitor& monitor) {
  longWork("write::preview");
  if (applied.archives.empty() && applied.params.empty()) return edit::preview(opened, applied, monitor);

  // --- 1. Archives and parameter files. ---
  edit::Applied files{{}, applied.params, applied.archives, {}};
  BLOBSCOPE_TRY(plan, planApplied(opened, files, {}, monitor));
  library::PackagePtr package = opened;
  if (!plan.isIdentity()) {
    BLOBSCOPE_TRY(bytes, assemble(plan, opened->bytes, monitor));
    BLOBSCOPE_TRY(made, library::open(bytes.owner(), opened->path, monitor, {{}, opened->budget->memoryLimit(), {}}));
    package = std::move(made);
  }

  // --- 2. Blobs, in the packages of the result. ---
  edit::Applied blobs{applied.blobs, {}, {}, {}};
  for (edit::EditedBlob& blob : blobs.blobs) {
    const auto now = edit::toShownNames(applied, blob.package->ref(Ref::file()));
    if (!now) continue;
    BLOBSCOPE_TRY(member, library::memberOf(package, *now));
    blob.package = std::move(member);
  }
  return edit::preview(package, blobs, monitor);
}

} // namespace blobscope::write
