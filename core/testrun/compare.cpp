#include "core/testrun/execute.h"

#include "core/base/output_file.h"
#include "core/payloads/tensor/npy.h"
#include "core/process/process.h"
#include "core/run/element_code.h"
#include "core/testrun/model.h"
#include "core/testrun/probe.h"

#include <algorithm>
#include <map>

namespace blobscope::testrun {
namespace {

/// A name of a function or tensor as a file's, whatever bytes it has.
std::string fileName(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, 100)) out += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ? c : '_';
  return out;
}

Result<Bytes> bytesOf(const std::filesystem::path& path) {
  BLOBSCOPE_TRY(source, ByteSource::openFile(path));
  return ByteSource::all(source);
}

/// FUNCTION.TENSOR.npy for each output; equal names get a number.
Result<Done> keepOutputs(const RunReport& report, const std::filesystem::path& folder, Monitor& monitor) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  std::map<std::string, unsigned> used;
  for (const FunctionResult& result : report.functions)
    for (const Output& output : result.outputs) {
      if (output.file.empty()) continue;
      BLOBSCOPE_TRY(bytes, bytesOf(output.file));
      std::string stem = fileName(result.function) + "." + fileName(output.name);
      if (const unsigned before = used[stem]++; before > 0) stem += "-" + std::to_string(before + 1);
      const payloads::Tensor tensor = run::tensorOf(output.type, output.shape, bytes);
      const auto header = payloads::npyHeader(tensor);
      BLOBSCOPE_TRY(file, OutputFile::create(folder / (stem + (header ? ".npy" : ".bin")), {}));
      if (header) BLOBSCOPE_CHECK(file.write(Bytes::copyOf(header->bytes), monitor));
      BLOBSCOPE_CHECK(file.write(header ? tensor.data : bytes, monitor));
      BLOBSCOPE_CHECK(file.commit());
    }
  return Done{};
}

const Output* outputNamed(const FunctionResult& result, std::string_view name) {
  const auto found = std::find_if(result.outputs.begin(), result.outputs.end(), [&](const Output& one) { return one.name == name; });
  return found == result.outputs.end() ? nullptr : &*found;
}

Result<run::TensorOutput> tensorOutput(const Output& output) {
  BLOBSCOPE_TRY(bytes, bytesOf(output.file));
  return run::TensorOutput{output.type, output.shape, std::move(bytes), {}};
}

void addTimes(FunctionResult& to, const FunctionResult& from) { to.callTimes.insert(to.callTimes.end(), from.callTimes.begin(), from.callTimes.end()); }

/// A run in a folder that lives as long as its files are looked at.
struct KeptRun {
  process::TemporaryFolder folder;
  RunReport report;
};

Result<KeptRun> runIn(const library::PackagePtr& package, const xref::Functions& functions, const RunOptions& options, Monitor& monitor) {
  BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
  xref::Functions known = functions;
  if (options.runtime.empty()) BLOBSCOPE_CHECK(probeSignatures(package, options, known, monitor));
  const auto plan = options.runtime.empty() ? planRun : planModel;
  BLOBSCOPE_TRY(planned, plan(package, known, options, folder.path(), monitor));
  BLOBSCOPE_TRY(report, executeRun(planned, options, folder.path(), monitor));
  return KeptRun{std::move(folder), std::move(report)};
}

} // namespace

Result<RunReport> runLibrary(const library::PackagePtr& package, const xref::Functions& functions, const RunOptions& options, Monitor& monitor) {
  BLOBSCOPE_TRY(done, runIn(package, functions, options, monitor));
  if (!options.outputs.empty()) BLOBSCOPE_CHECK(keepOutputs(done.report, options.outputs, monitor));
  for (FunctionResult& result : done.report.functions)
    for (Output& output : result.outputs) output.file.clear(); // gone with the folder
  return std::move(done.report);
}

Result<RunReport> compareRuns(const library::PackagePtr& package, const library::PackagePtr& reference, const RunOptions& options, Monitor& monitor) {
  BLOBSCOPE_TRY(functions, xref::computeFunctions(package, monitor));
  BLOBSCOPE_TRY(known, xref::computeFunctions(reference, monitor));
  // In turn, so that a machine that gets slower or faster does so for both. Source: test-run.md 9.4.
  BLOBSCOPE_TRY(first, runIn(reference, known, options, monitor));
  BLOBSCOPE_TRY(candidate, runIn(package, functions, options, monitor));
  BLOBSCOPE_TRY(second, runIn(reference, known, options, monitor));
  if (options.repeat) {
    BLOBSCOPE_TRY(later, runIn(package, functions, options, monitor));
    for (std::size_t i = 0; i < candidate.report.functions.size(); ++i)
      addTimes(candidate.report.functions[i], later.report.functions[i]);
    for (std::size_t i = 0; i < first.report.functions.size(); ++i) addTimes(first.report.functions[i], second.report.functions[i]);
  }
  for (FunctionResult& result : candidate.report.functions) {
    const auto same = [&](const FunctionResult& one) { return one.function == result.function; };
    const auto expected = std::find_if(first.report.functions.begin(), first.report.functions.end(), same);
    const auto again = std::find_if(second.report.functions.begin(), second.report.functions.end(), same);
    if (result.status != Status::Ok) continue;
    if (expected == first.report.functions.end() || expected->status != Status::Ok) {
      result.status = Status::Refused;
      result.code = expected == first.report.functions.end() ? "RUN-NO-ENTRY" : expected->code;
      result.message = expected == first.report.functions.end() ? "the reference has no such function" : "the reference: " + expected->message;
      continue;
    }
    RunComparison comparison;
    std::string worst;
    for (const Output& output : result.outputs) {
      const Output* const there = outputNamed(*expected, output.name);
      const Output* const repeated = again == second.report.functions.end() ? nullptr : outputNamed(*again, output.name);
      if (output.file.empty() || !there || there->file.empty()) continue;
      BLOBSCOPE_TRY(mine, tensorOutput(output));
      BLOBSCOPE_TRY(theirs, tensorOutput(*there));
      RunComparison::Pair pair;
      pair.name = output.name;
      BLOBSCOPE_TRY(compared, run::compareOutputs(mine, theirs, {}, monitor));
      pair.result = std::move(compared);
      if (repeated && !repeated->file.empty()) {
        BLOBSCOPE_TRY(later, tensorOutput(*repeated));
        BLOBSCOPE_TRY(spread, run::compareOutputs(later, theirs, {}, monitor));
        comparison.deterministic = comparison.deterministic && spread.verdict == run::Verdict::Identical;
        pair.again = std::move(spread);
      }
      if (pair.result.verdict == run::Verdict::Differs || pair.result.verdict == run::Verdict::NotComparable) {
        comparison.equal = false;
        if (worst.empty()) worst = output.name + ": " + pair.result.sentence();
      }
      comparison.outputs.push_back(std::move(pair));
    }
    if (!result.callTimes.empty() && !expected->callTimes.empty()) comparison.times = run::compareTimes(result.callTimes, expected->callTimes);
    if (!comparison.equal) {
      result.status = Status::Differs;
      result.code = "RUN-DIFFERS";
      result.message = Diagnostic{DiagnosticId::RunDiffers, {}, {arg("name", result.function), {"reason", worst}}}.message();
    }
    result.comparison = std::move(comparison);
  }
  if (!options.outputs.empty()) BLOBSCOPE_CHECK(keepOutputs(candidate.report, options.outputs, monitor));
  for (FunctionResult& result : candidate.report.functions)
    for (Output& output : result.outputs) output.file.clear();
  return std::move(candidate.report);
}

} // namespace blobscope::testrun
