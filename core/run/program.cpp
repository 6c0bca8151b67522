#include "core/run/program.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/payloads/tensor/npy.h"
#include "core/run/devices.h"
#include "core/run/probe.h"
#include "core/run/weights.h"

#include <algorithm>
#include <vector>

namespace blobscope::run {
namespace {

constexpr std::string_view kProgramFile = "program.json", kDataFile = "constants";

/// The functions of the model in the form in which planRun() chooses and calls host functions.
xref::Functions entriesAsHosts(const program::Model& model, const xref::Functions& functions,
                               const RunOptions& options) {
  xref::Functions out;
  out.kernels = functions.kernels;
  // The device of the model: that of the first kernel that can be run here, unless the user chose one.
  std::vector<xref::Link> launches;
  for (uint32_t i = 0; i < out.kernels.size() && launches.empty(); ++i) {
    const auto type = deviceTypeOf(out.kernels[i].moduleKey);
    if (type && (options.device.empty() || host::deviceTypeName(*type) == options.device))
      launches.push_back({i, xref::Basis::Name});
  }
  for (const program::Entry& entry : model.entries) {
    xref::HostFunction& function = out.hosts.emplace_back();
    function.ref = Ref::named(Ref::Kind::Host, entry.name);
    function.symbol = entry.name;
    function.signature = entry.signature;
    function.signature.function = entry.name;
    if (function.signature.source == host::Signature::Source::None && function.signature.parameters.empty())
      function.signature.source = host::Signature::Source::Bytecode; // it takes no arguments
    function.launches = launches;
  }
  return out;
}

/// Takes what the files of the inputs say: the values of symbolic dimensions that the user did not set, and the types
/// of parameters that are unknown. Files that cannot be read are reported when the inputs are made.
void learnFromFiles(host::Signature& signature, RunOptions& options) {
  for (host::Parameter& parameter : signature.parameters) {
    const auto input = options.inputs.find(parameter.name);
    if (input == options.inputs.end() || !input->second.ends_with(".npy")) continue;
    const auto source = ByteSource::openFile(pathFrom(input->second));
    if (!source) continue;
    const auto array = payloads::readNpy(ByteSource::all(*source));
    if (!array) continue;
    if (parameter.kind == host::Parameter::Kind::Unknown || !parameter.complete()) {
      parameter.kind = host::Parameter::Kind::Tensor;
      parameter.dtype = array->typeText();
      parameter.rankKnown = true;
      parameter.shape.clear();
      for (const int64_t extent : array->shape) parameter.shape.push_back({extent, {}});
      if (signature.source == host::Signature::Source::None) signature.source = host::Signature::Source::Bytecode;
      continue;
    }
    for (std::size_t i = 0; i < parameter.shape.size() && i < array->shape.size(); ++i)
      if (parameter.shape[i].isVariable()) options.variables.try_emplace(parameter.shape[i].text, array->shape[i]);
  }
  signature.collectVariables();
}

/// The model with the functions that are asked for.
struct ChosenModel {
  program::Model model;
  RunOptions asked; ///< with RunOptions::functions
  std::vector<std::string> notes;
};

bool isAsked(const program::Entry& entry, const RunOptions& asked) {
  return std::ranges::find(asked.functions, entry.name) != asked.functions.end();
}

std::string entryNames(const program::Model& model) {
  constexpr std::size_t kShown = 12;
  std::string out;
  for (std::size_t i = 0; i < model.entries.size() && i < kShown; ++i)
    out += (i > 0 ? ", " : "") + escapedWithin(model.entries[i].name, 80);
  return out + (model.entries.size() > kShown ? ", …" : "");
}

Result<ChosenModel> chooseModel(const library::PackagePtr& package, const xref::Functions& functions,
                                const RunOptions& options, Monitor& monitor) {
  monitor.progress("reading the model", 0, 0);
  program::ModelFiles files = options.modelFiles;
  if (files.graph.empty() && !program::mayHaveModel(*package)) {
    const program::ModelFiles beside = program::filesBeside(pathFrom(options.agreed.path));
    files.graph = beside.graph;
    if (files.parameters.empty()) files.parameters = beside.parameters;
  }
  BLOBSCOPE_TRY(model, program::modelOf(package, functions, files, monitor));
  RunOptions asked = options;
  if (asked.functions.empty() && !model.entries.empty() &&
      (model.entries.size() == 1 || model.entries.front().name == "main"))
    asked.functions = {model.entries.front().name};
  if (asked.functions.empty())
    return Error(DiagnosticId::Usage,
                 {{"what", "name a function of the model as its entry; the model has: " + entryNames(model)}});
  return ChosenModel{std::move(model), std::move(asked), {}};
}

/// Host functions that get a parameter whose type is not known, and whose texts do not state it completely.
std::vector<std::string> unclearFunctions(const ChosenModel& chosen) {
  constexpr std::size_t kProbed = 32;
  std::vector<std::string> out;
  for (const program::Entry& entry : chosen.model.entries) {
    if (!isAsked(entry, chosen.asked)) continue;
    for (std::size_t i = 0; i < entry.uses.size() && i < entry.signature.parameters.size(); ++i)
      if (const host::Parameter& parameter = entry.signature.parameters[i];
          !parameter.complete() && !chosen.asked.inputs.contains(parameter.name))
        for (const std::string& function : entry.uses[i].unclear)
          if (out.size() < kProbed && std::ranges::find(out, function) == out.end()) out.push_back(function);
  }
  return out;
}

/// What the files say about the arguments of a function, and what takes the place of arguments that are not used.
Result<Done> placeInputs(program::Entry& entry, const program::Model& model, RunOptions& asked,
                         std::vector<std::string>& notes) {
  notes.insert(notes.end(), entry.notes.begin(), entry.notes.end());
  learnFromFiles(entry.signature, asked);
  if (!model.weights.items.empty())
    BLOBSCOPE_CHECK(placeWeights(entry, model.listedWeights, model.weights, asked, notes));
  for (std::size_t i = 0; i < entry.uses.size() && i < entry.signature.parameters.size(); ++i) {
    const host::Parameter& parameter = entry.signature.parameters[i];
    if (entry.uses[i].used || parameter.kind != host::Parameter::Kind::Unknown) continue;
    if (asked.inputs.try_emplace(parameter.name, "none").second)
      notes.push_back("'" + escapedWithin(entry.name, 100) + "' does not use its parameter '" +
                      escapedWithin(parameter.name, 100) + "', which gets no value");
  }
  return Done{};
}

Result<Done> writeConstants(const program::Model& model, const std::filesystem::path& folder, Monitor& monitor) {
  BLOBSCOPE_TRY(file, OutputFile::create(folder / kDataFile));
  uint64_t at = 0;
  for (const auto& [number, bytes] : model.tensors) {
    const uint64_t offset = model.program.constants[number].offset;
    if (offset < at) return Error(DiagnosticId::RunProgram, {{"reason", "its constants overlap"}});
    constexpr uint64_t kPiece = uint64_t{1} << 16;
    while (at < offset) {
      const uint64_t gap = std::min(offset - at, kPiece);
      BLOBSCOPE_CHECK(file.write(Bytes::copyOf(std::string(gap, '\0')), monitor));
      at += gap;
    }
    BLOBSCOPE_CHECK(file.write(bytes, monitor));
    at += bytes.size();
  }
  return file.rename();
}

} // namespace

Result<PlannedRun> planProgram(const library::PackagePtr& package, const xref::Functions& functions,
                               const RunOptions& options, const std::filesystem::path& folder, Monitor& monitor) {
  // --- 1. The model. ---
  BLOBSCOPE_CHECK(canLoad(*package, Purpose::Run));
  BLOBSCOPE_TRY(chosen, chooseModel(package, functions, options, monitor));
  const std::vector<std::string> unclear = unclearFunctions(chosen);
  if (!unclear.empty()) {
    RunOptions probing = options;
    probing.functions = unclear;
    probing.all = false;
    xref::Functions probed = functions;
    BLOBSCOPE_CHECK(probeSignatures(package, probing, probed, monitor));
    BLOBSCOPE_TRY(again, chooseModel(package, probed, options, monitor));
    chosen = std::move(again);
  }

  // --- 2. Its inputs: all tensors are. ---
  auto& [model, asked, notes] = chosen;
  for (program::Entry& entry : model.entries)
    if (isAsked(entry, asked)) BLOBSCOPE_CHECK(placeInputs(entry, model, asked, notes));
  const xref::Functions entries = entriesAsHosts(model, functions, options);
  BLOBSCOPE_TRY(planned, planRun(package, entries, asked, folder, monitor));
  planned.notes = std::move(notes);

  // --- 3. The program. ---
  protocol::Job& job = planned.job;
  job.mode = protocol::Mode::Program;
  job.program = kProgramFile;
  for (const std::string& tap : options.taps) job.taps.push_back(tap == "all" ? "*" : tap);
  job.tapBytes = options.tapBytes;
  for (std::size_t i = 0; i < job.calls.size(); ++i) {
    job.calls[i].results = "out." + std::to_string(i);
    for (protocol::JobArgument& argument : job.calls[i].arguments) {
      argument.tensor.output.clear();
      for (protocol::JobArgument& item : argument.items) item.tensor.output.clear();
    }
  }
  if (!model.tensors.empty()) {
    model.program.data = kDataFile;
    BLOBSCOPE_CHECK(writeConstants(model, folder, monitor));
  }
  BLOBSCOPE_CHECK(writeFileNow(folder / kProgramFile, Bytes::copyOf(protocol::writeProgram(model.program)), monitor));
  planned.program = std::make_shared<const protocol::Program>(std::move(model.program));
  return planned;
}

Result<RunReport> checkProgram(const library::PackagePtr& package, const xref::Functions& functions,
                               const RunOptions& options, Monitor& monitor) {
  BLOBSCOPE_TRY(chosen, chooseModel(package, functions, options, monitor));
  auto& [model, asked, notes] = chosen;
  RunReport report;
  report.dry = true;
  report.device = "none";
  report.asked = options.device;
  for (const std::string& name : asked.functions) {
    const auto entry = std::ranges::find(model.entries, name, &program::Entry::name);
    if (entry == model.entries.end())
      return Error(DiagnosticId::RunNoEntry, {arg("name", name), {"names", entryNames(model)}});
    FunctionResult& result = report.functions.emplace_back();
    result.function = name;
    const auto refuse = [&](const Error& error) {
      result.status = Status::Refused;
      result.code = error.diagnostic().idText();
      result.message = error.message();
    };
    if (const auto placed = placeInputs(*entry, model, asked, notes); !placed) refuse(placed.error());
    result.signature = entry->signature;
    result.signature.function = name;
    result.variables = chooseVariables(result.signature, asked.variables);
    for (const host::Parameter& parameter : result.signature.parameters)
      if (result.status == Status::Ok && !parameter.complete() && !asked.inputs.contains(parameter.name))
        refuse(Error(DiagnosticId::RunSignature,
                     {arg("name", name),
                      {"reason", "argument '" + escapedWithin(parameter.name, 100) +
                                     "': neither a check nor a function of the library states what it is"}}));
  }
  report.notes = std::move(notes);
  return report;
}

} // namespace blobscope::run
