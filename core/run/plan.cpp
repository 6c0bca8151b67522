#include "core/run/plan.h"

#include "core/base/output_file.h"
#include "core/base/text.h"
#include "core/compile/c_code.h"
#include "core/run/devices.h"
#include "core/run/host_system.h"
#include "core/run/job_parts.h"
#include "core/run/stubs.h"

#include <algorithm>
#include <set>

namespace blobscope::run {
namespace {

using host::Parameter;
using library::Package;

std::string systemOf(container::Format format) {
  switch (format) {
  case container::Format::Elf: return "Linux";
  case container::Format::MachO:
  case container::Format::Universal: return "macOS";
  case container::Format::Pe:
  case container::Format::Coff: return "Windows";
  default: return std::string(container::formatTitle(format));
  }
}

bool looksLikeOutput(std::string_view name) {
  return name.starts_with("p_output") || name.starts_with("T_") || name.starts_with("var_T_") ||
         name.starts_with("compute") || name.ends_with("output") || name.find("_output") != std::string_view::npos;
}

class Planner {
public:
  Planner(const library::PackagePtr& package, const xref::Functions& functions, const RunOptions& options,
          const std::filesystem::path& folder, Monitor& monitor)
      : m_package(package), m_functions(functions), m_options(options), m_folder(folder), m_monitor(monitor) {}

  Result<PlannedRun> plan() {
    BLOBSCOPE_CHECK(canLoad(*m_package, m_options.dry ? Purpose::Dry : Purpose::Run));
    BLOBSCOPE_TRY(chosen, choose());
    m_plan.job = jobOf(m_options.dry ? protocol::Mode::Dry : protocol::Mode::Function, m_options);
    m_plan.job.abi = host::abiName(*m_package->host.abi);
    for (const xref::HostFunction* function : chosen) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      m_monitor.progress("preparing functions", m_plan.calls.size(), chosen.size());
      BLOBSCOPE_CHECK(addCall(*function));
    }
    for (const auto& [name, fill] : m_options.inputs)
      if (!m_used.contains(name))
        return Error(DiagnosticId::RunInput,
                     {arg("name", name), arg("reason", "no function of this run has a tensor with that name")});
    for (const auto& [name, value] : m_options.variables)
      if (!m_usedVariables.contains(name))
        return Error(DiagnosticId::RunInput,
                     {arg("name", name), arg("reason", "no function of this run has a size with that name")});
    BLOBSCOPE_CHECK(writeLibrary());
    BLOBSCOPE_CHECK(writeModules());
    return std::move(m_plan);
  }

private:
  Result<std::vector<const xref::HostFunction*>> choose() const {
    std::vector<const xref::HostFunction*> callable;
    for (const xref::HostFunction& function : m_functions.hosts)
      if (!function.symbol.empty() && function.ref.members.empty()) callable.push_back(&function);
    const auto names = [&] {
      std::string out;
      for (std::size_t i = 0; i < callable.size() && i < 12; ++i)
        out += (i > 0 ? ", " : "") + escapedWithin(callable[i]->signature.function, 80);
      return callable.empty() ? std::string("none") : out + (callable.size() > 12 ? ", …" : "");
    };
    if (m_options.all) {
      if (callable.empty()) return Error(DiagnosticId::RunNoEntry, {arg("name", "*"), {"names", names()}});
      return callable;
    }
    if (m_options.functions.empty()) {
      if (callable.size() == 1) return callable;
      return Error(DiagnosticId::Usage, {{"what", "name a function, or pass --all; the library has: " + names()}});
    }
    std::vector<const xref::HostFunction*> chosen;
    for (const std::string& wanted : m_options.functions) {
      const auto found = std::find_if(callable.begin(), callable.end(),
                                      [&](const xref::HostFunction* one) { return one->signature.function == wanted; });
      if (found == callable.end()) {
        std::vector<std::string> known;
        for (const xref::HostFunction* one : callable) known.push_back(one->signature.function);
        return Error(DiagnosticId::RunNoEntry, {arg("name", wanted), {"names", names() + proposalText(wanted, known)}});
      }
      chosen.push_back(*found);
    }
    return chosen;
  }

  /// Returns DLPack's number of the device that the function's kernels are for; 1 without kernels.
  int deviceOf(const xref::HostFunction& function) const {
    for (const Parameter& parameter : function.signature.parameters)
      if (parameter.deviceType && *parameter.deviceType != kCpu) return *parameter.deviceType;
    for (const xref::Link& link : function.launches)
      if (const auto type = deviceTypeOf(m_functions.kernels[link.index].moduleKey)) return *type;
    return kCpu;
  }

