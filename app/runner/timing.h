#pragma once

#include "app/runner/backends/backend.h"
#include "core/protocol/protocol.h"

#include <functional>
#include <string>
#include <vector>

namespace blobscope::runner {

protocol::DeviceFound foundDevice(const DeviceInfo& info);

/// Runs `once` (which waits for its end) according to core/formats/host-abi.md 7.4: first for 3 runs and 50 ms, then
/// for 10 runs and 100 ms or for 1000 runs, unless the job states the number; `before` is called before each. Reports
/// the wall times and, for each launch that `launched` names after a run, the device times. Ends early if cancelled.
Result<Done> measure(const protocol::Job& job, Backend* backend, const std::string& name,
                     const std::function<void()>& before, const std::function<Result<Done>()>& once,
                     const std::function<const std::vector<std::string>&()>& launched);

} // namespace blobscope::runner
