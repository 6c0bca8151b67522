#pragma once

#include "core/check/report.h"
#include "core/edit/apply.h"
#include "core/library/package.h"
#include "core/mlf/archive.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// Quick fixes of whole archives: all fixes of some rules as one list of edits.
namespace blobscope::fix {

/// Which findings are mended.
struct Selection {
  std::vector<std::string> rules = {};   ///< ids; all rules if empty
  std::optional<check::Issue> only = {}; ///< this finding alone

  bool includes(const check::Issue& issue) const;
};

/// A finding that was mended.
struct Mended {
  check::Issue issue;   ///< as it was found
  std::string sentence; ///< what was done
};

/// What mends findings. Nothing is written.
struct FixPlan {
  std::vector<edit::Edit> edits; ///< in terms of the archive as opened, after the pending edits
  std::vector<Mended> mended;    ///< in the order in which it was done
  library::PackagePtr result;    ///< the archive with all edits, in memory; the opened one if there are none
  check::Report before, after;   ///< with the pending edits; with all edits
};

/// Mending may reveal findings that were hidden by others, so archives are checked again after each round of fixes.
constexpr unsigned kRounds = 64;

/// Mends the selected findings of an archive, and those that become visible when others are mended. Findings without a
/// fix are left. An edit list that becomes longer in each round ends after kRounds, or after a few rounds when the
/// archive has megabytes of JSON; FixPlan::after has what is left then. `pending`: edits that come before
/// the fixes. Errors: REP-ARCHIVE if the file is not such an archive, those of applying edits, Cancelled.
Result<FixPlan> planFixes(const library::PackagePtr& package, std::span<const edit::Edit> pending,
                          const Selection& selection, const edit::ApplyOptions& options, Monitor& monitor);

/// An archive with edits, in memory.
struct EditedPackage {
  library::PackagePtr package; ///< the opened one if there are no edits
  edit::Applied applied;
};
/// Applies the edits. Errors: as planFixes().
Result<EditedPackage> withEdits(const library::PackagePtr& package, std::span<const edit::Edit> edits,
                                const edit::ApplyOptions& options, Monitor& monitor);
/// Appends edits whose refs name the archive as `applied` leaves it, in terms of the archive as opened.
void appendAsOpened(std::vector<edit::Edit>& list, std::vector<edit::Edit> added, const edit::Applied& applied);

/// The error for a file that is not a Model Library Format archive.
Error notAnArchive(const library::Package& package);

} // namespace blobscope::fix
