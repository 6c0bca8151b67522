#include "core/run/probe.h"

#include "core/base/output_file.h"
#include "core/process/process.h"
#include "core/protocol/runner_process.h"
#include "core/run/agreed.h"
#include "core/run/plan.h"
#include "core/run/stubs.h"

#include <algorithm>

namespace blobscope::run {
namespace {

using host::Parameter;

Parameter::Kind kindOf(std::string_view name) {
  if (name == "tensor") return Parameter::Kind::Tensor;
  if (name == "int") return Parameter::Kind::Integer;
  if (name == "float") return Parameter::Kind::Float;
  if (name == "bool") return Parameter::Kind::Boolean;
  if (name == "pointer") return Parameter::Kind::Pointer;
  return Parameter::Kind::Unknown;
}

host::Signature signatureOf(std::string function, const protocol::ProbedSignature& probed) {
  host::Signature out;
  out.function = std::move(function);
  out.source = host::Signature::Source::Probe;
  for (const protocol::ProbedArgument& argument : probed.arguments) {
    Parameter& parameter = out.parameters.emplace_back();
    parameter.name = argument.name;
    parameter.kind = kindOf(argument.kind);
    parameter.dtype = argument.dtype;
    // A function that accepted any tensor type does not show which type it expects.
    if (parameter.kind == Parameter::Kind::Tensor && parameter.dtype.empty()) parameter.dtype = "float32";
    parameter.rankKnown = argument.rankKnown || (probed.accepted && parameter.kind == Parameter::Kind::Tensor);
    for (const std::string& text : argument.shape) parameter.shape.push_back(host::dimensionOf(text));
    if (argument.deviceType) parameter.deviceType = static_cast<int>(*argument.deviceType);
    for (const host::Dimension& dimension : parameter.shape)
      if (dimension.isVariable() &&
          std::find(out.variables.begin(), out.variables.end(), dimension.text) == out.variables.end())
        out.variables.push_back(dimension.text);
  }
  return out;
}

} // namespace

Result<Done> probeSignatures(const library::PackagePtr& package, const RunOptions& options, xref::Functions& functions,
                             Monitor& monitor) {
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < functions.hosts.size(); ++i) {
    const xref::HostFunction& function = functions.hosts[i];
    const bool asked = options.all || (options.functions.empty() && functions.hosts.size() == 1) ||
                       std::find(options.functions.begin(), options.functions.end(), function.signature.function) !=
                           options.functions.end();
    if (asked && !function.symbol.empty() && function.ref.members.empty() &&
        (function.signature.source == host::Signature::Source::None || !function.signature.complete()))
      wanted.push_back(i);
  }
  if (wanted.empty()) return Done{};
  BLOBSCOPE_CHECK(canLoad(*package, options.dry ? Purpose::Dry : Purpose::Run));
  BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
  protocol::Job job;
  job.mode = protocol::Mode::Probe;
  job.abi = host::abiName(*package->host.abi);
  job.limits = options.limits;
  job.library = "library.so";
  BLOBSCOPE_CHECK(writeFileNow(folder.path() / job.library, package->bytes, monitor));
  if (options.dry) BLOBSCOPE_CHECK(writeStubs(foreignImports(*package), folder.path(), monitor));
  protocol::RunnerOptions runner;
  runner.runner = options.runner;
  runner.folder = folder.path();
  // One process per function: a call with unknown arguments may leave its process in any state.
  for (std::size_t done = 0; done < wanted.size(); ++done) {
    monitor.progress("probing the arguments of functions", done, wanted.size());
    host::Signature& signature = functions.hosts[wanted[done]].signature;
    job.calls.assign(1, {});
    job.calls[0].function = signature.function;
    BLOBSCOPE_CHECK(checkCopy(folder.path() / job.library, options.agreed, monitor));
    BLOBSCOPE_TRY(end, protocol::runRunner(
                           job, runner,
                           [&](const protocol::Event& event) {
                             if (const auto* const probed = std::get_if<protocol::ProbedSignature>(&event);
                                 probed && probed->accepted)
                               signature = signatureOf(signature.function, *probed);
                           },
                           monitor));
    if (end.problem && end.problem->id() == DiagnosticId::RunRunner) return std::move(*end.problem);
  }
  return Done{};
}

} // namespace blobscope::run
