#pragma once

#include "core/base/json.h"
#include "core/check/finding.h"

#include <optional>
#include <string>
#include <vector>

namespace blobscope::check {

/// A finding in words, from a rule or from a diagnostic.
struct Issue {
  std::string rule; ///< "MLF-616", "BLOB-TRUNCATED"
  Severity severity = Severity::Error;
  std::string message;
  Place place;              ///< lines and offsets are filled in where a pointer or a ref determines them
  std::optional<Ref> ref;   ///< the same place for other verbs; nothing when they cannot use it
  std::string fix;          ///< empty when there is none
  std::string because = {}; ///< rule of the issue that is the cause of this one; empty when it is independent
  /// What stays the same when the file is built again, so that addresses move; empty when rule, place and message say
  /// it.
  std::string fingerprint = {};
  std::vector<Argument> arguments = {}; ///< of a rule's message
  std::string quickFix = {};            ///< what its quick fix does: "Set version to 5"; empty when it has none
  std::vector<std::string> names = {};  ///< symbols that the finding is about, all that are known; the message has some

  /// The place in the terms of the file: line and pointer of an archive's member, else the ref.
  std::string placeText() const { return rule.starts_with("MLF-") || place.line || !ref ? place.text() : ref->shown(); }
  std::string refText() const { return ref ? ref->toString() : std::string(); }
};

Issue issueOf(const Finding& finding);
/// The issue for a diagnostic. Its place includes the members of enclosing archives, separated by "!".
Issue issueOf(const Diagnostic& diagnostic);

/// The findings of a check, worst first.
struct Report {
  /// An issue in the order of rows(); `follows`: the nearest independent issue above it is its cause.
  struct Row {
    std::size_t issue;
    bool follows;
  };
  std::string format;              ///< Package::kind(), or "mlf"
  std::optional<unsigned> version; ///< of a Model Library Format archive, nothing when the archive does not state it
  std::vector<Issue> issues;

  std::size_t count(Severity severity) const;
  /// Adds issues to their places by severity, after those that are there.
  void add(const std::vector<Issue>& more);
  /// Sorts by severity; issues of one severity keep their order.
  void sortWorstFirst();
  /// Indices of the issues in reading order: each is followed by the issues that it causes.
  std::vector<Row> rows() const;
};

/// Writes the members "findings" and "counts", as all documents with findings have them and Baseline::read() takes
/// them.
void writeFindings(const Report& report, json::Writer& writer);

} // namespace blobscope::check
