#pragma once

#include "core/base/result.h"
#include "core/library/package.h"

/// Resolves refs to a module. findNode() looks up kernels, other parts, symbols and members.
namespace blobscope::library {

/// Whether `ref` names `blob` or something in it. `member` contains the blob. The system-lib prefix also names the only
/// blob, although the refs of that blob have no prefix.
bool isIn(const Ref& ref, const Package& member, const Blob& blob);

struct Resolved {
  const Package* package = nullptr; ///< the member that contains it, or the file itself
  const Blob* blob = nullptr;       ///< set for `blob`, `imports` and module refs
  std::size_t blobIndex = 0;        ///< index in `package`
  const Module* module = nullptr;   ///< set for module refs
  Ref ref;                          ///< the same ref as Blob::ref() and Blob::moduleRef() spell it
};
/// Returns the member and the blob that the ref is in; the module is null when its number does not exist. Error:
/// REF-NOT-FOUND.
Result<Resolved> resolveBlob(const Package& package, const Ref& ref);
/// The same with the module. Also REF-NOT-FOUND for a module that does not exist.
Result<Resolved> resolve(const Package& package, const Ref& ref);

} // namespace blobscope::library