  Result<Done> addCall(const xref::HostFunction& function) {
    PlannedCall& planned = m_plan.calls.emplace_back();
    planned.function = function.signature.function;
    planned.signature = function.signature;
    planned.variables = chooseVariables(function.signature, m_options.variables);
    for (const std::string& name : function.signature.variables) m_usedVariables.insert(name);
    protocol::JobCall call;
    call.function = planned.function;
    const auto refuse = [&](Error error) -> Result<Done> {
      planned.refused = std::move(error);
      return Done{};
    };
    if (const auto refused = chooseBackend(function)) return refuse(*refused);
    if (function.signature.source == host::Signature::Source::None)
      return refuse(
          {DiagnosticId::RunSignature,
           {arg("name", planned.function), arg("reason", "the library contains no messages of its argument checks")}});
    uint64_t total = 0;
    const auto& parameters = function.signature.parameters;
    const int device = deviceOf(function);
    std::size_t lastTensor = parameters.size();
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].kind == Parameter::Kind::Tensor) lastTensor = i;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      auto argument = argumentOf(parameters[i], i, planned);
      if (!argument) return refuse(argument.takeError());
      std::optional<Error> tooMuch;
      forEachTensor(*argument, [&](protocol::JobTensor& tensor) {
        tensor.deviceType = parameters[i].deviceType.value_or(device);
        if (auto added = addBytes(tensor, m_options.limits, total); !added && !tooMuch) tooMuch = added.takeError();
        const bool given = m_options.model || m_options.inputs.contains(tensor.name);
        tensor.role =
            !given && (i == lastTensor || looksLikeOutput(tensor.name)) ? protocol::Role::Out : protocol::Role::In;
        m_used.insert(tensor.name);
      });
      if (tooMuch) return refuse(std::move(*tooMuch));
      call.arguments.push_back(std::move(*argument));
    }
    std::size_t number = 0;
    std::optional<Error> failed;
    for (protocol::JobArgument& argument : call.arguments) {
      const std::size_t own = number++;
      forEachTensor(argument, [&](protocol::JobTensor& tensor) {
        if (failed) return;
        // Tensors of tuples come after all arguments.
        const std::size_t place =
            argument.kind == protocol::JobArgument::Kind::Tensor ? own : call.arguments.size() + m_nested++;
        auto made = m_options.dry ? checkInput(tensor, m_options)
                                  : writeInput(tensor, m_plan.job.calls.size(), place, m_options, m_folder, m_monitor);
        if (!made) failed = made.takeError();
      });
    }
    if (failed && (failed->code() == ErrorCode::Cancelled || failed->code() == ErrorCode::Io))
      return std::move(*failed);
    if (failed) return refuse(std::move(*failed));
    planned.call = m_plan.job.calls.size();
    m_plan.job.calls.push_back(std::move(call));
    return Done{};
  }

  template <class F> static void forEachTensor(protocol::JobArgument& argument, const F& use) {
    if (argument.kind == protocol::JobArgument::Kind::Tensor) use(argument.tensor);
    for (protocol::JobArgument& item : argument.items) forEachTensor(item, use);
  }

  /// What takes the place of an object that is not a tensor: the result of another function of the model without
  /// arguments. The user names it, or it has a name that MLC-LLM gives to functions that make caches (seen in its
  /// published libraries).
  std::optional<protocol::JobArgument> objectFor(const std::string& name) {
    protocol::JobArgument out;
    out.kind = protocol::JobArgument::Kind::Result;
    constexpr std::string_view kResult = "result:";
    if (const auto given = m_options.inputs.find(name); given != m_options.inputs.end()) {
      m_used.insert(name);
      if (given->second == "none") out.kind = protocol::JobArgument::Kind::Null;
      if (given->second.starts_with(kResult)) out.function = given->second.substr(kResult.size());
      if (out.kind == protocol::JobArgument::Kind::Null || !out.function.empty()) return out;
      return std::nullopt;
    }
    for (const char* const maker : {"_initialize_effect", "create_kv_cache"})
      for (const xref::HostFunction& function : m_functions.hosts)
        if (function.symbol == maker && function.signature.parameters.empty()) {
          out.function = maker;
          return out;
        }
    return std::nullopt;
  }

  /// Chooses the back end of the job; returns a reason if the function needs another one.
  std::optional<Error> chooseBackend(const xref::HostFunction& function) {
    if (m_options.dry) return std::nullopt;
    const int needed = deviceOf(function);
    const std::string name = host::deviceTypeName(needed);
    if (!m_options.device.empty() && m_options.device != name && !(needed == kCpu && m_options.device != "cpu"))
      return Error(DiagnosticId::RunImage, {arg("name", function.signature.function), arg("device", m_options.device),
                                            arg("images", "code for " + name), arg("target", m_options.device)});
    if (needed == kCpu) return std::nullopt;
    if (!isRunnable(needed))
      return Error(DiagnosticId::RunNoDevice,
                   {arg("kind", name),
                    {"reason", "test runs support CUDA, Vulkan, OpenCL and the CPU" + std::string(kDryAdvice)}});
    std::string& backend = m_plan.job.backend;
    if (backend.empty()) backend = name;
    if (backend != name)
      return Error(DiagnosticId::RunImage, {arg("name", function.signature.function), arg("device", backend),
                                            arg("images", "code for " + name), arg("target", backend)});
    return std::nullopt;
  }

  Result<protocol::JobArgument> argumentOf(const Parameter& parameter, std::size_t index, PlannedCall& planned) {
    using Kind = protocol::JobArgument::Kind;
    protocol::JobArgument out;
    const std::string name = parameter.name.empty() ? "arg" + std::to_string(index) : parameter.name;
    const auto unknown = [&](std::string reason) {
      return Error(DiagnosticId::RunSignature,
                   {arg("name", planned.function),
                    {"reason", "argument '" + escapedWithin(name, 100) + "': " + std::move(reason)}});
    };
    switch (parameter.kind) {
    case Parameter::Kind::Integer: {
      out.kind = Kind::Integer;
      const auto variable = planned.variables.find(parameter.name);
      const auto given = m_options.variables.find(parameter.name);
      out.integer = variable != planned.variables.end()  ? variable->second
                    : given != m_options.variables.end() ? given->second
                                                         : 1;
      m_usedVariables.insert(parameter.name);
      return out;
    }
    case Parameter::Kind::Float:
      out.kind = Kind::Float;
      out.real = 0.5;
      return out;
    case Parameter::Kind::Boolean: out.kind = Kind::Boolean; return out;
    case Parameter::Kind::Pointer: out.kind = Kind::Null; return out;
    case Parameter::Kind::Shape:
      if (!m_options.model) return unknown("it is a shape, which only whole models take");
      out.kind = Kind::Shape;
      for (const host::Dimension& dimension : parameter.shape) {
        BLOBSCOPE_TRY(extent, extentOf(dimension, planned));
        out.tensor.shape.push_back(extent);
      }
      return out;
    case Parameter::Kind::Tuple: {
      if (!m_options.model) return unknown("it is a tuple, which only whole models take");
      const bool hasObjects =
          std::ranges::any_of(parameter.items, [](const Parameter& item) { return !item.complete(); });
      if (hasObjects || m_options.inputs.contains(name)) {
        if (auto object = objectFor(name)) return std::move(*object);
        return unknown("it contains objects that only another function of the model can make: name it as the input "
                       "result:FUNCTION");
      }
      out.kind = Kind::Tuple;
      for (std::size_t i = 0; i < parameter.items.size(); ++i) {
        Parameter item = parameter.items[i];
        item.name = name + "." + std::to_string(i);
        BLOBSCOPE_TRY(made, argumentOf(item, i, planned));
        out.items.push_back(std::move(made));
      }
      return out;
    }
    case Parameter::Kind::Unknown:
      if (m_options.model && m_options.inputs.contains(name))
        if (auto object = objectFor(name)) return std::move(*object);
      return unknown(m_options.model
                         ? "no message states what it is; its input can be none, result:FUNCTION or a .npy file"
                         : "no message states what it is");
    case Parameter::Kind::Tensor: break;
    }
    out.kind = Kind::Tensor;
    out.tensor.name = name;
    // Types with 1 and 4 bits have no text before 0.24; bool is the one that occurs. Source: core/formats/host-abi.md
    // 2.2.
    const std::string dtype = parameter.dtype.empty() ? "bool" : parameter.dtype;
    const auto type = jobType(dtype, m_package->host.abi);
    if (!type) return unknown("unknown type '" + escapedWithin(dtype, 60) + "'");
    out.tensor.type = *type;
    if (!parameter.rankKnown) return unknown("no message states its number of dimensions");
    for (const host::Dimension& dimension : parameter.shape) {
      BLOBSCOPE_TRY(extent, extentOf(dimension, planned));
      if (extent < 0) return unknown("a dimension would be negative");
      out.tensor.shape.push_back(extent);
    }
    return out;
  }

  /// A dimension without a name defines a variable of its function that nothing else defines. All variables have
  /// different values, so the first one is tried.
  Result<int64_t> extentOf(const host::Dimension& dimension, const PlannedCall& planned) const {
    if (dimension.value) return *dimension.value;
    if (!dimension.text.empty()) return evaluate(dimension.text, planned.variables);
    std::set<std::string, std::less<>> defined;
    for (const Parameter& parameter : planned.signature.parameters)
      for (const host::Dimension& one : parameter.shape)
        if (one.isVariable()) defined.insert(one.text);
    for (const auto& [name, value] : planned.variables)
      if (!defined.contains(name)) return value;
    return 1;
  }

  Result<Done> writeLibrary() {
    m_plan.job.library = "library.so";
    if (m_options.dry) BLOBSCOPE_CHECK(writeStubs(foreignImports(*m_package), m_folder, m_monitor));
    return writeFileNow(m_folder / m_plan.job.library, m_package->bytes, m_monitor);
  }

  Result<Done> writeModules() {
    for (const auto& blob : m_package->blobs)
      for (const auto& module : blob->modules) {
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        if (module->body->kernels().empty()) continue;
        const auto type = deviceTypeOf(module->key.view());
        const bool used = !m_options.dry && type && host::deviceTypeName(*type) == m_plan.job.backend;
        BLOBSCOPE_TRY(made,
                      jobModule(*module, used, m_plan.job.modules.size(), m_folder, m_package->host.abi, m_monitor));
        m_plan.job.modules.push_back(std::move(made));
      }
    return Done{};
  }

  const library::PackagePtr& m_package;
  const xref::Functions& m_functions;
  const RunOptions& m_options;
  const std::filesystem::path& m_folder;
  Monitor& m_monitor;
  PlannedRun m_plan;
  std::set<std::string, std::less<>> m_used, m_usedVariables;
  std::size_t m_nested = 0; ///< tensors in tuples that have a file
};

