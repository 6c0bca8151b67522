#include "core/check/baseline.h"

#include "core/base/json.h"
#include "core/base/path_text.h"
#include "core/base/source.h"
#include "core/base/text.h"

namespace blobscope::check {
namespace {

/// A text of a document, also one that is written as {"hex": …}; empty for other values.
std::string textIn(const json::Value* value) {
  if (!value) return {};
  if (const std::string* const text = value->string()) return *text;
  const json::Value* const hex = value->find("hex");
  const std::string* const digits = hex ? hex->string() : nullptr;
  return digits ? parseHexDigits(*digits).value_or("") : std::string();
}

std::optional<uint64_t> numberIn(const json::Value* value) {
  const uint64_t* const found = value ? std::get_if<uint64_t>(&value->data) : nullptr;
  return found ? std::optional(*found) : std::nullopt;
}

/// What makes two issues the same.
std::string keyOf(const Issue& issue) {
  if (!issue.fingerprint.empty()) return issue.rule + " " + issue.fingerprint;
  const auto number = [](const std::optional<uint64_t>& value) {
    return value ? std::to_string(*value) : std::string("-");
  };
  std::string key;
  for (const std::string& part : {issue.rule, issue.place.member, issue.place.pointer, number(issue.place.line),
                                  number(issue.place.offset), issue.message})
    key += std::to_string(part.size()) + ":" + part;
  return key;
}

} // namespace

Result<Baseline> Baseline::read(const std::filesystem::path& path, std::string_view verb) {
  BLOBSCOPE_TRY(source, ByteSource::openFile(path));
  auto document = json::parse(ByteSource::all(source));
  const json::Value* const findings = document ? document->find("findings") : nullptr;
  if (!document || textIn(document->find("schema")) != "blobscope." + std::string(verb) + "/1" || !findings ||
      !findings->array())
    return Error(DiagnosticId::Usage, {arg("what", "'" + shownPath(pathText(path)) + "' is not output of " +
                                                       std::string(verb) + " --json")});
  Baseline baseline;
  for (const json::Value& finding : *findings->array()) {
    Issue issue;
    issue.rule = textIn(finding.find("rule"));
    issue.message = textIn(finding.find("message"));
    if (const json::Value* const place = finding.find("place"))
      issue.place = {textIn(place->find("member")), textIn(place->find("pointer")), numberIn(place->find("line")),
                     numberIn(place->find("offset"))};
    issue.fingerprint = textIn(finding.find("fingerprint"));
    ++baseline.m_counts[keyOf(issue)];
  }
  return baseline;
}

std::vector<bool> Baseline::known(const std::vector<Issue>& issues) const {
  std::map<std::string, uint64_t> left = m_counts;
  std::vector<bool> out;
  out.reserve(issues.size());
  for (const Issue& issue : issues) {
    const auto found = left.find(keyOf(issue));
    out.push_back(found != left.end() && found->second > 0);
    if (out.back() && !issue.fingerprint.empty()) --found->second;
  }
  return out;
}

uint64_t Baseline::remove(std::vector<Issue>& issues) const {
  const std::vector<bool> accepted = known(issues);
  std::vector<Issue> others;
  for (std::size_t i = 0; i < issues.size(); ++i)
    if (!accepted[i]) others.push_back(std::move(issues[i]));
  const uint64_t removed = issues.size() - others.size();
  issues = std::move(others);
  return removed;
}

} // namespace blobscope::check
