#include "app/cli/command.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/check/baseline.h"
#include "core/check/sarif.h"
#include "core/describe/safety.h"
#include "core/describe/safety_json.h"
#include "core/safety/safety.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace blobscope::cli {
namespace {

class SafetyCommand final : public Command {
public:
  std::string_view name() const override { return "safety"; }
  std::string_view summary() const override {
    return "Say what code runs when a file is loaded, what it could do, and which bytes belong to nothing; nothing is "
           "run";
  }
  std::string_view example() const override { return "model.so --html report.html"; }
  std::string_view findings() const override { return "findings of severity --level or higher"; }
  void declare(CLI::App& app) override {
    declareFile(app);
    app.add_option("--baseline", m_baseline, "Do not report findings that are in this earlier output of safety --json")
        ->type_name("FILE");
    app.add_option("--ignore", m_ignored, "Do not report findings of this rule; can be repeated")
        ->type_name("ID")
        ->allow_extra_args(false);
    app.add_option("--level", m_level, "The lowest severity that leads to exit code 1; with --baseline, note")
        ->type_name("SEVERITY")
        ->check(oneOf({"error", "warning", "note"}))
        ->default_str("warning");
    app.add_option("--sarif", m_sarif, "Also write the findings to this file as SARIF 2.1.0")->type_name("FILE");
    app.add_option("--html", m_html, "Also write the report to this file as HTML")->type_name("FILE");
    app.add_option("--cyclonedx", m_bom, "Also write what the file consists of to this file as CycloneDX 1.5")
        ->type_name("FILE");
  }

  Result<Exit> run(Session& session) override {
    for (const std::string& id : m_ignored)
      if (!check::findRule(id)) return Error(DiagnosticId::Usage, {{"what", "unknown rule '" + escaped(id) + "'"}});
    check::Baseline known;
    if (!m_baseline.empty()) {
      BLOBSCOPE_TRY(read, check::Baseline::read(pathFrom(m_baseline), "safety"));
      known = std::move(read);
    }
    BLOBSCOPE_TRY(package, openFile(session));
    BLOBSCOPE_TRY(report, safety::assess(package, session.monitor()));
    uint64_t leftOut = known.remove(report.findings.issues);
    leftOut += std::erase_if(report.findings.issues, [&](const check::Issue& issue) {
      return std::ranges::find(m_ignored, issue.rule) != m_ignored.end();
    });
    BLOBSCOPE_CHECK(writeReports(package, report, session));
    if (json) {
      const auto writer = beginDocument(session);
      describe::writeSafety(*writer, report);
      writer->endObject();
      writer->finish();
    } else {
      describe::printSafety(session.output(), report, leftOut);
    }
    const bool notes = m_level.empty() ? !m_baseline.empty() : m_level == "note"; // anything new counts
    const Severity level = notes ? Severity::Note : m_level == "error" ? Severity::Error : Severity::Warning;
    const bool found =
        std::ranges::any_of(report.findings.issues, [&](const check::Issue& issue) { return issue.severity <= level; });
    return found ? kFindings : kFine;
  }

private:
  /// All reports or none: each is complete before the first one gets its name.
  Result<Done> writeReports(const library::PackagePtr& package, const safety::Report& report, Session& session) const {
    Inputs inputs;
    inputs.files.push_back(pathFrom(file));
    if (!m_baseline.empty()) inputs.files.push_back(pathFrom(m_baseline));
    std::vector<OutputFile> outputs;
    const auto write = [&](const std::string& path, const std::string& text) -> Result<Done> {
      BLOBSCOPE_TRY(out, OutputFile::create(pathFrom(path), inputs));
      BLOBSCOPE_CHECK(out.write(Bytes::copyOf(text), session.monitor()));
      outputs.push_back(std::move(out));
      inputs.files.push_back(pathFrom(path));
      return Done{};
    };
    if (!m_sarif.empty()) {
      std::string text;
      check::writeSarif(report.findings, file, BLOBSCOPE_VERSION, [&](std::string_view piece) { text += piece; });
      BLOBSCOPE_CHECK(write(m_sarif, text));
    }
    if (!m_html.empty()) BLOBSCOPE_CHECK(write(m_html, describe::safetyHtml(*package, report)));
    if (!m_bom.empty()) {
      BLOBSCOPE_TRY(text, describe::cycloneDx(package, report, BLOBSCOPE_VERSION, session.monitor()));
      BLOBSCOPE_CHECK(write(m_bom, text));
    }
    for (OutputFile& output : outputs) BLOBSCOPE_CHECK(output.commit());
    return Done{};
  }

  std::vector<std::string> m_ignored;
  std::string m_baseline, m_level, m_sarif, m_html, m_bom;
};

} // namespace

std::unique_ptr<Command> makeSafety() { return std::make_unique<SafetyCommand>(); }

} // namespace blobscope::cli