/// Whether the file or a member of it is source code.
bool holdsSource(const Package& package) {
  return package.image.kind == container::Kind::Text ||
         std::any_of(package.members.begin(), package.members.end(), [](const library::PackageMember& member) {
           return member.package && holdsSource(*member.package);
         });
}

} // namespace

Result<Done> canLoad(const Package& package, Purpose purpose) {
  const container::Image& image = package.image;
  if (image.kind == container::Kind::Archive || image.kind == container::Kind::Object ||
      image.kind == container::Kind::Text)
    return Error(DiagnosticId::RunLoad,
                 {arg("reason", "it is " +
                                    std::string(image.kind == container::Kind::Archive  ? "an archive"
                                                : image.kind == container::Kind::Object ? "an object file"
                                                                                        : "source text") +
                                    (holdsSource(package) ? "; compile and link it into a shared library first"
                                                          : "; link it into a shared library first"))});
  if (image.format != hostFormat())
    return Error(DiagnosticId::RunForeignOs, {arg("what", systemOf(image.format)), arg("here", hostSystem())});
  if (image.arch != compile::hostArch())
    return Error(DiagnosticId::RunForeignArch, {arg("what", image.arch), arg("here", compile::hostArch())});
  if (image.kind != container::Kind::Shared)
    return Error(DiagnosticId::RunLoad, {arg("reason", "it is not a shared library")});
  if (!package.host.abi) return Error(DiagnosticId::RunAbiUnknown, {});
  for (const Diagnostic& diagnostic : package.diagnostics)
    // A call to an undefined function only fails when it is reached; everything else runs.
    if (diagnostic.severity() == Severity::Error && diagnostic.id != DiagnosticId::BlobCall)
      return Error(DiagnosticId::RunDamaged, {{"reason", diagnostic.message()}}, diagnostic.place);
  if (purpose == Purpose::Runtime) return Done{};
  const ForeignImports imports = foreignImports(package);
  if (imports.functions.empty() && imports.data.empty()) return Done{};
  if (purpose == Purpose::Dry && canReplace(imports)) return Done{};
  // Imports that also prevent a dry run come first.
  std::vector<std::string> needed = imports.data;
  needed.insert(needed.end(), imports.functions.begin(), imports.functions.end());
  std::string names;
  for (std::size_t i = 0; i < needed.size() && i < 6; ++i)
    names += (names.empty() ? "" : ", ") + escapedWithin(needed[i], 80);
  return Error(DiagnosticId::RunImports,
               {{"names", names + (needed.size() > 6 ? " and " + std::to_string(needed.size() - 6) + " more" : "")}});
}

Result<PlannedRun> planRun(const library::PackagePtr& package, const xref::Functions& functions,
                           const RunOptions& options, const std::filesystem::path& folder, Monitor& monitor) {
  return Planner(package, functions, options, folder, monitor).plan();
}

} // namespace blobscope::run
