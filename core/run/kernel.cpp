#include "core/run/kernel.h"

#include "core/base/text.h"
#include "core/library/node.h"
#include "core/library/resolve.h"
#include "core/payloads/spirv/spirv.h"
#include "core/process/process.h"
#include "core/protocol/element_code.h"
#include "core/run/devices.h"
#include "core/run/execute.h"
#include "core/run/job_parts.h"
#include "core/run/probe.h"

#include <algorithm>
#include <charconv>

namespace blobscope::run {
namespace {

constexpr uint8_t kHandle = 3; // DLPack's code for a pointer

/// A launch of the kernel in a dry run; nothing for arguments that are neither a tensor nor a scalar.
struct Preset {
  protocol::Extents extents;
  std::vector<std::optional<protocol::JobArgument>> arguments;
  Variables variables;
};

/// Names in `what` are already escaped.
Error usage(const std::string& what) { return Error(DiagnosticId::Usage, {{"what", what}}); }

class KernelPlanner {
public:
  KernelPlanner(const library::PackagePtr& package, const xref::Functions& functions, const RunOptions& options,
                const std::filesystem::path& folder, Monitor& monitor)
      : m_package(package), m_functions(functions), m_options(options), m_filled(options), m_asked(*options.kernel),
        m_folder(folder), m_monitor(monitor) {}

  Result<PlannedRun> plan() {
    if (m_options.dry) return usage("a dry run works for host functions only; a single kernel needs a device");
    if (!m_options.runtime.empty()) return usage("a single kernel runs without a TVM runtime");
    BLOBSCOPE_CHECK(findKernel());
    if (!complete()) BLOBSCOPE_CHECK(makePreset());
    PlannedRun out;
    protocol::Job& job = out.job;
    job = jobOf(protocol::Mode::Kernel, m_options);
    job.backend = m_device;
    PlannedCall& planned = out.calls.emplace_back();
    planned.function = planned.signature.function = m_kernel.name;
    planned.signature.source = host::Signature::Source::Probe;
    if (m_preset) planned.variables = m_preset->variables;
    protocol::JobCall call;
    call.function = m_kernel.name;
    BLOBSCOPE_TRY(extents, chooseExtents());
    call.extents = extents;
    for (std::size_t i = 0; i < m_kernel.arguments.size(); ++i) {
      BLOBSCOPE_TRY(argument, argumentOf(i));
      planned.signature.parameters.push_back(parameterOf(argument, i));
      call.arguments.push_back(std::move(argument));
    }
    for (const auto& [index, text] : m_asked.arguments)
      if (index >= call.arguments.size())
        return usage("kernel '" + escapedWithin(m_kernel.name, 100) + "' has " + std::to_string(call.arguments.size()) +
                     " arguments, numbered from 0; there is no argument " + std::to_string(index));
    BLOBSCOPE_CHECK(writeInputs(call));
    if (!m_missing.empty())
      return Error(DiagnosticId::RunSignature, {arg("name", m_kernel.name), {"reason", missing()}});
    planned.call = 0;
    job.calls.push_back(std::move(call));
    job.modules.push_back(std::move(m_module));
    return out;
  }

private:
  /// Finds the kernel's row, its module's code, and the device for it.
  Result<Done> findKernel() {
    const Ref& ref = m_asked.kernel;
    if (ref.kind != Ref::Kind::Module || ref.parts.size() != 1 || ref.parts[0].kind != PartKind::Kernel)
      return usage("'" + escaped(ref.toString()) + "' is not a kernel; example: m1/kernel:NAME");
    BLOBSCOPE_TRY(found, library::resolve(*m_package, ref));
    BLOBSCOPE_CHECK(library::findNode(*m_package, ref));
    m_ref = found.ref;
    const auto type = deviceTypeOf(found.module->key.view());
    m_device = type ? host::deviceTypeName(*type) : std::string(found.module->key.view());
    if (!m_options.device.empty() && m_options.device != m_device)
      return Error(DiagnosticId::RunImage, {arg("name", ref.parts[0].name), arg("device", m_options.device),
                                            arg("images", "code for " + m_device), arg("target", m_options.device)});
    if (!type || !isRunnable(*type))
      return Error(DiagnosticId::RunNoDevice,
                   {arg("kind", m_device), arg("reason", "test runs support CUDA, Vulkan, OpenCL and the CPU")});
    m_deviceType = *type;
    BLOBSCOPE_TRY(module, jobModule(*found.module, true, 0, m_folder, found.package->host.abi, m_monitor));
    m_module = std::move(module);
    const auto row = std::find_if(m_module.kernels.begin(), m_module.kernels.end(),
                                  [&](const protocol::JobKernel& one) { return one.name == ref.parts[0].name; });
    if (row == m_module.kernels.end())
      return Error(DiagnosticId::RunSignature,
                   {arg("name", ref.parts[0].name), arg("reason", "its table has types that cannot be passed")});
    m_kernel = *row;
    for (const modules::Kernel& one : found.module->body->kernels())
      if (one.name.view() == m_kernel.name && one.code && m_device == "vulkan")
        for (const auto& entry : payloads::readSpirv(*one.code).entryPoints)
          if (entry.localSize) m_block = {(*entry.localSize)[0], (*entry.localSize)[1], (*entry.localSize)[2]};
    return Done{};
  }

