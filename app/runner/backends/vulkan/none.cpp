#include "app/runner/backends/backend.h"

namespace blobscope::runner {
namespace {

Error notBuilt() {
  return {DiagnosticId::RunNoDriver,
          {arg("kind", "Vulkan"), arg("reason", "this program was built without it"),
           arg("help", "build it where Vulkan's headers (the package libvulkan-dev) are installed")}};
}

} // namespace

Result<std::unique_ptr<Backend>> openVulkan(const BackendOptions&) { return notBuilt(); }
Result<std::vector<DeviceInfo>> listVulkan(const BackendOptions&) { return notBuilt(); }

} // namespace blobscope::runner
