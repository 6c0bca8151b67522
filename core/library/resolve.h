#pragma once

#include "core/base/result.h"
#include "core/library/package.h"

/// What a ref means, down to its module. Kernels, other parts, symbols and members are looked up by findNode().
namespace blobscope::library {

/// Whether `ref` names `blob` or something in it. `member` holds the blob. An only blob is also named by its system-lib
/// prefix, though its own refs have none.
bool isIn(const Ref& ref, const Package& member, const Blob& blob);

struct Resolved {
  const Package* package = nullptr; ///< the member that holds it, or the file itself
  const Blob* blob = nullptr;       ///< of `blob`, `imports` and module refs
  std::size_t blobIndex = 0;        ///< in `package`
  const Module* module = nullptr;   ///< of module refs
  Ref ref;                          ///< the same ref as Blob::ref() and Blob::moduleRef() spell it
};
/// The member, and the blob that the ref is in; the module stays null when there is none of that number. REF-NOT-FOUND.
Result<Resolved> resolveBlob(const Package& package, const Ref& ref);
/// The same with the module. REF-NOT-FOUND for a ref of a module that does not exist.
Result<Resolved> resolve(const Package& package, const Ref& ref);

} // namespace blobscope::library
