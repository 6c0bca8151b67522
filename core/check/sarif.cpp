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

void writeResult(json::Writer& writer, const Issue& issue, const std::vector<std::string>& rules,
                 const std::vector<std::string>& members, const std::string& file) {
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
  writer.member("uri", inMember ? uriOf(issue.place.member) : file);
  writer.member("index", inMember ? indexOf(members, issue.place.member) + 1 : std::size_t{0});
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
  if (!issue.because.empty()) {
    writer.key("properties").beginObject();
    writer.member("because", issue.because);
    writer.endObject();
  }
  writer.endObject();
}

} // namespace

void writeSarif(const Report& report, std::string_view path, std::string_view version,
                const std::function<void(std::string_view)>& sink) {
  std::vector<std::string> rules, members;
  for (const Issue& issue : report.issues) {
    rules.push_back(issue.rule);
    if (!issue.place.member.empty()) members.push_back(issue.place.member);
  }
  for (auto* list : {&rules, &members}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  const std::string file = uriOf(path);

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
  writer.endObject();
  writer.endObject();
  writer.key("artifacts").beginArray();
  writer.beginObject();
  writer.key("location").beginObject();
  writer.member("uri", file);
  writer.endObject();
  writer.endObject();
  for (const std::string& member : members) {
    writer.beginObject();
    writer.key("location").beginObject();
    writer.member("uri", uriOf(member));
    writer.endObject();
    writer.member("parentIndex", uint64_t{0});
    writer.endObject();
  }
  writer.endArray();
  writer.key("results").beginArray();
  for (const Issue& issue : report.issues) writeResult(writer, issue, rules, members, file);
  writer.endArray();
  writer.endObject();
  writer.endArray();
  writer.endObject();
  writer.finish();
}

} // namespace blobscope::check
