#include "core/run/execute.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/payloads/tensor/npy.h"
#include "core/process/process.h"
#include "core/protocol/element_code.h"
#include "core/run/agreed.h"
#include "core/run/kernel.h"
#include "core/run/model.h"
#include "core/run/node_inputs.h"
#include "core/run/nodes.h"
#include "core/run/probe.h"
#include "core/run/program.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace blobscope::run {
namespace {

/// Returns a file name for a function or tensor name with any bytes.
std::string fileName(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, 100))
    out += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ? c : '_';
  return out;
}

Result<Done> saveTensor(const payloads::Tensor& tensor, const std::filesystem::path& path, const Inputs& inputs,
                        Monitor& monitor) {
  const auto header = payloads::npyHeader(tensor);
  BLOBSCOPE_TRY(file, OutputFile::create(path, inputs));
  if (header) BLOBSCOPE_CHECK(file.write(Bytes::copyOf(header->bytes), monitor));
  BLOBSCOPE_CHECK(file.write(header ? payloads::npyData(tensor) : tensor.data, monitor));
  return file.commit();
}

/// Writes FUNCTION.TENSOR.npy for each output; equal names get a number.
Result<Done> keepOutput(const Output& output, const std::filesystem::path& folder, const std::string& stem,
                        const Inputs& inputs, Monitor& monitor) {
  if (output.file.empty()) return Done{};
  BLOBSCOPE_TRY(bytes, bytesOf(output));
  const bool npy = payloads::npyHeader(protocol::tensorOf(output.type, output.shape, bytes)).has_value();
  return saveOutput(output, folder / pathFrom(stem + (npy ? ".npy" : ".bin")), inputs, monitor);
}

/// Moves the kept outputs and the inputs of the nodes out of the folders of the runs, which are deleted.
Result<Done> moveNodes(RunReport& report) {
  BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
  std::map<std::filesystem::path, std::filesystem::path> moved; // several nodes may read the same file
  const auto move = [&](std::filesystem::path& file) {
    if (file.empty()) return;
    const auto [at, added] = moved.try_emplace(file, folder.path() / std::to_string(moved.size()));
    std::error_code failure;
    if (added) std::filesystem::rename(file, at->second, failure);
    if (failure) at->second.clear();
    file = at->second;
  };
  for (FunctionResult& result : report.functions)
    for (std::vector<NodeResult>* const nodes : {&result.nodes, &result.referenceNodes})
      for (NodeResult& node : *nodes) {
        for (Output& output : node.outputs) move(output.file);
        for (NodeInput& input : node.inputs) move(input.file);
      }
  report.files = std::make_shared<const process::TemporaryFolder>(std::move(folder));
  return Done{};
}

/// Writes nodes/NUMBER-NODE.OUTPUT.npy for each output of a node that was kept, numbers with as many digits as the
/// largest has.
Result<Done> keepNodes(const FunctionResult& result, const std::filesystem::path& folder, const Inputs& inputs,
                       Monitor& monitor) {
  const std::size_t digits = std::to_string(result.nodes.size()).size();
  bool any = false;
  for (std::size_t i = 0; i < result.nodes.size(); ++i) {
    std::string number = std::to_string(i);
    number.insert(0, digits - std::min(digits, number.size()), '0');
    const NodeResult& node = result.nodes[i];
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
      if (node.outputs[k].file.empty()) continue;
      std::error_code failure;
      if (!std::exchange(any, true)) std::filesystem::create_directories(folder / "nodes", failure);
      BLOBSCOPE_CHECK(keepOutput(node.outputs[k], folder / "nodes",
                                 number + "-" + fileName(node.name) + "." + std::to_string(k), inputs, monitor));
    }
  }
  return Done{};
}

