#pragma once

#include "core/base/source.h"
#include "core/container/image.h"
#include "core/host/host.h"
#include "core/library/archive_kind.h"
#include "core/library/blob.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace blobscope::library {

struct Package;

/// A member of an archive, or a slice of a universal file, in its package.
struct PackageMember {
  std::string name;      ///< what its refs call it: the path, with "-2" behind it when that was used before
  std::string_view role; ///< what it is for: a word of roleInMlf(), "slice", "archive", "library", "blob", "other",
                         ///< "folder", "link", "apple-double"; a literal
  const container::Member* stored = nullptr; ///< in the image of the package around it
  std::shared_ptr<const Package> package;    ///< opened, null for what is no container
};

/// An opened file: an immutable snapshot. Any number of threads may read it.
struct Package {
  std::string path; ///< as given; of a member its path in the archive
  Bytes bytes;      ///< the whole file, or the whole member
  container::Image image;
  std::vector<std::string> memberPath;            ///< names of the members around and up to this one, outermost first
  std::vector<PackageMember> members;             ///< in stored order
  std::vector<std::shared_ptr<const Blob>> blobs; ///< in symbol table order
  ArchiveKind archive = ArchiveKind::NotTar;      ///< of archives of any format; NotTar for everything else
  host::HostSymbols host;
  BudgetPtr budget;                    ///< of the outermost file, for what is read from it later
  std::shared_ptr<Charge> charge;      ///< memory of the members, returned with the last copy
  std::vector<Diagnostic> diagnostics; ///< of container, carriers and blobs, in that order

  /// Worst severity among the diagnostics, nothing when there are none. Findings of members are among them.
  std::optional<Severity> worst() const;
  /// `ref` as a ref from the outermost file.
  Ref ref(Ref inner) const {
    inner.members = memberPath;
    return inner;
  }
  /// "library", "objects", "blob", "params", "mlf", "tvmc", "tvmc-model", "microtvm".
  std::string_view kind() const;
};
using PackagePtr = std::shared_ptr<const Package>;

/// The member that the ref's `members` name, the package itself when there are none. REF-NOT-FOUND.
Result<PackagePtr> memberOf(const PackagePtr& package, const Ref& ref);
Result<const Package*> memberIn(const Package& package, const Ref& ref);
/// Calls `visit` for the package and all opened members below it, outer ones first.
void forEachPackage(const PackagePtr& package, const std::function<void(const PackagePtr&)>& visit);

} // namespace blobscope::library
