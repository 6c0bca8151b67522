#include "core/run/model.h"

#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/host/host.h"
#include "core/preflight/preflight.h"
#include "core/targets/facts.h"
#include "core/targets/facts_folder.h"
#include "core/targets/runtime_files.h"

#include <algorithm>

namespace blobscope::run {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFfi = "libtvm_ffi.so", kRuntime = "libtvm_runtime.so", kExtra = "libtvm_runtime_extra.so";

bool isFile(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path, failure);
}
bool isFolder(const fs::path& path) {
  std::error_code failure;
  return fs::is_directory(path, failure);
}

/// Returns the folder that contains libtvm_runtime; empty if there is none.
fs::path runtimeFolder(const fs::path& place) {
  for (const fs::path& base : targets::packageFolders(place))
    for (const char* const below :
         {".", "lib", "tvm/lib", "tvm", "build", "build/lib", "../tvm/lib", "../tvm", "../../tvm/lib"})
      if (isFile(base / below / kRuntime)) return (base / below).lexically_normal();
  return {};
}

/// Returns libtvm_ffi for a runtime in the folder; empty if there is none.
fs::path ffiOf(const fs::path& folder) {
  for (const char* const beside : {".", "lib", "../lib", "../../tvm_ffi/lib", "../tvm_ffi/lib"})
    if (isFile(folder / beside / kFfi)) return (folder / beside / kFfi).lexically_normal();
  return {};
}

} // namespace

Result<std::vector<fs::path>> findRuntime(const fs::path& place, const std::vector<std::string>& devices) {
  const auto nothing = [&](std::string_view why) {
    constexpr std::string_view kHelp =
        "; name libtvm_runtime.so, its folder, site-packages or a Python environment with apache-tvm";
    return Error(DiagnosticId::Usage, {{"what", "no TVM runtime in '" + escapedWithin(pathText(place), 400) +
                                                    "': " + std::string(why) + std::string(kHelp)}});
  };
  std::error_code failure;
  const fs::path whole = fs::absolute(place, failure).lexically_normal();
  if (failure) return nothing("the path cannot be resolved");
  fs::path folder, runtime;
  if (isFile(whole)) {
    const std::string name = pathText(whole.filename());
    const bool isPart =
        name.starts_with("libtvm_ffi") || name.starts_with("libtvm_runtime_") || name.starts_with("libtvm_compiler");
    folder = whole.parent_path();
    if (isPart) folder = runtimeFolder(folder);
    if (!folder.empty()) runtime = isPart ? folder / kRuntime : whole;
  } else if (isFolder(whole)) {
    folder = runtimeFolder(whole);
    if (!folder.empty()) runtime = folder / kRuntime;
  } else {
    return nothing("there is no such file or folder");
  }
  if (folder.empty()) return nothing("libtvm_runtime.so is neither there nor in lib, build or tvm/lib");

  std::vector<fs::path> libraries;
  if (const fs::path ffi = ffiOf(folder); !ffi.empty()) libraries.push_back(ffi);
  libraries.push_back(runtime);
  if (isFile(folder / kExtra)) libraries.push_back(folder / kExtra);
  for (const std::string& device : devices) {
    const fs::path sidecar = folder / ("libtvm_runtime_" + device + ".so");
    if (isFile(sidecar)) libraries.push_back(sidecar);
  }
  return libraries;
}

xref::Functions modelFunctions(const xref::Functions& functions) {
  xref::Functions out;
  for (const xref::Caller& caller : functions.callers) {
    if (!caller.kind.starts_with("VM") || !caller.ref.members.empty()) continue;
    xref::HostFunction& function = out.hosts.emplace_back();
    function.ref = caller.ref;
    function.symbol = caller.name;
    function.signature = caller.signature;
    function.signature.function = caller.name;
    for (std::size_t i = 0; i < function.signature.parameters.size(); ++i) {
      host::Parameter& parameter = function.signature.parameters[i];
      if (parameter.name.empty()) parameter.name = "arg" + std::to_string(i);
      // Unlike host functions, bytecode that checks a type always names it.
      if (parameter.kind == host::Parameter::Kind::Tensor && parameter.dtype.empty())
        parameter.kind = host::Parameter::Kind::Unknown;
    }
  }
  return out;
}