Result<Done> keepOutputs(const RunReport& report, const std::filesystem::path& folder, const Inputs& inputs,
                         Monitor& monitor) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  std::map<std::string, unsigned> used;
  for (const FunctionResult& result : report.functions) {
    for (const Output& output : result.outputs) {
      if (output.file.empty()) continue;
      std::string stem = fileName(result.function) + "." + fileName(output.name);
      if (const unsigned before = used[stem]++; before > 0) stem += "-" + std::to_string(before + 1);
      BLOBSCOPE_CHECK(keepOutput(output, folder, stem, inputs, monitor));
    }
    BLOBSCOPE_CHECK(keepNodes(result, folder, inputs, monitor));
  }
  return Done{};
}

const Output* outputNamed(const FunctionResult& result, std::string_view name) {
  const auto found =
      std::find_if(result.outputs.begin(), result.outputs.end(), [&](const Output& one) { return one.name == name; });
  return found == result.outputs.end() ? nullptr : &*found;
}

const FunctionResult* resultNamed(const RunReport& report, std::string_view name) {
  const auto found = std::find_if(report.functions.begin(), report.functions.end(),
                                  [&](const FunctionResult& one) { return one.function == name; });
  return found == report.functions.end() ? nullptr : &*found;
}

/// Returns what a run wrote to a tensor, together with what a second run wrote to it, if there was one. `second` may be
/// null.
Result<protocol::TensorOutput> tensorOutput(const Output& output, const FunctionResult* second) {
  BLOBSCOPE_TRY(bytes, bytesOf(output));
  protocol::TensorOutput out{output.type, output.shape, std::move(bytes), {}};
  const Output* const later = second ? outputNamed(*second, output.name) : nullptr;
  if (later && !later->file.empty()) {
    BLOBSCOPE_TRY(again, bytesOf(*later));
    out.again = std::move(again);
  }
  return out;
}

/// Returns the times of a function; empty if it has no result.
std::vector<double> callTimesOf(const RunReport& report, const std::string& function) {
  const FunctionResult* const found = resultNamed(report, function);
  return found ? found->callTimes : std::vector<double>();
}

/// The times on the device of a launch of a function; empty if they were not measured.
std::vector<double> launchTimesOf(const RunReport& report, const std::string& function, std::size_t launch,
                                  const std::string& kernel) {
  const FunctionResult* const found = resultNamed(report, function);
  if (!found || launch >= found->launches.size() || found->launches[launch].kernel != kernel) return {};
  return found->launchTimes(launch);
}

/// Compares what two rounds measured. Nothing unless both builds have times.
std::optional<protocol::TimeComparison> compareTimes(const std::array<protocol::TimeRound, 2>& rounds) {
  if (rounds[0].candidate.empty() || rounds[0].reference.empty()) return std::nullopt;
  return protocol::compareRounds(rounds);
}

