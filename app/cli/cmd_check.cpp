#include "app/cli/command.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/check/baseline.h"
#include "core/check/sarif.h"
#include "core/describe/archive_code.h"
#include "core/mlf/check.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace blobscope::cli {
namespace {

class CheckCommand final : public Command {
public:
  std::string_view name() const override { return "check"; }
  std::string_view summary() const override {
    return "Check archives against rules, list the findings of libraries, and compare files that are linked together";
  }
  std::string_view example() const override { return "model.tar --sarif findings.sarif"; }
  std::string_view findings() const override { return "findings of severity --level or higher"; }
  void declare(CLI::App& app) override {
    declareFile(app);
    app.add_option("--rule", m_only, "Report only findings of this rule; can be repeated")
        ->type_name("ID")
        ->allow_extra_args(false);
    app.add_option("--ignore", m_ignored, "Do not report findings of this rule; can be repeated")
        ->type_name("ID")
        ->allow_extra_args(false);
    app.add_option("--baseline", m_baseline, "Do not report findings that are in this earlier output of check --json")
        ->type_name("FILE");
    app.add_option("--level", m_level, "The lowest severity that leads to exit code 1")
        ->type_name("SEVERITY")
        ->check(oneOf({"error", "warning", "note"}))
        ->default_str("error");
    app.add_option("--with", m_with,
                   "Also report what keeps FILE from being linked with this file or folder; can be repeated")
        ->type_name("OTHER")
        ->allow_extra_args(false);
    CLI::Option* const compile = app.add_flag(
        "--compile", m_compile, "Also compile the C code of a Model Library Format archive; nothing of it is run");
    app.add_option("--compiler", m_compiler, "The C compiler for --compile: a name or a path")
        ->type_name("NAME")
        ->default_str("cc")
        ->needs(compile);
    app.add_option("--flag", m_flags, "A flag for the C compiler, such as -mcpu=cortex-m7; can be repeated")
        ->type_name("FLAG")
        ->allow_extra_args(false)
        ->needs(compile);
    app.add_flag("--any-flag", m_anyFlag, "Pass any --flag, also those that may name files or programs")
        ->needs(compile);
    app.add_option("--sarif", m_sarif, "Also write the findings to this file as SARIF 2.1.0")->type_name("FILE");
  }

  Result<Exit> run(Session& session) override {
    for (const auto* list : {&m_only, &m_ignored})
      for (const std::string& id : *list)
        if (!check::findRule(id))
          return Error(DiagnosticId::Usage, {{"what", "unknown rule '" + escaped(id) +
                                                          "'; findings name their rule, and the help page 'Rules of "
                                                          "the Model Library Format' lists all rules"}});
    check::Baseline known;
    if (!m_baseline.empty()) {
      BLOBSCOPE_TRY(read, check::Baseline::read(pathFrom(m_baseline)));
      known = std::move(read);
    }
    std::vector<std::filesystem::path> with;
    for (const std::string& other : m_with) with.push_back(pathFrom(other));
    BLOBSCOPE_TRY(report, mlf::checkFile(pathFrom(file), session.monitor(), memory, with));
    std::optional<compile::CResult> compiled;
    if (m_compile) {
      BLOBSCOPE_TRY(package, openFile(session));
      BLOBSCOPE_TRY(code, describe::checkArchiveCode(package, m_compiler, m_flags, m_anyFlag, session.monitor()));
      report.add(code.issues);
      compiled = std::move(code.result);
    }

    const auto contains = [](const std::vector<std::string>& list, const std::string& id) {
      return std::find(list.begin(), list.end(), id) != list.end();
    };
    uint64_t leftOut = known.remove(report.issues);
    leftOut += std::erase_if(report.issues, [&](const check::Issue& issue) {
      return (!m_only.empty() && !contains(m_only, issue.rule)) || contains(m_ignored, issue.rule);
    });
    if (!m_sarif.empty()) BLOBSCOPE_CHECK(writeSarif(report, session));
    if (json)
      write(session, report, compiled);
    else
      print(session, report, leftOut);
    if (!json && compiled) session.print(describe::archiveCodeText(*compiled));

    const Severity level = m_level == "note"      ? Severity::Note
                           : m_level == "warning" ? Severity::Warning
                                                  : Severity::Error;
    const bool found = std::any_of(report.issues.begin(), report.issues.end(),
                                   [&](const check::Issue& issue) { return issue.severity <= level; });
    return found ? kFindings : kFine;
  }

private:
  Result<Done> writeSarif(const check::Report& report, Session& session) const {
    std::string text;
    check::writeSarif(report, file, BLOBSCOPE_VERSION, [&](std::string_view piece) { text += piece; });
    return writeFile(pathFrom(m_sarif), {{pathFrom(file), pathFrom(m_baseline)}}, Bytes::copyOf(text),
                     session.monitor());
  }