  bool complete() const {
    return m_asked.grid && (m_asked.block || m_block) && m_asked.arguments.size() >= m_kernel.arguments.size();
  }

  /// Sets m_preset, or m_noPreset to the reason why there is none.
  Result<Done> makePreset() {
    const auto index = m_functions.findKernel(m_ref);
    if (!index || m_functions.kernels[*index].launchedBy.empty()) {
      m_noPreset = "no host function is known to launch it";
      return Done{};
    }
    if (const auto loads = canLoad(*m_package, Purpose::Dry); !loads) {
      m_noPreset = "a dry run cannot determine (" + loads.error().message() + ")";
      return Done{};
    }
    RunOptions dry;
    dry.dry = true;
    dry.agreed = m_options.agreed;
    dry.functions = {m_functions.hosts[m_functions.kernels[*index].launchedBy.front().index].signature.function};
    dry.variables = m_options.variables;
    dry.limits = m_options.limits;
    dry.runner = m_options.runner;
    xref::Functions functions = m_functions;
    BLOBSCOPE_CHECK(probeSignatures(m_package, dry, functions, m_monitor));
    BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
    BLOBSCOPE_TRY(planned, planRun(m_package, functions, dry, folder.path(), m_monitor));
    BLOBSCOPE_TRY(report, executeRun(planned, dry, folder.path(), m_monitor));
    const FunctionResult& result = report.functions.front();
    const auto launch = std::find_if(result.launches.begin(), result.launches.end(),
                                     [&](const protocol::LaunchEvent& one) { return one.kernel == m_kernel.name; });
    if (result.status != Status::Ok || launch == result.launches.end()) {
      m_noPreset = "in a dry run '" + escapedWithin(result.function, 100) + "' " +
                   (result.status == Status::Ok ? std::string("does not launch it") : "failed: " + result.message);
      return Done{};
    }
    Preset preset;
    preset.extents = launch->extents;
    preset.variables = result.variables;
    for (const protocol::LaunchArgument& argument : launch->arguments) {
      if (!argument.tensor) {
        preset.arguments.emplace_back(scalarOf(argument.value, argument.type));
        continue;
      }
      const auto& known = planned.job.calls.front().arguments;
      const auto tensor = std::find_if(known.begin(), known.end(), [&](const protocol::JobArgument& one) {
        return one.kind == protocol::JobArgument::Kind::Tensor && one.tensor.name == *argument.tensor;
      });
      const bool whole = tensor != known.end() && argument.value == 0 && !argument.tensor->empty();
      preset.arguments.push_back(whole ? std::optional(*tensor) : std::nullopt);
    }
    m_preset = std::move(preset);
    return Done{};
  }

