#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/mlf/rule.h"
#include "core/view/details.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::mlf {

/// A finding in words, of a rule or of the table of diagnostics.
struct Issue {
  std::string rule; ///< "MLF-616", "BLOB-TRUNCATED"
  Severity severity = Severity::Error;
  std::string message;
  Place place;            ///< lines and offsets are filled in where a pointer or a ref tells them
  std::optional<Ref> ref; ///< names the same place to the other verbs; nothing when they cannot look there
  std::string fix;        ///< empty when there is none

  /// What the file calls the place: line and pointer of an archive's member, else the ref.
  std::string placeText() const { return rule.starts_with("MLF-") ? place.text() : ref ? ref->shown() : std::string(); }
  std::string refText() const { return ref ? ref->toString() : std::string(); }
};

/// What was found, worst first.
struct Report {
  std::string format;              ///< Package::kind(), or "mlf"
  std::optional<unsigned> version; ///< of a Model Library Format archive, nothing when it does not tell
  std::vector<Issue> issues;

  std::size_t count(Severity severity) const;
};

/// Checks an opened file: Model Library Format archives by their rules, everything else by what opening found and by
/// encoding each blob again. Cancelled.
Result<Report> check(const library::PackagePtr& package, Monitor& monitor);

/// What opening found: the findings of a file that was not checked.
Report foundWhileOpening(const library::Package& package);

/// What the Details panel says of a finding: rule, severity, place, sentence, what to do.
view::Details issueDetails(const Issue& issue);

/// Checks bytes by the rules for archives, whatever they are. Cancelled.
Result<Report> checkArchive(const Bytes& file, Monitor& monitor);

/// Opens and checks the file at `path`. More can be checked than opened: archives compressed with bzip2 or xz, and
/// files called .tar that are none. The errors of library::open. `memoryBytes`: as library::OpenOptions has it.
Result<Report> checkFile(const std::filesystem::path& path, Monitor& monitor, std::optional<uint64_t> memoryBytes = {});

} // namespace blobscope::mlf
