#pragma once

#include "core/library/package.h"
#include "core/mlf/check.h"
#include "core/mlf/file_facts.h"
#include "core/mlf/model.h"

#include <memory>
#include <optional>
#include <string_view>

namespace blobscope::mlf {

/// An archive that was read and checked. Its parts point into each other.
struct Archive {
  Model model;
  FileFacts facts; ///< empty when `model` is damaged
  check::Report report;
};
using ArchivePtr = std::shared_ptr<const Archive>;

/// Null when there are no rules for such a file: a library, an archive of objects. Cancelled.
Result<ArchivePtr> readArchive(const library::PackagePtr& package, Monitor& monitor);

/// The member with that stored path; the last of several copies, which is the one that counts. Null when there is none.
const library::PackageMember* findMember(const library::Package& package, std::string_view stored);

/// What shows a place of an archive that was opened as `package`: the member, with an offset where its bytes lie in the
/// file as they are. `inner`: Container::inner. Nothing when the package has no such member.
std::optional<Ref> refOf(const library::Package& package, std::string_view inner, const File* file,
                         std::optional<uint64_t> offset);

} // namespace blobscope::mlf
