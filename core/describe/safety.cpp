#include "core/describe/safety.h"

#include "core/base/text.h"

#include <algorithm>

namespace blobscope::describe {
namespace {

constexpr std::size_t kNames = 12;

std::string joinedNames(const std::vector<std::string>& names) { return safety::namesText(names, kNames); }

std::string yesNo(bool value) { return value ? "yes" : "no"; }

class Printer {
public:
  Printer(const TextOutput& out, const safety::Report& report) : m_out(out), m_report(report) {}

  void print(uint64_t leftOut) {
    m_out.write(m_report.sentence() + "\n");
    m_out.write("\nRuns when loaded\n");
    for (const safety::Piece& piece : m_report.pieces) {
      m_out.write("  " + std::string(safety::triggerName(piece.trigger)) + " " + escaped(piece.slot) +
                  (piece.symbol.empty() ? "" : " " + escaped(piece.symbol)) + " " + hexText(piece.address) + ": " +
                  pieceText(piece) + "\n");
      if (piece.verdict != safety::Verdict::Acts) continue;
      for (const safety::Reached& one : piece.reaches) m_out.write("    " + pathText(one) + "\n");
    }
    if (m_report.pieces.empty()) m_out.write(m_report.damage.empty() ? "  nothing\n" : "  not known\n");
    printImports();
    printFacts();
    m_out.write("\nFindings\n");
    for (const check::Issue& issue : m_report.findings.issues) {
      const std::string place = issue.placeText();
      m_out.write("  " + m_out.coloured(issue.severity, severityName(issue.severity)) + " " + issue.rule +
                  (place.empty() ? "" : " " + place) + ": " + issue.message + "\n");
    }
    if (m_report.findings.issues.empty()) m_out.write("  none\n");
    if (leftOut > 0) m_out.write("  findings not shown: " + groupedText(leftOut) + "\n");
  }

private:
  void printImports() {
    m_out.write("\nCould do\n");
    for (std::size_t group = 0; group < safety::kGroups; ++group) {
      std::vector<std::string> names;
      bool expected = true;
      for (const safety::Import& one : m_report.imports) {
        if (static_cast<std::size_t>(one.group) != group) continue;
        names.push_back(one.name);
        expected = expected && one.expected;
      }
      m_out.write("  " + std::string(safety::groupTitle(static_cast<safety::Group>(group))) + ": " +
                  (!names.empty()            ? joinedNames(names)
                   : m_report.damage.empty() ? "–"
                                             : "?") +
                  (names.empty() || expected ? "" : " (not expected in a TVM export)") + "\n");
    }
  }
  void row(std::string_view label, const std::string& value) {
    if (!value.empty()) m_out.write("  " + std::string(label) + ": " + value + "\n");
  }
  void printFacts() {
    const safety::Protection& protection = m_report.protection;
    const safety::Identity& identity = m_report.identity;
    m_out.write("\nIdentity\n");
    row("SHA-256", identity.file);
    row("code only", identity.code);
    row("content", identity.content);
    row("build id", identity.buildId);
    row("compilers", joinedNames(identity.compilers));
    row("users", joinedNames(identity.users));
    row("libraries", joinedNames(m_report.libraries));
    row("search path", joinedNames(m_report.searchPaths));
    row("writable code", yesNo(protection.writableCode()));
    row("executable stack", yesNo(protection.executableStack));
    row("RELRO", protection.relro);
    if (m_report.signatures.empty()) row("signature", "none");
    for (const safety::Signature& one : m_report.signatures) row("signature", signatureText(one));
    row("bytes that belong to nothing", m_report.damage.empty() ? groupedText(m_report.unownedBytes) : "not known");
  }
  static std::string signatureText(const safety::Signature& one) {
    std::string out = one.kind;
    if (!one.problem.empty()) return out + ", " + one.problem;
    if (!one.signer.empty()) out += ", states " + escaped(one.signer);
    if (!one.key.empty()) out += ", key " + one.key;
    if (one.matches) out += *one.matches ? ", its digest is that of the file" : ", its digest is not that of the file";
    return out + ", not verified: no key";
  }

  const TextOutput& m_out;
  const safety::Report& m_report;
};

} // namespace

std::string pathText(const safety::Reached& reached) {
  std::string out;
  for (const uint64_t address : reached.path) out += hexText(address) + " → ";
  out += escaped(reached.name);
  if (reached.computed) out += "(a computed name)";
  if (!reached.text.empty()) out += "(\"" + escapedWithin(reached.text, 120) + "\")";
  return out;
}

std::string pieceText(const safety::Piece& piece) {
  std::vector<std::string> names;
  for (const safety::Reached& one : piece.reaches) names.push_back(one.name);
  const std::string calls = names.empty() ? ", calls nothing outside the file" : ", reaches " + joinedNames(names);
  switch (piece.verdict) {
  case safety::Verdict::Known: return "known: " + piece.known + calls;
  case safety::Verdict::Contained: return "not known; all calls were followed" + calls;
  case safety::Verdict::Unknown: break;
  case safety::Verdict::Acts: return "not known" + calls;
  }
  if (!piece.incomplete.empty()) return "not known: " + piece.incomplete.front() + calls;
  return "not known; the target of " + countText(piece.indirect.size(), "call") + " is not known" + calls;
}

void printSafety(const TextOutput& out, const safety::Report& report, uint64_t leftOut) {
  Printer(out, report).print(leftOut);
}

} // namespace blobscope::describe
