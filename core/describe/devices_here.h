#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/protocol/protocol.h"
#include "core/targets/device.h"
#include "core/targets/system.h"

#include <string>
#include <string_view>
#include <vector>

namespace blobscope::describe {

/// The word for the devices of this machine, in place of the name of a device.
inline constexpr std::string_view kThisMachine = "this";

/// This machine with its operating system, C library, libstdc++ and processor, read from its files.
targets::SystemPtr systemHere();
/// The same without reading anything: only operating system and processor.
targets::SystemPtr machineHere();

/// The name of a found device for targets::parseDevice(): "sm_90,cuda=13.0", "vulkan:1.3,shaderFloat16"; empty for
/// devices that runtimes of TVM do not use.
std::string targetName(const protocol::DeviceFound& found);
/// The devices of this machine, as the runner finds them with the drivers; those for `backends`, type keys such as
/// "cuda", or all when that is empty. Errors: RUN-RUNNER, PRE-DEVICE when there is none, Cancelled.
Result<std::vector<targets::Device>> devicesHere(const targets::FactsPtr& facts, Monitor& monitor,
                                                 const std::vector<std::string>& backends = {});

} // namespace blobscope::describe
