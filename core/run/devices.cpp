#include "core/run/devices.h"

#include "core/process/process.h"
#include "core/protocol/runner_process.h"

#include <algorithm>

namespace blobscope::run {
namespace {

struct Driver {
  std::string_view backend, what, unlocks;
};
constexpr Driver kDrivers[] = {
    {"cuda", "NVIDIA driver", "running CUDA kernels on an NVIDIA GPU"},
    {"vulkan", "Vulkan driver", "running Vulkan kernels; Mesa's lavapipe runs them on the CPU"},
    {"opencl", "OpenCL driver", "running OpenCL kernels; PoCL runs them on the CPU"},
};

} // namespace

std::optional<int> deviceTypeOf(std::string_view moduleKey) {
  struct Row {
    std::string_view key;
    int type;
  };
  constexpr Row kRows[] = {{"cuda", kCuda}, {"opencl", kOpenCl}, {"vulkan", kVulkan}, {"metal", kMetal},
                           {"rocm", kRocm}, {"hip", kRocm},      {"webgpu", kWebGpu}, {"hexagon", kHexagon}};
  for (const Row& row : kRows)
    if (row.key == moduleKey) return row.type;
  return std::nullopt;
}

bool isRunnable(int deviceType) {
  return deviceType == kCpu || deviceType == kCuda || deviceType == kOpenCl || deviceType == kVulkan;
}

Result<DeviceList> computeDevices(const std::filesystem::path& runner, Monitor& monitor,
                                  const std::vector<std::string>& backends) {
  DeviceList out;
  out.confinement = confinedParts(process::supportedLayers());
  uint64_t done = 0;
  for (const Driver& driver : kDrivers) {
    if (!backends.empty() && std::ranges::find(backends, driver.backend) == backends.end()) continue;
    monitor.progress("querying drivers", done++, std::size(kDrivers));
    BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
    protocol::Job job;
    job.mode = protocol::Mode::Devices;
    job.backend = driver.backend;
    protocol::RunnerOptions options;
    options.runner = runner;
    options.folder = folder.path();
    options.timeoutMs = 60'000;
    std::string reason;
    const std::size_t before = out.devices.size();
    BLOBSCOPE_TRY(end, protocol::runRunner(
                           job, options,
                           [&](const protocol::Event& event) {
                             if (const auto* const found = std::get_if<protocol::DeviceFound>(&event))
                               out.devices.push_back(*found);
                             if (const auto* const error = std::get_if<protocol::ErrorReported>(&event);
                                 error && reason.empty())
                               reason = error->message;
                           },
                           monitor));
    if (end.problem) reason = end.problem->message();
    if (out.devices.size() == before || end.problem)
      out.missing.push_back({std::string(driver.what), std::string(driver.unlocks),
                             reason.empty() ? "it reports no device" : std::move(reason), std::string(driver.backend)});
  }
  return out;
}

} // namespace blobscope::run
