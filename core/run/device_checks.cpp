#include "core/run/device_checks.h"

#include "core/base/output_file.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/process/process.h"
#include "core/run/devices.h"
#include "core/run/execute.h"
#include "core/run/job_parts.h"

#include <algorithm>

namespace blobscope::run {
namespace {

constexpr protocol::DataType kPointer = {3, 64, 1}, kInt32 = {0, 32, 1};

/// Shows the number of finished checks of all devices.
class CheckMonitor final : public Monitor {
public:
  CheckMonitor(Monitor& monitor, uint64_t total) : m_monitor(monitor), m_total(total) {}
  bool stopRequested() const override { return m_monitor.stopRequested(); }
  void progress(std::string_view, uint64_t done, uint64_t total) override {
    if (total > 0) m_monitor.progress(m_what, m_before + done, m_total);
  }
  void begin(const protocol::DeviceFound& device, uint64_t before) {
    m_what = "checking " + escapedWithin(device.kind, 100) + ":" + std::to_string(device.index);
    m_before = before;
    m_monitor.progress(m_what, m_before, m_total);
  }

private:
  Monitor& m_monitor;
  uint64_t m_total, m_before = 0;
  std::string m_what;
};

std::string_view factOf(const protocol::DeviceFound& device, std::string_view label) {
  for (const auto& [name, value] : device.facts)
    if (name == label) return value;
  return {};
}

bool hasWord(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(", "), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 2, list.size()));
  }
  return false;
}

/// Returns the features for float16 that the device lacks, in the words of its interface; empty if it has all. The
/// kernel for CUDA only needs conversions, which every device has.
std::string lackingForHalf(const protocol::DeviceFound& device) {
  if (device.kind == "opencl") return factOf(device, "fp16") == "yes" ? "" : "cl_khr_fp16";
  if (device.kind != "vulkan") return {};
  std::string out;
  for (const std::string_view feature : {"shaderFloat16", "storageBuffer16BitAccess"})
    if (!hasWord(factOf(device, "features"), feature)) out += (out.empty() ? "" : " or ") + std::string(feature);
  return out;
}

void fail(DeviceCheck& check, std::string_view code, std::string message) {
  check.status = DeviceCheck::Status::Failed;
  check.code = code;
  check.message = std::move(message);
}

/// The checks of one device, in one job.
class DeviceRun {
public:
  DeviceRun(const protocol::DeviceFound& device, const CheckCode& code, const RunOptions& options, Monitor& monitor)
      : m_device(device), m_code(code), m_options(options), m_monitor(monitor) {
    m_options.device = device.kind;
    m_options.deviceIndex = static_cast<int>(device.index);
  }

  Result<Done> run(const std::vector<CheckKernel>& kernels, std::vector<DeviceCheck>& checks) {
    BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
    m_folder = folder.path();
    BLOBSCOPE_CHECK(plan(kernels, checks));
    auto report = executeRun(m_planned, m_options, m_folder, m_monitor);
    if (!report) {
      if (report.error().id() == DiagnosticId::Cancelled || report.error().id() == DiagnosticId::RunRunner)
        return report.takeError();
      for (const auto& [kernel, check] : m_asked)
        fail(checks[check], report.error().diagnostic().idText(), report.error().message());
      return Done{};
    }
    for (std::size_t i = 0; i < m_asked.size(); ++i)
      BLOBSCOPE_CHECK(take(*m_asked[i].kernel, report->functions[i], checks[m_asked[i].check]));
    return Done{};
  }

private:
  struct Asked {
    const CheckKernel* kernel;
    std::size_t check; ///< index of its result
  };

  Result<Done> plan(const std::vector<CheckKernel>& kernels, std::vector<DeviceCheck>& checks) {
    protocol::Job& job = m_planned.job;
    job = jobOf(protocol::Mode::Kernel, m_options);
    job.backend = m_device.kind;
    protocol::JobModule module;
    module.kind = m_device.kind;
    module.format = m_device.kind == "cuda" ? "ptx" : m_device.kind == "vulkan" ? "spirv" : "cl";
    if (m_device.kind != "vulkan") {
      module.data = m_device.kind == "cuda" ? "check.ptx" : "check.cl";
      BLOBSCOPE_CHECK(writeCode(module.data));
    }
    const std::string lacking = lackingForHalf(m_device);
    for (const CheckKernel& kernel : kernels) {
      DeviceCheck& check = checks.emplace_back();
      check.kind = m_device.kind;
      check.index = m_device.index;
      check.name = kernel.name;
      if (kernel.usesHalf && !lacking.empty()) {
        check.status = DeviceCheck::Status::Skipped;
        check.message = "the device does not support " + lacking;
        continue;
      }
      BLOBSCOPE_TRY(call, callOf(kernel));
      protocol::JobKernel row;
      row.name = kernel.function;
      row.arguments.assign(kernel.tensors.size(), kPointer);
      if (kernel.count) row.arguments.push_back(kInt32);
      if (m_device.kind == "vulkan") {
        row.image = kernel.function + ".spv";
        BLOBSCOPE_CHECK(writeCode(row.image));
      }
      module.kernels.push_back(std::move(row));
      PlannedCall planned;
      planned.function = kernel.function;
      planned.call = job.calls.size();
      m_planned.calls.push_back(std::move(planned));
      job.calls.push_back(std::move(call));
      m_asked.push_back({&kernel, checks.size() - 1});
    }
    job.modules.push_back(std::move(module));
    return Done{};
  }

