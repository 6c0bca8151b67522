#pragma once

#include "core/base/source.h"
#include "core/container/image.h"
#include "core/host/host.h"
#include "core/library/archive_kind.h"
#include "core/library/blob.h"
#include "core/library/producer.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::library {

struct Package;

/// A member of an archive, or a slice of a universal file, in its package.
struct PackageMember {
  std::string name;      ///< its name in refs: the path, followed by "-2" when an earlier member has the same path
  std::string_view role; ///< a role of roleInMlf(), "slice", "archive", "library", "blob", "other", "folder", "link",
                         ///< "apple-double"; a literal
  const container::Member* stored = nullptr; ///< in the image of the package around it
  std::shared_ptr<const Package> package;    ///< opened; null when the member is not a container
};

/// An opened file: an immutable snapshot. Any number of threads may read it.
struct Package {
  std::string path; ///< as given; for a member, its path in the archive
  Bytes bytes;      ///< the whole file, or the whole member
  container::Image image;
  std::vector<std::string> memberPath;            ///< names of the members from the outermost one to this one
  std::vector<PackageMember> members;             ///< in stored order
  std::vector<std::shared_ptr<const Blob>> blobs; ///< in symbol table order
  ArchiveKind archive = ArchiveKind::NotTar;      ///< set for archives of any format; NotTar for everything else
  host::HostSymbols host;
  /// Nothing when no sign shows it; of an archive other than a ZIP file, that of the first member that has one.
  std::optional<Producer> producer;
  FileKind file = FileKind::Library;
  BudgetPtr budget;                    ///< of the outermost file, for later reads
  std::shared_ptr<Charge> charge;      ///< memory of the members; released with the last copy
  std::vector<Diagnostic> diagnostics; ///< of container, carriers and blobs, in that order

  /// Returns the member with that name; the "./" in front of it may be left out. Null when there is none.
  const PackageMember* findMember(std::string_view name) const;
  /// Returns the worst severity of the diagnostics, including those of members; nothing when there are none.
  std::optional<Severity> worst() const;
  /// Converts `inner` into a ref relative to the outermost file.
  Ref ref(Ref inner) const {
    inner.members = memberPath;
    return inner;
  }
  /// "library", "runtime", "objects", "blob", "params", "mlf", "tvmc", "tvmc-model", "microtvm".
  std::string_view kind() const;
};
using PackagePtr = std::shared_ptr<const Package>;

/// Returns the member that the ref's `members` name; the package itself when there are none. Error: REF-NOT-FOUND.
Result<PackagePtr> memberOf(const PackagePtr& package, const Ref& ref);
Result<const Package*> memberIn(const Package& package, const Ref& ref);
/// Calls `visit` for the package and all opened members below it, outer ones first.
void forEachPackage(const PackagePtr& package, const std::function<void(const PackagePtr&)>& visit);

} // namespace blobscope::library
