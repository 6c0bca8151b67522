#include "core/base/json.h"
#include "core/base/text.h"
#include "core/describe/safety.h"
#include "core/requirements/requirements.h"
#include "core/view/html.h"

#include <algorithm>
#include <set>

namespace blobscope::describe {
namespace {

using view::htmlText;

using HtmlRow = std::vector<std::string>; ///< cells that are HTML already

std::string htmlTable(const HtmlRow& head, const std::vector<HtmlRow>& rows) {
  std::string out = "<table class=\"wide\">\n<thead><tr>";
  for (const std::string& cell : head) out += "<th>" + cell + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const HtmlRow& row : rows) {
    out += "<tr>";
    for (const std::string& cell : row) out += "<td>" + cell + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n";
}

std::string piecesHtml(const safety::Report& report) {
  std::vector<HtmlRow> rows;
  for (const safety::Piece& piece : report.pieces) {
    std::string what = htmlText(pieceText(piece));
    if (piece.verdict == safety::Verdict::Acts) {
      what = "<span class=\"error\">" + what + "</span>";
      for (const safety::Reached& one : piece.reaches) what += "<br><code>" + htmlText(pathText(one)) + "</code>";
    }
    rows.push_back({htmlText(safety::triggerName(piece.trigger)), htmlText(escaped(piece.slot)),
                    "<code>" + hexText(piece.address) + "</code>", htmlText(escaped(piece.symbol)), what});
  }
  return htmlTable({"kind", "where", "address", "symbol", "what"}, rows);
}

std::string findingsHtml(const safety::Report& report) {
  std::vector<HtmlRow> rows;
  for (const check::Issue& issue : report.findings.issues) {
    const std::string severity(severityName(issue.severity));
    rows.push_back({"<span class=\"" + severity + "\">" + severity + "</span>", htmlText(issue.rule),
                    "<code>" + htmlText(issue.placeText()) + "</code>", htmlText(issue.message)});
  }
  return htmlTable({"severity", "rule", "where", "what"}, rows);
}

std::string importsHtml(const safety::Report& report) {
  std::vector<HtmlRow> rows;
  for (const safety::Import& one : report.imports)
    rows.push_back({htmlText(safety::groupTitle(one.group)), "<code>" + htmlText(escaped(one.name)) + "</code>",
                    htmlText(escaped(one.library)), one.expected ? "expected" : "not expected in a TVM export"});
  std::ranges::stable_sort(rows, {}, [](const HtmlRow& row) { return row.front(); });
  return htmlTable({"group", "name", "library", ""}, rows);
}

/// One component of CycloneDX.
class BomWriter {
public:
  explicit BomWriter(json::Writer& writer) : m_writer(writer) {}

  void begin(std::string_view type, const std::string& name, const std::string& ref) {
    m_writer.beginObject();
    m_writer.member("type", type);
    m_writer.member("bom-ref", ref);
    m_writer.member("name", escaped(name));
  }
  void hash(const std::string& sha256) {
    if (sha256.empty()) return;
    m_writer.key("hashes").beginArray().beginObject();
    m_writer.member("alg", "SHA-256");
    m_writer.member("content", sha256);
    m_writer.endObject().endArray();
  }
  void properties(const std::vector<std::pair<std::string, std::string>>& list) {
    m_writer.key("properties").beginArray();
    for (const auto& [name, value] : list) {
      if (value.empty()) continue;
      m_writer.beginObject();
      m_writer.member("name", "blobscope:" + name);
      m_writer.member("value", escaped(value));
      m_writer.endObject();
    }
    m_writer.endArray();
  }
  void end() { m_writer.endObject(); }

private:
  json::Writer& m_writer;
};

} // namespace

std::string safetyHtml(const library::Package& package, const safety::Report& report) {
  std::string out = view::htmlHead("Safety");
  out += "<p><code>" + htmlText(escaped(package.path)) + "</code>, " + sizeText(package.bytes.size()) + "</p>\n";
  out += "<p class=\"answer\">" + htmlText(report.sentence()) + "</p>\n";
  out += "<p class=\"faint\">Read, not executed. This report says what is in the file. It does not say that its maker "
         "can be trusted.</p>\n";
  out += "<h2>Runs when loaded</h2>\n" + piecesHtml(report);
  out += "<h2>Findings</h2>\n" + findingsHtml(report);
  out += "<h2>Could do</h2>\n" + importsHtml(report);
  const safety::Identity& identity = report.identity;
  std::vector<HtmlRow> facts = {{"SHA-256", "<code>" + identity.file + "</code>"},
                                {"code only", "<code>" + identity.code + "</code>"},
                                {"content", "<code>" + identity.content + "</code>"},
                                {"build id", "<code>" + identity.buildId + "</code>"}};
  for (const std::string& one : identity.compilers) facts.push_back({"compiler", htmlText(escaped(one))});
  for (const safety::Signature& one : report.signatures)
    facts.push_back(
        {"signature", htmlText(one.kind + ", not verified: no key. States: " + escaped(one.signer + one.key))});
  out += "<h2>Identity</h2>\n" + htmlTable({"", ""}, facts);
  return out + "</body>\n</html>\n";
}

Result<std::string> cycloneDx(const library::PackagePtr& package, const safety::Report& report,
                              std::string_view version, Monitor& monitor) {
  BLOBSCOPE_TRY(codes, requirements::deviceCodeOf(package, monitor));
  std::string text;
  json::Writer writer([&](std::string_view piece) { text += piece; });
  BomWriter bom(writer);
  writer.beginObject();
  writer.member("bomFormat", "CycloneDX");
  writer.member("specVersion", "1.5");
  writer.member("version", 1);
  writer.key("metadata").beginObject();
  writer.key("tools").beginObject().key("components").beginArray().beginObject();
  writer.member("type", "application");
  writer.member("name", "blobscope");
  writer.member("version", version);
  writer.endObject().endArray().endObject();
  writer.key("component");
  bom.begin("library", package->path, "file");
  bom.hash(report.identity.file);
  std::vector<std::pair<std::string, std::string>> facts = {{"code-sha256", report.identity.code},
                                                            {"content", report.identity.content},
                                                            {"build-id", report.identity.buildId}};
  for (const std::string& one : report.identity.compilers) facts.emplace_back("compiler", one);
  bom.properties(facts);
  bom.end();
  writer.endObject();
  writer.key("components").beginArray();
  for (const safety::BlobDigest& one : report.identity.blobs) {
    bom.begin("data", one.ref.toString(), one.ref.toString());
    bom.hash(one.sha256);
    bom.properties({{"content", one.content}});
    bom.end();
  }
  std::set<std::string> seen;
  for (const requirements::DeviceCode& code : codes) {
    const std::string ref = code.ref.toString();
    if (!seen.insert(ref).second) continue;
    bom.begin("data", ref, ref);
    bom.properties({{"module", code.moduleKey},
                    {"target", code.target},
                    {"toolkit", code.toolkit},
                    {"size", std::to_string(code.bytes)}});
    bom.end();
  }
  for (const std::string& one : report.libraries) {
    if (!seen.insert("library:" + one).second) continue;
    bom.begin("library", one, "library:" + escaped(one));
    bom.end();
  }
  writer.endArray();
  writer.endObject();
  writer.finish();
  return text;
}

} // namespace blobscope::describe
