#pragma once

#include "core/check/finding.h"

#include <optional>
#include <string>
#include <vector>

namespace blobscope::check {

/// A finding in words, of a rule or of the table of diagnostics.
struct Issue {
  std::string rule; ///< "MLF-616", "BLOB-TRUNCATED"
  Severity severity = Severity::Error;
  std::string message;
  Place place;              ///< lines and offsets are filled in where a pointer or a ref tells them
  std::optional<Ref> ref;   ///< names the same place to the other verbs; nothing when they cannot look there
  std::string fix;          ///< empty when there is none
  std::string because = {}; ///< rule of the issue that this one only follows from; empty when it stands alone

  /// What the file calls the place: line and pointer of an archive's member, else the ref.
  std::string placeText() const { return rule.starts_with("MLF-") ? place.text() : ref ? ref->shown() : std::string(); }
  std::string refText() const { return ref ? ref->toString() : std::string(); }
};

Issue issueOf(const Finding& finding);
/// The place names the members of archives around it, with "!" between them.
Issue issueOf(const Diagnostic& diagnostic);

/// What was found, worst first.
struct Report {
  /// An issue in the order of rows(); `follows`: from the one above it that does not follow from another.
  struct Row {
    std::size_t issue;
    bool follows;
  };
  std::string format;              ///< Package::kind(), or "mlf"
  std::optional<unsigned> version; ///< of a Model Library Format archive, nothing when it does not tell
  std::vector<Issue> issues;

  std::size_t count(Severity severity) const;
  /// Keeps the order of issues of one severity.
  void sortWorstFirst();
  /// Indices of the issues in the order in which people read them: behind each what follows from it.
  std::vector<Row> rows() const;
};

} // namespace blobscope::check