  Result<protocol::Extents> chooseExtents() {
    protocol::Extents out = m_preset ? m_preset->extents : protocol::Extents{};
    if (m_asked.grid)
      out.grid = *m_asked.grid;
    else if (!m_preset)
      m_missing.emplace_back("the grid");
    if (m_asked.block)
      out.block = *m_asked.block;
    else if (!m_preset && m_block)
      out.block = *m_block;
    else if (!m_preset)
      m_missing.emplace_back("the block");
    if (m_asked.dynamicShared) out.dynamicShared = *m_asked.dynamicShared;
    for (const auto* extents : {&out.grid, &out.block})
      if (std::any_of(extents->begin(), extents->end(), [](uint64_t one) { return one == 0 || one > UINT32_MAX; }))
        return usage("an extent of the grid or block is 0 or too large");
    return out;
  }

  Result<protocol::JobArgument> argumentOf(std::size_t index) {
    const protocol::DataType type = m_kernel.arguments[index];
    std::optional<protocol::JobArgument> known;
    if (m_preset && index < m_preset->arguments.size()) known = m_preset->arguments[index];
    const auto given = m_asked.arguments.find(static_cast<uint32_t>(index));
    if (given != m_asked.arguments.end()) {
      BLOBSCOPE_TRY(made, type.code == kHandle ? buffer(given->second, index) : scalar(given->second, index, type));
      if (known && type.code == kHandle) made.tensor.name = known->tensor.name, made.tensor.role = known->tensor.role;
      known = std::move(made);
    }
    if (!known) {
      m_missing.push_back("argument " + std::to_string(index) + " (" + protocol::typeText(type) + ")");
      return protocol::JobArgument{};
    }
    if (known->kind == protocol::JobArgument::Kind::Tensor) {
      known->tensor.deviceType = m_deviceType;
      // Buffers can be named as in the dry run, and always by their position.
      const auto placed = m_filled.inputs.find("arg" + std::to_string(index));
      if (placed != m_filled.inputs.end() && known->tensor.name != placed->first) {
        m_filled.inputs[known->tensor.name] = placed->second;
        m_filled.inputs.erase(placed);
      }
      if (m_filled.inputs.contains(known->tensor.name) && known->tensor.role == protocol::Role::Out)
        known->tensor.role = protocol::Role::InOut;
    }
    return std::move(*known);
  }

  /// Parses "float32[7,128]".
  Result<protocol::JobArgument> buffer(std::string_view text, std::size_t index) const {
    const std::size_t open = text.find('[');
    const auto wrong = [&](std::string_view why) {
      return usage("argument " + std::to_string(index) + " is a buffer, written like float32[7,128]; '" +
                   escapedWithin(text, 100) + "' " + std::string(why));
    };
    if (open == std::string_view::npos || !text.ends_with(']')) return wrong("has no shape");
    const auto type = jobType(text.substr(0, open), std::nullopt);
    if (!type || type->code == kHandle) return wrong("does not begin with a type");
    protocol::JobArgument out;
    out.kind = protocol::JobArgument::Kind::Tensor;
    out.tensor.name = "arg" + std::to_string(index);
    out.tensor.type = *type;
    out.tensor.role = protocol::Role::InOut;
    std::string_view shape = text.substr(open + 1, text.size() - open - 2);
    while (!shape.empty()) {
      const std::size_t comma = std::min(shape.find(','), shape.size());
      const auto extent = parseNumber(shape.substr(0, comma));
      if (!extent || *extent > INT64_MAX || out.tensor.shape.size() == 64) return wrong("has an invalid shape");
      out.tensor.shape.push_back(static_cast<int64_t>(*extent));
      shape.remove_prefix(std::min(comma + 1, shape.size()));
    }
    return out;
  }

  Result<protocol::JobArgument> scalar(std::string_view text, std::size_t index, protocol::DataType type) const {
    const auto wrong = [&] {
      return usage("argument " + std::to_string(index) + " is a number of type " + protocol::typeText(type) +
                   ", not '" + escapedWithin(text, 100) + "'");
    };
    protocol::JobArgument out;
    const char* const end = text.data() + text.size();
    if (type.code == 2 || type.code == 4) {
      out.kind = protocol::JobArgument::Kind::Float;
      const auto read = std::from_chars(text.data(), end, out.real);
      if (text.empty() || read.ec != std::errc{} || read.ptr != end) return wrong();
      return out;
    }
    const auto read = std::from_chars(text.data(), end, out.integer);
    if (text.empty() || read.ec != std::errc{} || read.ptr != end) return wrong();
    return out;
  }

