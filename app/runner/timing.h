#pragma once

#include "app/runner/backends/backend.h"
#include "core/protocol/protocol.h"

#include <functional>
#include <string>
#include <vector>

namespace blobscope::runner {

protocol::DeviceFound foundDevice(const DeviceInfo& info);

/// Runs `once` (which waits for its end) as core/formats/host-abi.md 7.4 says: until 3 runs and 50 ms are over, then
/// until 10 runs and 100 ms or 1000 runs, unless the job says how often; `before` comes in front of each. Tells the
/// wall clock's times and, of each launch that `launched` names after a run, the device's. Ends early when cancelled.
Result<Done> measure(const protocol::Job& job, Backend* backend, const std::string& name,
                     const std::function<void()>& before, const std::function<Result<Done>()>& once,
                     const std::function<const std::vector<std::string>&()>& launched);

} // namespace blobscope::runner
