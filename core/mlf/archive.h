#pragma once

#include "core/library/package.h"
#include "core/mlf/check.h"
#include "core/mlf/file_facts.h"
#include "core/mlf/model.h"

#include <memory>
#include <optional>
#include <string_view>

namespace blobscope::mlf {

/// An archive that was read and checked. Its parts refer to each other.
struct Archive {
  Model model;
  FileFacts facts; ///< empty if `model` is damaged
  check::Report report;
};
using ArchivePtr = std::shared_ptr<const Archive>;

/// Returns null if there are no rules for such a file: a library, an archive of objects. Error: Cancelled.
Result<ArchivePtr> readArchive(const library::PackagePtr& package, Monitor& monitor);

/// Returns the member with that stored path, or null. Of several copies the last one is returned, since it is the one
/// that counts.
const library::PackageMember* findMember(const library::Package& package, std::string_view stored);

/// Returns a reference to a place in an archive that was opened as `package`: the member, with an offset if its bytes
/// are stored uncompressed in the file. `inner`: Container::inner. Nothing if the package has no such member.
std::optional<Ref> refOf(const library::Package& package, std::string_view inner, const File* file,
                         std::optional<uint64_t> offset);

} // namespace blobscope::mlf