  static host::Parameter parameterOf(const protocol::JobArgument& argument, std::size_t index) {
    host::Parameter out;
    out.name = "arg" + std::to_string(index);
    switch (argument.kind) {
    case protocol::JobArgument::Kind::Tensor:
      out.kind = host::Parameter::Kind::Tensor;
      out.name = argument.tensor.name;
      out.dtype = protocol::typeText(argument.tensor.type);
      for (const int64_t extent : argument.tensor.shape) out.shape.push_back(host::dimensionOf(std::to_string(extent)));
      out.rankKnown = true;
      break;
    case protocol::JobArgument::Kind::Float: out.kind = host::Parameter::Kind::Float; break;
    default: out.kind = host::Parameter::Kind::Integer; break;
    }
    return out;
  }

  Result<Done> writeInputs(protocol::JobCall& call) {
    uint64_t total = 0;
    for (std::size_t i = 0; i < call.arguments.size() && m_missing.empty(); ++i) {
      if (call.arguments[i].kind != protocol::JobArgument::Kind::Tensor) continue;
      protocol::JobTensor& tensor = call.arguments[i].tensor;
      BLOBSCOPE_CHECK(addBytes(tensor, m_options.limits, total));
      BLOBSCOPE_CHECK(writeInput(tensor, 0, i, m_filled, m_folder, m_monitor));
    }
    for (const auto& [name, fill] : m_filled.inputs) {
      const auto is = [&, &wanted = name](const protocol::JobArgument& one) {
        return one.kind == protocol::JobArgument::Kind::Tensor && one.tensor.name == wanted;
      };
      if (m_missing.empty() && std::none_of(call.arguments.begin(), call.arguments.end(), is))
        return Error(DiagnosticId::RunInput,
                     {arg("name", name), arg("reason", "the kernel has no buffer with that name")});
    }
    return Done{};
  }

  std::string missing() const {
    std::string out =
        m_noPreset.empty() ? std::string("the dry run does not show ") : m_noPreset + ", so these are unknown: ";
    constexpr std::size_t kNamed = 8;
    for (std::size_t i = 0; i < m_missing.size() && i < kNamed; ++i) out += (i > 0 ? ", " : "") + m_missing[i];
    return m_missing.size() > kNamed ? out + " and " + std::to_string(m_missing.size() - kNamed) + " more" : out;
  }

  const library::PackagePtr& m_package;
  const xref::Functions& m_functions;
  const RunOptions& m_options;
  RunOptions m_filled; ///< the same, with inputs under the names of the buffers
  const KernelRun& m_asked;
  Ref m_ref; ///< the kernel, as its blob spells it
  const std::filesystem::path& m_folder;
  Monitor& m_monitor;
  std::string m_device;
  int m_deviceType = kCpu;
  protocol::JobModule m_module;
  protocol::JobKernel m_kernel;
  std::optional<std::array<uint64_t, 3>> m_block; ///< block that the code is compiled for
  std::optional<Preset> m_preset;
  std::string m_noPreset;
  std::vector<std::string> m_missing;
};

} // namespace

Result<PlannedRun> planKernel(const library::PackagePtr& package, const xref::Functions& functions,
                              const RunOptions& options, const std::filesystem::path& folder, Monitor& monitor) {
  return KernelPlanner(package, functions, options, folder, monitor).plan();
}

std::optional<std::array<uint64_t, 3>> parseExtents(std::string_view text) {
  std::array<uint64_t, 3> out = {1, 1, 1};
  std::size_t axis = 0;
  for (std::size_t at = 0; at <= text.size(); ++axis) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const auto number = parseNumber(text.substr(at, end - at));
    if (!number || axis > 2) return std::nullopt;
    out[axis] = *number;
    at = end + 1;
  }
  return out;
}

} // namespace blobscope::run