std::vector<double> joined(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// A run with its folder, which is deleted with it.
struct RunWithFolder {
  process::TemporaryFolder folder;
  RunReport report;
};

/// Returns `functions` with signatures found by probing.
Result<xref::Functions> withProbedSignatures(const library::PackagePtr& package, xref::Functions functions,
                                             const RunOptions& options, Monitor& monitor) {
  if (options.runtime.empty() && !options.kernel && !options.model)
    BLOBSCOPE_CHECK(probeSignatures(package, options, functions, monitor));
  return functions;
}

Result<RunWithFolder> runIn(const AgreedLibrary& library, const xref::Functions& functions, const RunOptions& options,
                            Monitor& monitor) {
  BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
  const auto plan = options.kernel            ? planKernel
                    : options.model           ? planProgram
                    : options.runtime.empty() ? planRun
                                              : planModel;
  BLOBSCOPE_TRY(planned, plan(library.package(), functions, options, folder.path(), monitor));
  BLOBSCOPE_CHECK(library.checkDisk());
  BLOBSCOPE_TRY(report, executeRun(planned, options, folder.path(), monitor));
  findInputs(report, planned, functions, folder.path());
  return RunWithFolder{std::move(folder), std::move(report)};
}

/// Finds the other build's kernel with the same name; its module may have another number.
void findKernel(RunOptions& options, const xref::Functions& functions) {
  if (!options.kernel || functions.findKernel(options.kernel->kernel)) return;
  const Ref asked = options.kernel->kernel;
  for (const xref::Kernel& kernel : functions.kernels)
    if (!asked.parts.empty() && kernel.name == asked.parts.back().name) {
      options.kernel->kernel = kernel.ref;
      break;
    }
}

/// Returns the report without the temporary files; outputs that were requested are saved first. `libraries`: what was
/// run.
Result<RunReport> finish(RunWithFolder run, std::vector<std::filesystem::path> libraries, const RunOptions& options,
                         Monitor& monitor) {
  Inputs inputs{std::move(libraries)};
  const auto add = [&](const std::filesystem::path& path) {
    std::error_code failure;
    if (std::filesystem::is_regular_file(path, failure)) inputs.files.push_back(path); // not a word like "ones"
  };
  add(options.driverPath);
  add(options.runtime);
  for (const auto& [tensor, fill] : options.inputs) add(fill);
  if (!options.outputs.empty()) BLOBSCOPE_CHECK(keepOutputs(run.report, options.outputs, inputs, monitor));
  if (options.keepNodes) BLOBSCOPE_CHECK(moveNodes(run.report));
  for (FunctionResult& result : run.report.functions) {
    for (Output& output : result.outputs) output.file.clear();
    if (options.keepNodes) continue;
    for (std::vector<NodeResult>* const nodes : {&result.nodes, &result.referenceNodes})
      for (NodeResult& node : *nodes) {
        for (Output& output : node.outputs) output.file.clear();
        for (NodeInput& input : node.inputs) input.file.clear();
      }
  }
  return std::move(run.report);
}

} // namespace

Result<Done> saveOutput(const Output& output, const std::filesystem::path& path, const Inputs& inputs,
                        Monitor& monitor) {
  BLOBSCOPE_TRY(bytes, bytesOf(output));
  return saveTensor(protocol::tensorOf(output.type, output.shape, bytes), path, inputs, monitor);
}

Result<Done> saveInput(const NodeInput& input, const std::filesystem::path& path, Monitor& monitor) {
  BLOBSCOPE_TRY(bytes, bytesOf(input));
  return saveTensor(protocol::tensorOf(input.type, input.shape, bytes), path, {}, monitor);
}

Result<RunReport> runLibrary(const library::PackagePtr& package, const xref::Functions& functions,
                             const RunOptions& options, Monitor& monitor) {
  if (options.model && options.dry) return checkProgram(package, functions, options, monitor);
  BLOBSCOPE_TRY(library, AgreedLibrary::take(package, options.agreed, monitor));
  BLOBSCOPE_TRY(known, withProbedSignatures(library.package(), functions, options, monitor));
  BLOBSCOPE_TRY(done, runIn(library, known, options, monitor));
  return finish(std::move(done), {pathFrom(package->path)}, options, monitor);
}

