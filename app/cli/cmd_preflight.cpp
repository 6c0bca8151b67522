#include "app/cli/command.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/describe/devices_here.h"
#include "core/describe/preflight.h"
#include "core/describe/preflight_json.h"
#include "core/library/open.h"
#include "core/preflight/report_files.h"
#include "core/program/parameters.h"
#include "core/run/weights.h"
#include "core/targets/facts_folder.h"
#include "core/view/render.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <system_error>

namespace blobscope::cli {
namespace {

using preflight::FilesReport;
using preflight::Outcome;
using preflight::Verdict;

class PreflightCommand final : public Command {
public:
  std::string_view name() const override { return "preflight"; }
  std::string_view summary() const override {
    return "Say whether libraries load and run with a TVM runtime and a device, and what is missing; nothing is run";
  }
  std::string_view example() const override { return "model.so --runtime v0.27+cuda --device sm_90"; }
  std::string_view findings() const override {
    return "something is missing; with --all-releases: no release loads every file";
  }
  void declare(CLI::App& app) override {
    app.add_option("FILE", m_files, "The libraries, or folders with libraries")->type_name("")->required();
    app.add_flag("--json", json, "Write one JSON document instead of text");
    app.add_option("--runtime", m_runtimes,
                   "A release such as v0.27, with further parts of the build after +, such as v0.27+cuda,opencl; or a "
                   "runtime on disk: a library, a folder, a Python environment, an .apk or a .wasm; can be repeated; "
                   "by default the newest release")
        ->type_name("RUNTIME")
        ->allow_extra_args(false);
    app.add_option("--device", m_devices,
                   "A device such as sm_90, sm_90,driver=580, gfx1100 or vulkan:1.3, or this for those of this "
                   "machine; can be repeated")
        ->type_name("DEVICE")
        ->allow_extra_args(false);
    app.add_option("--system", m_systems,
                   "Where the file is loaded, such as x86_64-linux-gnu2.28, debian12, ubuntu22.04-aarch64, rhel8, "
                   "manylinux_2_28_x86_64, android29, windows, or this for this machine; can be repeated; by default a "
                   "system that fits the file")
        ->type_name("SYSTEM")
        ->allow_extra_args(false);
    app.add_option("--with", m_with,
                   "A shared library that the process also has, an archive (.a) for objects, or a folder or wheel with "
                   "libraries; can be repeated")
        ->type_name("LIB")
        ->allow_extra_args(false);
    app.add_option(
           "--params", m_params,
           "Also compare these weights with the parameters of the model: a file of TVM, safetensors, .npz, or a "
           "folder with tensor-cache.json, safetensors or .npy")
        ->type_name("FILE");
    app.add_flag("--all-releases", m_all, "Compare with all releases, each built with what the file needs");
    app.add_option("--facts", m_facts,
                   "A folder with newer tables of releases, functions and devices than those that are built in")
        ->type_name("DIR");
    app.add_option("--sarif", m_sarif, "Also write what is missing to this file as SARIF 2.1.0")->type_name("FILE");
    app.add_option("--csv", m_csv, "Also write files and targets to this file as comma-separated values")
        ->type_name("FILE");
  }