  void write(Session& session, const check::Report& report, const std::optional<compile::CResult>& compiled) const {
    const auto writer = beginDocument(session);
    writer->member("format", report.format);
    writer->member("version", report.version ? std::optional<uint64_t>(*report.version) : std::nullopt);
    check::writeFindings(report, *writer);
    if (compiled) writeCompiled(*writer, *compiled);
    writer->endObject();
    writer->finish();
  }

  static void writeCompiled(json::Writer& writer, const compile::CResult& compiled) {
    writer.key("compiled").beginObject();
    writer.member("compiler", compiled.compiler);
    writer.member("version", compiled.version);
    writer.key("units").beginArray();
    for (const compile::CUnit& unit : compiled.units) {
      writer.beginObject();
      writer.member("member", unit.path);
      writer.member("ok", unit.ok);
      const auto size = [&](std::string_view key, uint64_t compile::CUnit::Sizes::* part) {
        writer.member(key, unit.sizes ? std::optional(*unit.sizes.*part) : std::nullopt);
      };
      size("code", &compile::CUnit::Sizes::code);
      size("constants", &compile::CUnit::Sizes::constants);
      size("data", &compile::CUnit::Sizes::data);
      size("zeros", &compile::CUnit::Sizes::zeros);
      writer.endObject();
    }
    writer.endArray();
    writer.endObject();
  }

  static void print(Session& session, const check::Report& report, uint64_t leftOut) {
    for (const check::Report::Row& row : report.rows()) {
      const check::Issue& issue = report.issues[row.issue];
      const std::string place = issue.placeText();
      // Most messages name their file, and so does the place before them.
      std::string_view message = issue.message;
      if (const std::string named = issue.place.member + ": ";
          !issue.place.member.empty() && message.starts_with(named))
        message.remove_prefix(named.size());
      session.print((row.follows ? "  follows: " : "") +
                    session.coloured(issue.severity, severityName(issue.severity)) + " " + issue.rule +
                    (place.empty() ? "" : " " + place) + ": " + std::string(message) +
                    (!issue.quickFix.empty() ? "; quick fix: " + issue.quickFix
                     : issue.fix.empty()     ? ""
                                             : "; fix: " + issue.fix) +
                    "\n");
    }
    const auto mendable =
        std::ranges::count_if(report.issues, [](const check::Issue& one) { return !one.quickFix.empty(); });
    if (mendable > 0)
      session.print((mendable == 1 ? "1 finding has a quick fix"
                                   : groupedText(static_cast<uint64_t>(mendable)) + " findings have a quick fix") +
                    std::string("; repack --fix all applies all of them\n"));
    const std::string what =
        report.format == "mlf"
            ? "Model Library Format" + (report.version ? " version " + std::to_string(*report.version) : "")
            : report.format;
    const std::string rest = leftOut > 0 ? "; findings not shown: " + groupedText(leftOut) : "";
    if (report.issues.empty()) {
      session.print(what + ": " + (leftOut > 0 ? "no other findings" : "no findings") + rest + "\n");
      return;
    }
    std::string counts;
    for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note}) {
      const std::size_t count = report.count(severity);
      counts += (counts.empty() ? "" : ", ") + groupedText(count) + " " + std::string(severityName(severity)) +
                (count == 1 ? "" : "s");
    }
    session.print(what + ": " + counts + rest + "\n");
  }

  std::vector<std::string> m_only, m_ignored;
  std::vector<std::string> m_flags, m_with;
  std::string m_baseline, m_level = "error", m_sarif, m_compiler;
  bool m_compile = false, m_anyFlag = false;
};

} // namespace

std::unique_ptr<Command> makeCheck() { return std::make_unique<CheckCommand>(); }

} // namespace blobscope::cli
