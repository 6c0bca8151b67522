#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/protocol/protocol.h"
#include "core/run/check_kernels.h"
#include "core/run/options.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::run {

/// The result of one built-in kernel on one device.
struct DeviceCheck {
  enum class Status : uint8_t { Ok, Failed, Skipped };
  std::string kind;   ///< of the device: "cuda", "vulkan", "opencl"
  uint32_t index = 0; ///< of the device among those of its kind
  std::string name;   ///< of the kernel: "copy"
  Status status = Status::Ok;
  std::string code;    ///< "RUN-…" of a failed check
  std::string message; ///< why it failed or was skipped; empty if it is ok
  std::optional<CheckDifference> difference;

  /// "ok", "skipped: …", "failed: RUN-DIFFERS: …".
  std::string text() const;
};
/// Returns the word of the command line: "ok", "failed", "skipped".
std::string_view statusName(DeviceCheck::Status status);
std::size_t countOf(const std::vector<DeviceCheck>& checks, DeviceCheck::Status status);

/// Runs the built-in kernels on each device, in the same helper processes as test runs, and compares what they write
/// with the results of the processor. No code of a file is executed, so nobody has to agree. A kernel that needs
/// float16 is skipped on devices without it. Results are in the order of the devices, then of checkKernels(); a device
/// that cannot be opened fails each check. `options`: only `driverPath`, `limits` and `runner` are used. Errors:
/// RUN-RUNNER, FILE-WRITE, Cancelled.
Result<std::vector<DeviceCheck>> checkDevices(const std::vector<protocol::DeviceFound>& devices, const CheckCode& code,
                                              const RunOptions& options, Monitor& monitor);

} // namespace blobscope::run