  Result<Exit> run(Session& session) override {
    if (m_all && !m_runtimes.empty())
      return Error(DiagnosticId::Usage, {{"what", "--all-releases and --runtime cannot be combined"}});
    if (std::error_code failure; !m_facts.empty() && !std::filesystem::is_directory(pathFrom(m_facts), failure))
      return Error(DiagnosticId::PreFacts, {arg("path", m_facts), {"why", "it is not a folder"}});
    BLOBSCOPE_TRY(facts, targets::Facts::load(m_facts.empty() ? targets::userFactsFolder() : pathFrom(m_facts)));
    BLOBSCOPE_TRY(options, makeOptions(facts, session.monitor()));
    std::vector<std::filesystem::path> paths;
    for (const std::string& path : m_files) paths.push_back(pathFrom(path));
    program::Parameters weights;
    if (!m_params.empty()) {
      BLOBSCOPE_TRY(read, program::readParametersAt(pathFrom(m_params), session.monitor()));
      weights = std::move(read);
      options.alsoCheck = [&](const library::PackagePtr& package, Monitor& monitor) {
        return run::checkWeights(package, weights, pathText(pathFrom(m_params).filename()), monitor);
      };
    }
    BLOBSCOPE_TRY(report, preflight::checkFiles(paths, options, facts, session.monitor()));
    // A single file that cannot be read is an error of the command; opening it again gives the error itself.
    if (std::error_code failure; paths.size() == 1 && !std::filesystem::is_directory(paths.front(), failure) &&
                                 !report.files.empty() && !report.files.front().error.empty())
      if (auto again = library::open(paths.front(), session.monitor()); !again)
        return again.takeError().within("'" + shownPath(pathText(paths.front())) + "'");
    BLOBSCOPE_CHECK(writeReports(report, session));
    if (json) {
      const auto writer = beginDocument(session);
      describe::writeFiles(*writer, report);
      writer->endObject();
      writer->finish();
    } else {
      printRuntimes(session, options);
      print(session, report, *facts);
    }
    return exitOf(report);
  }

private:
  Result<preflight::FilesOptions> makeOptions(const targets::FactsPtr& facts, Monitor& monitor) const {
    preflight::FilesOptions options;
    options.allReleases = m_all;
    options.here = describe::machineHere();
    std::vector<std::filesystem::path> with;
    for (const std::string& path : m_with) with.push_back(pathFrom(path));
    BLOBSCOPE_TRY(libraries, targets::SharedLibraries::read(with, monitor));
    options.libraries = std::move(libraries);
    for (const std::string& text : m_systems) {
      if (text == describe::kThisMachine) {
        options.systems.push_back(describe::systemHere());
        continue;
      }
      BLOBSCOPE_TRY(system, targets::parseSystem(facts, text));
      options.systems.push_back(std::move(system));
    }
    for (const std::string& text : m_devices) {
      if (text == describe::kThisMachine) {
        // The machine is compared also when it has no device.
        auto here = describe::devicesHere(facts, monitor);
        if (!here && here.error().id() != DiagnosticId::PreDevice) return here.takeError();
        if (here) std::ranges::move(*here, std::back_inserter(options.devices));
        if (options.systems.empty()) options.systems.push_back(describe::systemHere());
        continue;
      }
      BLOBSCOPE_TRY(device, targets::parseDevice(facts, text));
      options.devices.push_back(std::move(device));
    }
    if (m_all) return options;
    std::vector<std::string> names = m_runtimes;
    if (names.empty()) names.push_back(facts->releases()[facts->newestRelease()].name);
    for (const std::string& name : names) {
      BLOBSCOPE_TRY(runtime, targets::findRuntime(facts, name, monitor));
      std::ranges::move(options.targetsOf(runtime), std::back_inserter(options.targets));
    }
    return options;
  }

  /// Both reports or none: each is complete before the first one gets its name.
  Result<Done> writeReports(const FilesReport& report, Session& session) const {
    Inputs inputs;
    for (const auto* const list : {&m_files, &m_runtimes, &m_with})
      for (const std::string& file : *list) inputs.files.push_back(pathFrom(file));
    if (!m_params.empty()) inputs.files.push_back(pathFrom(m_params));
    if (!m_facts.empty()) inputs.files.push_back(pathFrom(m_facts));
    std::vector<OutputFile> outputs;
    const auto write = [&](const std::string& path, const auto& writer) -> Result<Done> {
      if (path.empty()) return Done{};
      std::string text;
      writer([&](std::string_view piece) { text += piece; });
      BLOBSCOPE_TRY(out, OutputFile::create(pathFrom(path), inputs));
      BLOBSCOPE_CHECK(out.write(Bytes::copyOf(text), session.monitor()));
      outputs.push_back(std::move(out));
      inputs.files.push_back(pathFrom(path));
      return Done{};
    };
    BLOBSCOPE_CHECK(write(m_csv, [&](const auto& sink) { preflight::writeCsv(report, sink); }));
    BLOBSCOPE_CHECK(write(m_sarif, [&](const auto& sink) { preflight::writeSarif(report, BLOBSCOPE_VERSION, sink); }));
    for (OutputFile& output : outputs) BLOBSCOPE_CHECK(output.commit());
    return Done{};
  }

  /// How the runtimes on disk were recognised.
  static void printRuntimes(Session& session, const preflight::FilesOptions& options) {
    const targets::Runtime* before = nullptr;
    for (const auto& target : options.targets) {
      const targets::Runtime* const runtime = target.runtime.get();
      if (!runtime->onDisk() || runtime == std::exchange(before, runtime)) continue;
      session.print("runtime " + escaped(runtime->name()) + "\n");
      for (const std::string& sentence : runtime->evidence()) session.print("  " + sentence + "\n");
    }
  }