  Result<Done> writeCode(const std::string& file) {
    const auto found = m_code.find(file);
    return writeFileNow(m_folder / file, Bytes::copyOf(found == m_code.end() ? std::string() : found->second),
                        m_monitor);
  }

  Result<protocol::JobCall> callOf(const CheckKernel& kernel) {
    protocol::JobCall call;
    call.function = kernel.function;
    call.extents = kernel.extents;
    for (const CheckTensor& tensor : kernel.tensors) {
      protocol::JobArgument& argument = call.arguments.emplace_back();
      argument.kind = protocol::JobArgument::Kind::Tensor;
      protocol::JobTensor& out = argument.tensor;
      out.name = tensor.name;
      out.type = tensor.type;
      out.shape = tensor.shape;
      out.deviceType = deviceTypeOf(m_device.kind).value_or(kCpu);
      out.role = tensor.role;
      out.fill = protocol::kFirstFill;
      const std::string place =
          std::to_string(m_planned.job.calls.size()) + "." + std::to_string(call.arguments.size() - 1);
      if (tensor.role != protocol::Role::In) out.output = "out." + place;
      if (tensor.role == protocol::Role::Out) continue;
      out.input = "in." + place;
      BLOBSCOPE_CHECK(writeFileNow(m_folder / out.input, Bytes::copyOf(tensor.bytes), m_monitor));
    }
    if (kernel.count) {
      protocol::JobArgument& argument = call.arguments.emplace_back();
      argument.integer = *kernel.count;
    }
    return call;
  }

  static Result<Done> take(const CheckKernel& kernel, const FunctionResult& result, DeviceCheck& check) {
    if (result.status != Status::Ok) {
      fail(check, result.code, result.message);
      return Done{};
    }
    const auto differs = [&](std::string reason) {
      fail(check, row(DiagnosticId::RunDiffers).id,
           Diagnostic{DiagnosticId::RunDiffers, {}, {arg("name", kernel.function), {"reason", std::move(reason)}}}
               .message());
    };
    const CheckTensor& tensor = kernel.tensors[kernel.output];
    if (result.outputs.size() != 1 || result.outputs[0].file.empty()) {
      differs("'" + tensor.name + "' was not read back");
      return Done{};
    }
    BLOBSCOPE_TRY(source, ByteSource::openFile(result.outputs[0].file));
    const Bytes actual = ByteSource::all(source);
    if (actual.size() != kernel.expected.size()) {
      differs("'" + tensor.name + "' has " + sizeText(actual.size()) + " instead of " +
              sizeText(kernel.expected.size()));
      return Done{};
    }
    check.difference = findDifference(kernel, actual);
    if (check.difference) differs(check.difference->sentence());
    return Done{};
  }

  const protocol::DeviceFound& m_device;
  const CheckCode& m_code;
  RunOptions m_options;
  Monitor& m_monitor;
  std::filesystem::path m_folder;
  PlannedRun m_planned;
  std::vector<Asked> m_asked; ///< one per call
};

} // namespace

std::string_view statusName(DeviceCheck::Status status) {
  constexpr std::string_view kNames[] = {"ok", "failed", "skipped"};
  return kNames[static_cast<std::size_t>(status)];
}

std::size_t countOf(const std::vector<DeviceCheck>& checks, DeviceCheck::Status status) {
  return static_cast<std::size_t>(
      std::count_if(checks.begin(), checks.end(), [&](const DeviceCheck& one) { return one.status == status; }));
}

std::string DeviceCheck::text() const {
  std::string out(statusName(status));
  if (!code.empty()) out += ": " + code;
  if (!message.empty()) out += ": " + message;
  return out;
}

Result<std::vector<DeviceCheck>> checkDevices(const std::vector<protocol::DeviceFound>& devices, const CheckCode& code,
                                              const RunOptions& options, Monitor& monitor) {
  const std::vector<CheckKernel> kernels = checkKernels();
  std::vector<DeviceCheck> checks;
  CheckMonitor shown(monitor, devices.size() * kernels.size());
  for (const protocol::DeviceFound& device : devices) {
    shown.begin(device, checks.size());
    DeviceRun run(device, code, options, shown);
    BLOBSCOPE_CHECK(run.run(kernels, checks));
  }
  return checks;
}

} // namespace blobscope::run
