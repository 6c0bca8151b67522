#include "app/runner/calls.h"
#include "app/runner/channel.h"
#include "app/runner/timing.h"

namespace blobscope::runner {

int runDevices(const JobContext& context) {
  struct Row {
    std::string_view kind;
    Result<std::vector<DeviceInfo>> (*list)(const BackendOptions&);
  };
  constexpr Row kRows[] = {{"cuda", listCuda}, {"vulkan", listVulkan}, {"opencl", listOpenCl}};
  const protocol::Job& job = context.job;
  bool any = false;
  for (const Row& row : kRows) {
    if (cancelled() || (!job.backend.empty() && job.backend != row.kind)) continue;
    enter(protocol::Stage::Driver, job.limits.loadMs);
    auto found = row.list({job.driverPath, job.device});
    if (!found) {
      sendEvent(found.error());
      continue;
    }
    for (const DeviceInfo& info : *found) sendEvent(foundDevice(info));
    any = any || !found->empty();
  }
  return any ? 0 : kNoDevice;
}

} // namespace blobscope::runner