  void print(Session& session, const FilesReport& report, const targets::Facts& facts) const {
    for (const preflight::FileOutcomes& file : report.files) {
      if (file.inFolder && file.kind != library::FileKind::Library) continue; // only counted
      session.print(escaped(file.path) + "\n");
      if (!file.what.empty()) session.print("  not judged: " + file.what + "\n");
      if (!file.error.empty()) session.print("  " + file.error + "\n");
      if (!file.checked.empty()) session.print("  " + file.checked + "\n");
      if (m_all)
        printReleases(session, file);
      else
        for (const Outcome& outcome : file.outcomes) printOutcome(session, outcome);
      if (file.ofTvm)
        session.print(file.releases.empty() ? "  no release loads and runs all of it\n"
                                            : std::string(file.doubtful ? "  may load" : "  loads") + " in TVM " +
                                                  facts.rangesText(file.releases) +
                                                  (file.flags.empty() ? "" : ", built with " + file.flags) + "\n");
      if (!file.problem.empty()) session.print("  " + file.problem + "\n");
    }
    if (report.files.size() > 1) session.print(preflight::commonText(report, facts) + "\n");
    const bool inFolder =
        report.others + report.sources > 0 || std::ranges::any_of(report.files, &preflight::FileOutcomes::inFolder);
    if (const std::string text = report.notJudgedText(); inFolder && !text.empty()) session.print(text + "\n");
  }

  /// One line for each run of releases with the same result, with what fails first.
  static void printReleases(Session& session, const preflight::FileOutcomes& file) {
    const auto words = [](const Outcome& outcome) {
      const preflight::Missing* const first = outcome.first();
      return describe::verdictText(outcome, "") +
             (first ? " (" + std::string(check::row(first->rule).id) + ")" : std::string());
    };
    const std::vector<Outcome>& all = file.outcomes;
    for (std::size_t i = 0; i < all.size();) {
      std::size_t last = i;
      while (last + 1 < all.size() && words(all[last + 1]) == words(all[i])) ++last;
      const auto name = [&](const Outcome& one) {
        std::string where;
        for (const auto& part : {one.device, one.system})
          if (part) where += (where.empty() ? " on " : ", ") + escaped(*part);
        return escaped(one.product) + where;
      };
      session.print("  " + name(all[i]) + (last > i ? " – " + name(all[last]) : "") + ": " + words(all[i]) + "\n");
      i = last + 1;
    }
  }

  static void printOutcome(Session& session, const Outcome& outcome) {
    session.print("  " + describe::outcomeText(outcome) + "\n");
    for (const describe::MissingGroup& group : describe::groupsOf(outcome)) {
      const preflight::Missing& missing = *group.first;
      const check::RuleRow& row = check::row(missing.rule);
      session.print("    " +
                    session.coloured(missing.certain ? row.severity : Severity::Note,
                                     missing.certain ? "missing" : "not certain") +
                    " " + std::string(row.id) + ", step " + std::to_string(static_cast<unsigned>(missing.step)) + ": " +
                    group.sentence + "\n");
      if (!missing.printed.empty())
        session.print((!missing.certain  ? "      message, if it is missing: "
                       : missing.reached ? "      message: "
                                         : "      message, once this step is reached: ") +
                      missing.printed + "\n");
      if (!missing.fix.empty()) session.print("      what to do: " + missing.fix + "\n");
    }
  }

  Exit exitOf(const FilesReport& report) const {
    const auto readable = [](const auto& file) { return file.error.empty(); };
    if (!std::ranges::all_of(report.files, readable)) return kFindings;
    // The process ends when such a function is called.
    const auto lacksSymbol = [](const Outcome& outcome) {
      return std::ranges::any_of(outcome.missing,
                                 [](const preflight::Missing& one) { return one.rule == check::Rule::PreSymbol; });
    };
    // Nothing was judged, so nothing is known to load.
    const auto isJudged = [](const auto& file) { return !file.outcomes.empty(); };
    if (std::ranges::none_of(report.files, isJudged)) return kFindings;
    const auto loads = [](const Outcome& outcome) { return outcome.verdict == Verdict::Loads; };
    if (m_all) {
      for (std::size_t i = 0; report.libraries() > 0 && i < report.targets.size(); ++i)
        if (std::ranges::all_of(report.files, [&](const auto& file) { return !file.ofTvm || loads(file.outcomes[i]); }))
          return kFine;
      return kFindings;
    }
    for (const preflight::FileOutcomes& file : report.files)
      for (const Outcome& outcome : file.outcomes)
        if (!loads(outcome) || !outcome.complete() || lacksSymbol(outcome)) return kFindings;
    return kFine;
  }

  std::vector<std::string> m_files, m_runtimes, m_devices, m_systems, m_with;
  std::string m_facts, m_sarif, m_csv, m_params;
  bool m_all = false;
};

} // namespace

std::unique_ptr<Command> makePreflight() { return std::make_unique<PreflightCommand>(); }

} // namespace blobscope::cli
