#include "core/check/report.h"

#include <algorithm>

namespace blobscope::check {

Issue issueOf(const Finding& finding) {
  const RuleRow& rule = row(finding.rule);
  return {std::string(rule.id), rule.severity, finding.message(), finding.place, {}, std::string(rule.fix)};
}

Issue issueOf(const Diagnostic& diagnostic) {
  Issue issue;
  issue.rule = diagnostic.idText();
  issue.severity = diagnostic.severity();
  issue.message = diagnostic.message();
  for (const std::string& member : diagnostic.place.members)
    issue.place.member += (issue.place.member.empty() ? "" : "!") + member;
  issue.place.offset = diagnostic.place.at;
  issue.ref = diagnostic.place;
  return issue;
}

std::size_t Report::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(issues, severity, &Issue::severity));
}

void Report::sortWorstFirst() { std::ranges::stable_sort(issues, {}, &Issue::severity); }

} // namespace blobscope::check
