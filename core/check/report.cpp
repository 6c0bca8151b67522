#include "core/check/report.h"

#include <algorithm>
#include <map>
#include <set>

namespace blobscope::check {

Issue issueOf(const Finding& finding) {
  const RuleRow& rule = row(finding.rule);
  Issue issue{std::string(rule.id), rule.severity, finding.message(), finding.place, {}, std::string(rule.fix)};
  if (finding.because) issue.because = row(*finding.because).id;
  issue.arguments = finding.arguments;
  return issue;
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

std::vector<Report::Row> Report::rows() const {
  // Issues with a cause are listed after the first issue of the rule that causes them, if that one is listed.
  std::map<std::string_view, std::vector<std::size_t>> following;
  std::set<std::string_view> causes;
  for (const Issue& issue : issues)
    if (issue.because.empty()) causes.insert(issue.rule);
  const auto follows = [&](const Issue& issue) { return causes.contains(issue.because); };
  for (std::size_t i = 0; i < issues.size(); ++i)
    if (follows(issues[i])) following[issues[i].because].push_back(i);
  std::vector<Row> out;
  for (std::size_t i = 0; i < issues.size(); ++i) {
    if (follows(issues[i])) continue;
    out.push_back({i, false});
    const auto found = following.find(issues[i].rule);
    if (found == following.end()) continue;
    for (const std::size_t one : found->second) out.push_back({one, true});
    following.erase(found);
  }
  return out;
}

void Report::add(const std::vector<Issue>& more) {
  issues.insert(issues.end(), more.begin(), more.end());
  sortWorstFirst();
}

void Report::sortWorstFirst() { std::ranges::stable_sort(issues, {}, &Issue::severity); }

void writeFindings(const Report& report, json::Writer& writer) {
  const auto textOrNull = [&](std::string_view key, const std::string& text) {
    text.empty() ? writer.nullMember(key) : writer.member(key, text);
  };
  writer.key("findings").beginArray();
  for (const Issue& issue : report.issues) {
    writer.beginObject();
    writer.member("rule", issue.rule);
    writer.member("severity", severityName(issue.severity));
    writer.member("message", issue.message);
    writer.key("place").beginObject();
    textOrNull("member", issue.place.member);
    textOrNull("pointer", issue.place.pointer);
    writer.member("line", issue.place.line);
    writer.member("offset", issue.place.offset);
    textOrNull("ref", issue.refText());
    writer.endObject();
    textOrNull("fix", issue.fix);
    textOrNull("quick_fix", issue.quickFix);
    textOrNull("because", issue.because);
    if (!issue.fingerprint.empty()) writer.member("fingerprint", issue.fingerprint);
    if (!issue.names.empty()) writer.listMember("names", issue.names);
    writer.endObject();
  }
  writer.endArray();
  writer.key("counts").beginObject();
  for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note})
    writer.member(severityName(severity), report.count(severity));
  writer.endObject();
}

} // namespace blobscope::check