Result<RunReport> compareRuns(const library::PackagePtr& package, const library::PackagePtr& reference,
                              const RunOptions& options, Monitor& monitor) {
  // Both are checked against the consent before any of their code runs.
  BLOBSCOPE_TRY(library, AgreedLibrary::take(package, options.agreed, monitor));
  BLOBSCOPE_TRY(other, AgreedLibrary::take(reference, options.agreedReference, monitor));
  BLOBSCOPE_TRY(texts, xref::computeFunctions(library.package(), monitor));
  BLOBSCOPE_TRY(functions, withProbedSignatures(library.package(), std::move(texts), options, monitor));
  BLOBSCOPE_TRY(referenceTexts, xref::computeFunctions(other.package(), monitor));
  RunOptions referenceOptions = options;
  referenceOptions.agreed = options.agreedReference;
  BLOBSCOPE_TRY(known, withProbedSignatures(other.package(), std::move(referenceTexts), referenceOptions, monitor));
  findKernel(referenceOptions, known);
  const auto again = [](RunOptions one) {
    one.outputFill = protocol::kSecondFill;
    return one;
  };
  // Alternately, so that a machine that gets slower or faster affects both. Source: core/formats/host-abi.md 7.4.
  BLOBSCOPE_TRY(reference1, runIn(other, known, referenceOptions, monitor));
  BLOBSCOPE_TRY(candidate, runIn(library, functions, options, monitor));
  BLOBSCOPE_TRY(reference2, runIn(other, known, again(referenceOptions), monitor));
  BLOBSCOPE_TRY(candidate2, runIn(library, functions, again(options), monitor));
  for (FunctionResult& result : candidate.report.functions) {
    if (result.status != Status::Ok) continue;
    const FunctionResult* const expected = resultNamed(reference1.report, result.function);
    if (!expected || expected->status != Status::Ok) {
      result.status = Status::Refused;
      result.code = expected ? expected->code : row(DiagnosticId::RunNoEntry).id;
      result.message = expected ? "the reference: " + expected->message : "the reference has no such function";
      continue;
    }
    RunComparison comparison;
    std::string worst;
    for (const Output& output : result.outputs) {
      const Output* const there = outputNamed(*expected, output.name);
      if (output.file.empty() || !there || there->file.empty()) continue;
      BLOBSCOPE_TRY(mine, tensorOutput(output, resultNamed(candidate2.report, result.function)));
      BLOBSCOPE_TRY(theirs, tensorOutput(*there, resultNamed(reference2.report, result.function)));
      RunComparison::Pair pair;
      pair.name = output.name;
      BLOBSCOPE_TRY(compared, protocol::compareOutputs(mine, theirs, options.tolerance, monitor));
      pair.result = std::move(compared);
      if (theirs.again) {
        BLOBSCOPE_TRY(spread, protocol::compareRuns(theirs, monitor));
        comparison.deterministic = comparison.deterministic && spread.verdict == protocol::Verdict::Identical;
        pair.again = std::move(spread);
      }
      if (pair.result.verdict == protocol::Verdict::Differs ||
          pair.result.verdict == protocol::Verdict::NotComparable) {
        comparison.equal = false;
        if (worst.empty()) worst = output.name + ": " + pair.result.sentence();
      }
      comparison.outputs.push_back(std::move(pair));
    }
    const std::array<protocol::TimeRound, 2> rounds = {
        {{result.callTimes, expected->callTimes},
         {callTimesOf(candidate2.report, result.function), callTimesOf(reference2.report, result.function)}}};
    comparison.times = compareTimes(rounds);
    if (comparison.times) {
      result.callTimes = joined(std::move(result.callTimes), rounds[1].candidate);
      comparison.referenceTimes = joined(rounds[0].reference, rounds[1].reference);
    }
    for (std::size_t i = 0; i < result.launches.size(); ++i) {
      const auto of = [&](const RunReport& report) {
        return launchTimesOf(report, result.function, i, result.launches[i].kernel);
      };
      const std::array<protocol::TimeRound, 2> device = {
          {{of(candidate.report), of(reference1.report)}, {of(candidate2.report), of(reference2.report)}}};
      if (auto times = compareTimes(device))
        comparison.launches.push_back({i, std::move(*times), joined(device[0].candidate, device[1].candidate),
                                       joined(device[0].reference, device[1].reference)});
    }
    if (options.model) {
      BLOBSCOPE_CHECK(compareNodes(result, expected->nodes, options.tolerance, monitor));
      result.referenceNodes = expected->nodes;
    }
    if (!comparison.equal) {
      result.status = Status::Differs;
      result.code = row(DiagnosticId::RunDiffers).id;
      result.message =
          Diagnostic{DiagnosticId::RunDiffers, {}, {arg("name", result.function), {"reason", worst}}}.message();
    }
    result.comparison = std::move(comparison);
  }
  return finish(std::move(candidate), {pathFrom(package->path), pathFrom(reference->path)}, options, monitor);
}

} // namespace blobscope::run
