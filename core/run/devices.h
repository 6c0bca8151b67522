#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/protocol/protocol.h"
#include "core/run/confinement.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::run {

/// DLPack's numbers. Source: dmlc/dlpack include/dlpack/dlpack.h, DLDeviceType.
constexpr int kCpu = 1, kCuda = 2, kOpenCl = 4, kVulkan = 7, kMetal = 8, kRocm = 10, kWebGpu = 15, kHexagon = 16;

/// Returns the device that modules with that type key are for; nothing for other keys.
std::optional<int> deviceTypeOf(std::string_view moduleKey);
/// Returns whether test runs have a back end for it.
bool isRunnable(int deviceType);

/// The devices of this machine, what is needed for more, and what test runs cannot do on it.
struct DeviceList {
  struct Missing {
    std::string what;         ///< "NVIDIA driver"
    std::string unlocks;      ///< a sentence
    std::string reason;       ///< what was found instead
    std::string backend = {}; ///< type key of the modules that need it, for example "cuda"
  };
  std::vector<protocol::DeviceFound> devices;
  std::vector<Missing> missing;
  std::vector<ConfinedPart> confinement;
};

/// Queries each driver in a separate runner, so that one that crashes does not hide the others. `backends`: type keys
/// of the only drivers to query, such as "cuda"; empty: all. Errors: RUN-RUNNER, Cancelled.
Result<DeviceList> computeDevices(const std::filesystem::path& runner, Monitor& monitor,
                                  const std::vector<std::string>& backends = {});

} // namespace blobscope::run