Result<Done> checkRuntime(const library::PackagePtr& package, const fs::path& place, Monitor& monitor) {
  BLOBSCOPE_TRY(facts, targets::Facts::load(targets::userFactsFolder()));
  const Result<targets::RuntimePtr> runtime = targets::readRuntime(facts, place, monitor);
  // The run itself says more about a runtime that cannot be read.
  if (!runtime) return Done{};
  BLOBSCOPE_TRY(needs, requirements::requirementsOf(package, monitor));
  const preflight::Outcome outcome = preflight::judge(needs, **runtime, nullptr);
  if (outcome.verdict != preflight::Verdict::Fails && outcome.verdict != preflight::Verdict::LoadsWithoutModules)
    return Done{};
  for (const preflight::Missing& missing : outcome.missing)
    if (missing.certain && missing.step == outcome.step)
      return Error(DiagnosticId::RunPreflight,
                   {arg("step", static_cast<uint64_t>(missing.step)), {"reason", preflight::issueOf(missing).message}});
  return Done{};
}

Result<PlannedRun> planModel(const library::PackagePtr& package, const xref::Functions& functions,
                             const RunOptions& options, const std::filesystem::path& folder, Monitor& monitor) {
  // --- 1. Unsupported requests. ---
  BLOBSCOPE_CHECK(canLoad(*package, Purpose::Runtime));
  const host::Abi abi = *package->host.abi;
  if (abi == host::Abi::Classic || abi == host::Abi::Ffi1)
    return Error(DiagnosticId::RunAbiRuntime,
                 {arg("library", host::abiName(abi)), arg("runtime", "one that does not support whole models yet"),
                  arg("releases", "TVM v0.22 and later, after exporting the library with one of these")});
  if (!options.device.empty() && options.device != "cpu")
    return Error(DiagnosticId::RunNoDevice,
                 {arg("kind", options.device), arg("reason", "whole models run only on the CPU")});
  if (options.dry) return Error(DiagnosticId::Usage, {arg("what", "dry runs of whole models are not supported")});

  // --- 2. Functions and their arguments. ---
  const xref::Functions machine = modelFunctions(functions);
  if (machine.hosts.empty())
    return Error(DiagnosticId::RunNoEntry, {arg("name", options.functions.empty() ? "main" : options.functions.front()),
                                            arg("names", "no virtual machine")});
  RunOptions asked = options;
  asked.device = "cpu";
  const auto isMain = [](const xref::HostFunction& one) { return one.symbol == "main"; };
  if (asked.functions.empty() && !asked.all && std::any_of(machine.hosts.begin(), machine.hosts.end(), isMain))
    asked.functions = {"main"};
  const auto isAsked = [&](const std::string& name) {
    const auto& names = asked.functions;
    return asked.all || names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  // A tensor with content is an input, and all tensors are inputs.
  for (const xref::HostFunction& function : machine.hosts)
    if (isAsked(function.symbol))
      for (const host::Parameter& parameter : function.signature.parameters)
        if (parameter.kind == host::Parameter::Kind::Tensor) asked.inputs.try_emplace(parameter.name, "default");
  BLOBSCOPE_TRY(planned, planRun(package, machine, asked, folder, monitor));

  // --- 3. The runtime. ---
  std::vector<std::string> devices;
  for (const auto& blob : package->blobs)
    for (const auto& module : blob->modules) {
      const std::string key = std::string(module->key.view());
      const bool isName =
          !key.empty() && key.size() < 30 && key.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == key.npos;
      if (isName && std::find(devices.begin(), devices.end(), key) == devices.end()) devices.push_back(key);
    }
  BLOBSCOPE_TRY(libraries, findRuntime(options.runtime, devices));
  BLOBSCOPE_CHECK(checkRuntime(package, options.runtime, monitor));
  protocol::Job& job = planned.job;
  job.mode = protocol::Mode::Model;
  job.modules.clear();
  for (const std::filesystem::path& library : libraries) job.runtime.push_back(pathText(library));
  for (std::size_t i = 0; i < job.calls.size(); ++i) {
    job.calls[i].results = "out." + std::to_string(i);
    for (protocol::JobArgument& argument : job.calls[i].arguments) argument.tensor.output.clear();
  }
  return planned;
}

} // namespace blobscope::run
