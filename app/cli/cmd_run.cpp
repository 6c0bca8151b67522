#include "app/cli/command.h"

#include "core/base/digest.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/describe/profile.h"
#include "core/describe/run_json.h"
#include "core/describe/run_report.h"
#include "core/library/open.h"
#include "core/run/agreed.h"
#include "core/run/archive.h"
#include "core/run/confinement.h"
#include "core/run/device_checks.h"
#include "core/run/devices.h"
#include "core/run/execute.h"
#include "core/run/kernel.h"
#include "core/run/metadata.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace blobscope::cli {
namespace {

using run::RunReport;

class RunCommand final : public Command {
public:
  std::string_view name() const override { return "run"; }
  std::string_view summary() const override {
    return "Run functions of a library in a helper process: dry, on a device, or compared with another build";
  }
  std::string_view example() const override { return "model.so --all --dry --yes"; }
  std::string_view findings() const override {
    return "a function was refused, failed or gave different results, or --tap names no node";
  }
  bool takesRef() const override { return true; }
  void declare(CLI::App& app) override {
    declareFile(app);
    app.footer([] { return run::confinementSummary(process::supportedLayers()) + "\n"; });
    app.add_option("FUNCTION", m_functions, "The host functions to run; may be omitted if there is only one")
        ->type_name("");
    app.add_flag("--all", m_options.all, "Run every host function");
    app.add_flag(
        "--metadata", m_metadata,
        "List the types and the documentation that the functions of a tvm-ffi library return; this executes code of "
        "the library");
    app.add_option(
           "--kernel", m_kernel,
           "Launch only this kernel, such as m1/kernel:NAME; omitted values are taken from a dry run of its host "
           "function")
        ->type_name("REF");
    app.add_option("--grid", m_grid, "With --kernel: the grid in blocks; omitted extents are 1")->type_name("X,Y,Z");
    app.add_option("--block", m_block, "With --kernel: the block in threads; omitted extents are 1")
        ->type_name("X,Y,Z");
    app.add_option("--shared", m_shared, "With --kernel: bytes of dynamic shared memory")
        ->type_name("BYTES")
        ->check(wholeNumber());
    app.add_option("--argument", m_arguments,
                   "With --kernel: argument N (from 0), a buffer such as float32[7,128] or a number; can be repeated")
        ->type_name("N=VALUE")
        ->allow_extra_args(false);
    app.add_flag("--dry", m_options.dry,
                 "Call the functions without a device and list their launches; with --model: only compare inputs and "
                 "parameters with the model, which may be for any system, and execute nothing");
    app.add_option(
           "--device", m_device,
           "The device: cuda, vulkan, opencl or cpu, optionally with a number, such as cuda:1; by default the device "
           "that the library was built for")
        ->type_name("DEVICE");
    app.add_option("--runtime", m_runtime,
                   "Run a function of the virtual machine with the TVM runtime at this path: a file, a folder or a "
                   "Python environment")
        ->type_name("PATH");
    app.add_option("--entry", m_entry, "With --runtime or --model: the function, by default main")->type_name("NAME");
    app.add_flag(
        "--model", m_options.model,
        "Run the whole model without TVM: the graph or the bytecode of the library, of which --entry chooses a "
        "function; "
        "or the model of a Model Library Format archive, whose C code is compiled first and of which --entry chooses a "
        "module");
    app.add_option("--graph", m_graph,
                   "With --model: the graph as JSON, for libraries that do not contain it; by default NAME.json beside "
                   "NAME.so, with "
                   "its parameters in NAME.params")
        ->type_name("FILE");
    app.add_option(
           "--params", m_params,
           "With --model: parameters that are not in the library: a file of TVM, safetensors, .npz, or a folder "
           "with tensor-cache.json, safetensors or .npy")
        ->type_name("FILE");
    app.add_option("--tap", m_options.taps,
                   "With --model: keep the outputs of these nodes: a name of a node or function, a number, numbers "
                   "such as 3-7, or all; --output-dir writes them as nodes/*.npy; can be repeated")
        ->type_name("NODES|all")
        ->allow_extra_args(false);
    app.add_option("--profile", m_profile,
                   "With --model: write the times of nodes and kernels to this file, as Chrome trace JSON")
        ->type_name("FILE");
    app.add_option("--driver", m_options.driverPath, "Load this driver library instead of the system's")
        ->type_name("FILE");
    app.add_option("--seed", m_options.seed, "The seed of random inputs")
        ->type_name("N")
        ->check(wholeNumber())
        ->default_str("1");
    app.add_option("--set", m_sizes, "The size of a symbolic dimension, or the value of an integer; can be repeated")
        ->type_name("NAME=N")
        ->allow_extra_args(false);
    app.add_option("--input", m_inputs,
                   "The values of an input: FILE.npy, zeros, ones, ramp, random, identity, special, a number, "
                   "uniform:LOW:HIGH, normal:MEAN:DEVIATION or integers:LOW:HIGH; can be repeated")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    app.add_option("--output-dir", m_outputs, "Write the outputs to this folder as NumPy files")->type_name("DIR");
    app.add_option("--repeat", m_repeat, "Measure this number of runs, after warm-up runs that are not measured")
        ->type_name("N")
        ->check(wholeNumber(1, 1'000));
    app.add_option(
           "--compare", m_compare,
           "Also run this library, the reference, with the same inputs, and compare the outputs; --yes covers it "
           "too")
        ->type_name("FILE");
    app.add_option(
           "--tolerance", m_tolerance,
           "With --compare: the difference up to which floats count as equal, ABS + REL × the reference's value; "
           "by default ABS and REL depend on the type")
        ->type_name("ABS[,REL]");
    app.add_flag("--widen-half", m_options.widenHalf, "Compute in float32 on OpenCL devices without float16");
    app.add_flag("--continue-unknown", m_options.continueUnknown,
                 "In a dry run, continue when the code calls a function of a TVM runtime; the call does nothing");
    app.add_flag(
        "--yes", m_yes,
        "Agree that the code of FILE and of the --compare library is executed with your rights. A file that is "
        "overwritten after it was opened is not run. The libraries of --runtime and --driver are loaded too");
  }

  Result<Exit> run(Session& session) override {
    if (!m_yes) return run::consentError(allCode());
    BLOBSCOPE_CHECK(readOptions());
    BLOBSCOPE_TRY(package, openRun(file, m_options.agreed, session));
    if (m_metadata) return runMetadata(package, session);
    BLOBSCOPE_TRY(report, runBoth(package, session));
    if (!m_profile.empty())
      BLOBSCOPE_CHECK(describe::writeProfile(report, pathFrom(m_profile), {{pathFrom(file)}}, session.monitor()));
    if (json) {
      const auto writer = beginDocument(session);
      describe::writeReport(*writer, report);
      writer->endObject();
      writer->finish();
    } else {
      describe::writeText(report, session.output());
    }
    return report.allOk() && report.unknownTaps.empty() ? kFine : kFindings;
  }

private:
  /// Returns every file whose code would be executed, between the quotes of a message.
  std::string allCode() const {
    std::string out = file;
    for (const std::string& one : {m_compare, m_runtime, m_options.driverPath})
      if (!one.empty()) out += "' and '" + one;
    return out;
  }

  /// Opens a library that --yes covers. Its current content is the agreed one.
  Result<library::PackagePtr> openAgreed(const std::string& path, run::Agreed& agreed, Session& session) const {
    BLOBSCOPE_TRY(package, library::openPrivate(pathFrom(path), session.monitor(), {{}, memory, {}}));
    BLOBSCOPE_TRY(sha256, computeSha256(package->bytes, session.monitor()));
    agreed = {std::move(sha256), path};
    return package;
  }

  /// Opens what is run: the library itself, or with --model the library that is built from an archive.
  Result<library::PackagePtr> openRun(const std::string& path, run::Agreed& agreed, Session& session) {
    BLOBSCOPE_TRY(package, openAgreed(path, agreed, session));
    if (!m_options.model || !run::isArchive(*package)) return package;
    BLOBSCOPE_TRY(built, run::buildArchive(package, agreed, m_entry, session.monitor()));
    agreed = built.agreed;
    package = built.package;
    m_options.functions.clear(); // --entry is the name of a module
    m_built.push_back(std::move(built));
    return package;
  }

  Result<Exit> runMetadata(const library::PackagePtr& package, Session& session) {
    if (m_options.all || m_options.dry || !m_kernel.empty() || !m_device.empty() || !m_runtime.empty() ||
        !m_compare.empty())
      return usage("--metadata cannot be combined with --all, --dry, --kernel, --device, --runtime or --compare");
    BLOBSCOPE_TRY(functions, run::readMetadata(package, m_options, session.monitor()));
    if (json) {
      const auto writer = beginDocument(session);
      describe::writeMetadata(*writer, functions);
      writer->endObject();
      writer->finish();
    } else {
      describe::writeMetadataText(functions, session.output());
    }
    return std::all_of(functions.begin(), functions.end(), [](const auto& one) { return one.fine(); }) ? kFine
                                                                                                       : kFindings;
  }

  Result<RunReport> runBoth(const library::PackagePtr& package, Session& session) {
    if (!m_compare.empty()) {
      if (m_options.dry) return usage("--dry and --compare cannot be combined: a dry run computes no results");
      BLOBSCOPE_TRY(reference, openRun(m_compare, m_options.agreedReference, session));
      return run::compareRuns(package, reference, m_options, session.monitor());
    }
    BLOBSCOPE_TRY(functions, xref::computeFunctions(package, session.monitor()));
    return run::runLibrary(package, functions, m_options, session.monitor());
  }

  Result<Done> readOptions() {
    m_options.functions = m_functions;
    m_options.outputs = pathFrom(m_outputs);
    if (m_repeat > 0) m_options.repeat = m_repeat;
    m_options.runtime = pathFrom(m_runtime);
    if (!m_entry.empty() && m_runtime.empty() && !m_options.model) return usage("--entry needs --runtime or --model");
    if (!m_options.model && (!m_graph.empty() || !m_params.empty() || !m_profile.empty() || !m_options.taps.empty()))
      return usage("--graph, --params, --tap and --profile need --model");
    if (m_options.model && (!m_runtime.empty() || !m_kernel.empty() || m_options.all))
      return usage("--model cannot be combined with --runtime, --kernel or --all");
    m_options.modelFiles = {pathFrom(m_graph), pathFrom(m_params)};
    if (!m_profile.empty() && m_repeat == 0) m_options.repeat = 10;
    if (m_options.model && !m_compare.empty() && m_options.taps.empty()) m_options.taps = {"all"};
    if (!m_entry.empty()) m_options.functions.push_back(m_entry);
    if (!m_runtime.empty() && m_options.dry)
      return usage("--dry and --runtime cannot be combined: a runtime always computes results");
    if (m_options.all && !m_functions.empty()) return usage("name functions or use --all, not both");
    BLOBSCOPE_CHECK(readTolerance());
    BLOBSCOPE_CHECK(readKernel());
    const std::size_t colon = m_device.find(':');
    m_options.device = m_device.substr(0, colon);
    if (!m_device.empty() && m_options.device != "cpu" && m_options.device != "cuda" && m_options.device != "vulkan" &&
        m_options.device != "opencl")
      return usage("unknown device '" + escaped(m_options.device) + "'; choose cuda, vulkan, opencl or cpu");
    if (colon != std::string::npos) {
      const std::string number = m_device.substr(colon + 1);
      if (const std::string why = whyNotNumber(number, 0, 63); !why.empty())
        return usage("invalid device '" + escaped(m_device) + "': " + why);
      m_options.deviceIndex = static_cast<int>(*parseNumber(number));
    }
    BLOBSCOPE_TRY(sizes, parseSizes(m_sizes));
    m_options.variables = std::move(sizes);
    for (const std::string& input : m_inputs) {
      const std::size_t equals = input.find('=');
      if (equals == 0 || equals == std::string::npos || equals + 1 == input.size())
        return usage("--input needs NAME=VALUE, not '" + escaped(input) + "'");
      m_options.inputs[input.substr(0, equals)] = input.substr(equals + 1);
    }
    return Done{};
  }

  Result<Done> readTolerance() {
    if (m_tolerance.empty()) return Done{};
    if (m_compare.empty()) return usage("--tolerance needs --compare");
    const auto read = protocol::parseTolerance(m_tolerance);
    if (!read) return usage("--tolerance needs one or two numbers ABS[,REL], not '" + escaped(m_tolerance) + "'");
    m_options.tolerance = *read;
    return Done{};
  }

  Result<Done> readKernel() {
    if (m_kernel.empty()) {
      if (!m_grid.empty() || !m_block.empty() || m_shared || !m_arguments.empty())
        return usage("--grid, --block, --shared and --argument need --kernel");
      return Done{};
    }
    if (m_options.all || !m_options.functions.empty()) return usage("name functions or use --kernel, not both");
    const auto ref = Ref::parse(m_kernel);
    if (!ref) return Error(DiagnosticId::RefSyntax, {arg("ref", m_kernel)});
    run::KernelRun& kernel = m_options.kernel.emplace();
    kernel.kernel = *ref;
    BLOBSCOPE_TRY(grid, extents("--grid", m_grid));
    BLOBSCOPE_TRY(block, extents("--block", m_block));
    kernel.grid = grid;
    kernel.block = block;
    kernel.dynamicShared = m_shared;
    for (const std::string& argument : m_arguments) {
      const std::size_t equals = argument.find('=');
      if (equals == 0 || equals == std::string::npos || equals + 1 == argument.size())
        return usage("--argument needs N=VALUE, not '" + escaped(argument) + "'");
      const std::string index = argument.substr(0, equals);
      if (const std::string why = whyNotNumber(index, 0, 0xffff); !why.empty())
        return usage("--argument " + escaped(argument) + ": " + why);
      kernel.arguments[static_cast<uint32_t>(*parseNumber(index))] = argument.substr(equals + 1);
    }
    return Done{};
  }

  /// Parses "4,1,1"; returns nothing for an empty text.
  static Result<std::optional<std::array<uint64_t, 3>>> extents(const char* option, const std::string& text) {
    if (text.empty()) return std::optional<std::array<uint64_t, 3>>();
    const auto read = run::parseExtents(text);
    if (!read) return usage(std::string(option) + " needs one to three numbers X,Y,Z, not '" + escaped(text) + "'");
    return read;
  }

  run::RunOptions m_options;
  std::vector<std::string> m_functions, m_sizes, m_inputs;
  std::vector<std::string> m_arguments;
  std::optional<uint64_t> m_shared;
  std::vector<run::ArchiveLibrary> m_built; ///< kept until the end
  std::string m_device, m_outputs, m_compare, m_runtime, m_entry, m_kernel, m_grid, m_block, m_graph, m_params,
      m_profile, m_tolerance;
  uint32_t m_repeat = 0;
  bool m_yes = false, m_metadata = false;
};

class DevicesCommand final : public Command {
public:
  std::string_view name() const override { return "devices"; }
  std::string_view summary() const override {
    return "List the devices that test runs can use, what is missing for others, and how test runs are confined";
  }
  std::string_view example() const override { return "--check"; }
  std::string_view findings() const override { return "a check failed"; }
  void declare(CLI::App& app) override {
    app.add_flag("--json", json, "Write one JSON document instead of text");
    app.add_flag("--check", m_check,
                 "Run built-in kernels on each device (copy, float16 matrix multiplication, reduction in shared "
                 "memory, atomic additions) and compare their results with those of the processor. No code of a file "
                 "is executed, so --yes is not needed");
    app.footer([] { return run::confinementSummary(process::supportedLayers()) + "\n"; });
  }

  Result<Exit> run(Session& session) override {
    BLOBSCOPE_TRY(list, run::computeDevices({}, session.monitor()));
    std::vector<run::DeviceCheck> checks;
    if (m_check) {
      BLOBSCOPE_TRY(done, run::checkDevices(list.devices, run::builtInCheckCode(), {}, session.monitor()));
      checks = std::move(done);
    }
    if (json) {
      const auto writer = beginDocument(session);
      describe::writeDevices(*writer, list);
      if (m_check) describe::writeChecks(*writer, checks);
      writer->endObject();
      writer->finish();
    } else {
      printDevices(list, session);
      if (m_check) printChecks(checks, session);
    }
    return countOf(checks, run::DeviceCheck::Status::Failed) == 0 ? kFine : kFindings;
  }

private:
  static void printDevices(const run::DeviceList& list, Session& session) {
    for (const protocol::DeviceFound& device : list.devices) {
      session.print(escaped(device.kind) + ":" + std::to_string(device.index) + "  " + escaped(device.name) +
                    ", driver " + escaped(device.driver) +
                    (device.memoryBytes > 0 ? ", " + sizeText(device.memoryBytes) : "") +
                    (device.isCpu ? " (runs on the CPU)" : "") + "\n");
      for (const auto& [label, value] : device.facts)
        session.print("    " + escaped(label) + ": " + escaped(value, 4'000) + "\n");
    }
    session.print("cpu  for functions that need no device\n");
    for (const run::DeviceList::Missing& missing : list.missing)
      session.print("missing: " + missing.what + ", for " + missing.unlocks + "; " + escaped(missing.reason, 4'000) +
                    "\n");
    for (const run::ConfinedPart& part : list.confinement)
      session.print((part.confined ? "confined: " : "not confined: ") + part.what + ": " + part.text + "\n");
  }

  static void printChecks(const std::vector<run::DeviceCheck>& checks, Session& session) {
    using Status = run::DeviceCheck::Status;
    for (const run::DeviceCheck& check : checks) {
      const std::string line = "check: " + escaped(check.kind) + ":" + std::to_string(check.index) + " " + check.name +
                               ": " + escaped(check.text(), 4'000);
      session.print((check.status == Status::Failed ? session.coloured(Severity::Error, line) : line) + "\n");
    }
    session.print("check: cpu: not checked; it runs host functions, not kernels\n");
    if (checks.empty())
      session.print("no device to check; each line 'missing' names a driver that is needed for one\n");
    else
      session.print("checks: " + std::to_string(countOf(checks, Status::Ok)) + " ok, " +
                    std::to_string(countOf(checks, Status::Failed)) + " failed, " +
                    std::to_string(countOf(checks, Status::Skipped)) + " skipped\n");
  }

  bool m_check = false;
};

} // namespace

std::unique_ptr<Command> makeRun() { return std::make_unique<RunCommand>(); }
std::unique_ptr<Command> makeDevices() { return std::make_unique<DevicesCommand>(); }

} // namespace blobscope::cli
