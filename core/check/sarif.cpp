#include "core/check/sarif.h"

#include "core/base/json.h"
#include "core/base/text.h"

#include <algorithm>

namespace blobscope::check {
namespace {

/// A path as a URI reference (RFC 3986).
std::string uriOf(std::string_view path) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (kPlain.find(c) != std::string_view::npos)
      out += c;
    else
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return out;
}

/// "[words](target)" in a message is a link (SARIF 2.1.0, 3.11.6); in Blobscope's messages it can only be a name.
std::string withoutLinks(std::string_view text) {
  std::string out(text);
  for (std::size_t at = out.find("]("); at != std::string::npos; at = out.find("](", at)) out.insert(at + 1, 1, ' ');
  return out;
}

void writeText(json::Writer& writer, std::string_view name, std::string_view text) {
  writer.key(name).beginObject();
  writer.member("text", withoutLinks(text));
  writer.endObject();
}

/// The unsigned index of `text` in `list`, which is ascending.
std::size_t indexOf(const std::vector<std::string>& list, const std::string& text) {
  return static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), text) - list.begin());
}

/// A file, and the members of it that have findings, ascending.
struct Artifacts {
  const FileIssues& file;
  std::string uri;
  std::size_t index = 0; ///< of the file; its members follow it
  std::vector<std::string> members;
};

std::vector<std::string> sorted(std::vector<std::string> list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

std::vector<Artifacts> artifactsOf(std::span<const FileIssues> files) {
  std::vector<Artifacts> out;
  std::size_t index = 0;
  for (const FileIssues& file : files) {
    std::vector<std::string> members;
    for (const Issue& issue : file.issues)
      if (!issue.place.member.empty()) members.push_back(issue.place.member);
    out.push_back({file, uriOf(file.path), index, sorted(std::move(members))});
    index += 1 + out.back().members.size();
  }
  return out;
}

void writeArtifacts(json::Writer& writer, const std::vector<Artifacts>& all) {
  const auto location = [&](const std::string& uri) {
    writer.beginObject();
    writer.key("location").beginObject();
    writer.member("uri", uri);
    writer.endObject();
  };
  writer.key("artifacts").beginArray();
  for (const Artifacts& one : all) {
    location(one.uri);
    writer.endObject();
    for (const std::string& member : one.members) {
      location(uriOf(member));
      writer.member("parentIndex", one.index);
      writer.endObject();
    }
  }
  writer.endArray();
}

/// Files that could not be read.
void writeNotifications(json::Writer& writer, const std::vector<Artifacts>& all) {
  if (std::none_of(all.begin(), all.end(), [](const Artifacts& one) { return !one.file.error.empty(); })) return;
  writer.key("invocations").beginArray();
  writer.beginObject();
  writer.member("executionSuccessful", false);
  writer.key("toolExecutionNotifications").beginArray();
  for (const Artifacts& one : all) {
    if (one.file.error.empty()) continue;
    writer.beginObject();
    writer.member("level", "error");
    writeText(writer, "message", one.file.error);
    writer.key("locations").beginArray();
    writer.beginObject();
    writer.key("physicalLocation").beginObject();
    writer.key("artifactLocation").beginObject();
    writer.member("uri", one.uri);
    writer.member("index", one.index);
    writer.endObject();
    writer.endObject();
    writer.endObject();
    writer.endArray();
    writer.endObject();
  }
  writer.endArray();
  writer.endObject();
  writer.endArray();
}

void writeRules(json::Writer& writer, const std::vector<std::string>& rules) {
  writer.key("rules").beginArray();
  for (const std::string& id : rules) {
    const RuleRow* const found = findRule(id);
    const RuleRow rule = found ? *found : RuleRow();
    writer.beginObject();
    writer.member("id", id);
    writeText(writer, "shortDescription", rule.help);
    if (!rule.fix.empty()) writeText(writer, "help", rule.fix);
    writer.key("defaultConfiguration").beginObject();
    writer.member("level", severityName(rule.severity));
    writer.endObject();
    writer.endObject();
  }
  writer.endArray();
}

void writeResult(json::Writer& writer, const Issue& issue, const std::vector<std::string>& rules,
                 const Artifacts& artifacts) {
  writer.beginObject();
  writer.member("ruleId", issue.rule);
  writer.member("ruleIndex", indexOf(rules, issue.rule));
  writer.member("level", severityName(issue.severity));
  writeText(writer, "message", issue.message);
  writer.key("locations").beginArray();
  writer.beginObject();
  writer.key("physicalLocation").beginObject();
  writer.key("artifactLocation").beginObject();
  const bool inMember = !issue.place.member.empty();
  writer.member("uri", inMember ? uriOf(issue.place.member) : artifacts.uri);
  writer.member("index", artifacts.index + (inMember ? indexOf(artifacts.members, issue.place.member) + 1 : 0));
  writer.endObject();
  if (issue.place.line || issue.place.offset) {
    writer.key("region").beginObject();
    if (issue.place.line)
      writer.member("startLine", *issue.place.line);
    else
      writer.member("byteOffset", *issue.place.offset);
    writer.endObject();
  }
  writer.endObject();
  if (!issue.place.pointer.empty() || !issue.refText().empty()) {
    writer.key("logicalLocations").beginArray();
    writer.beginObject();
    writer.member("fullyQualifiedName", issue.place.pointer.empty() ? issue.refText() : issue.place.pointer);
    writer.endObject();
    writer.endArray();
  }
  writer.endObject();
  writer.endArray();
  if (!issue.fingerprint.empty()) {
    writer.key("partialFingerprints").beginObject();
    writer.member("blobscopeFinding/v1", issue.fingerprint);
    writer.endObject();
  }
  if (!issue.because.empty()) {
    writer.key("properties").beginObject();
    writer.member("because", issue.because);
    writer.endObject();
  }
  writer.endObject();
}

} // namespace

void writeSarif(std::span<const FileIssues> files, std::string_view version,
                const std::function<void(std::string_view)>& sink) {
  const std::vector<Artifacts> artifacts = artifactsOf(files);
  std::vector<std::string> fired;
  for (const FileIssues& file : files)
    for (const Issue& issue : file.issues) fired.push_back(issue.rule);
  const std::vector<std::string> rules = sorted(std::move(fired));

  json::Writer writer(sink);
  writer.beginObject();
  writer.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  writer.member("version", "2.1.0");
  writer.key("runs").beginArray();
  writer.beginObject();
  writer.key("tool").beginObject();
  writer.key("driver").beginObject();
  writer.member("name", "Blobscope");
  writer.member("version", version);
  writeRules(writer, rules);
  writer.endObject();
  writer.endObject();
  writeNotifications(writer, artifacts);
  writeArtifacts(writer, artifacts);
  writer.key("results").beginArray();
  for (const Artifacts& one : artifacts)
    for (const Issue& issue : one.file.issues) writeResult(writer, issue, rules, one);
  writer.endArray();
  writer.endObject();
  writer.endArray();
  writer.endObject();
  writer.finish();
}

void writeSarif(const Report& report, std::string_view path, std::string_view version,
                const std::function<void(std::string_view)>& sink) {
  const FileIssues file{std::string(path), report.issues};
  writeSarif(std::span(&file, 1), version, sink);
}

} // namespace blobscope::check
