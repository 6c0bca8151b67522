#include "app/runner/backends/backend.h"

namespace blobscope::runner {
namespace {

Error notBuilt() {
  return {DiagnosticId::RunNoDriver,
          {arg("kind", "OpenCL"), arg("reason", "this program was built without it"),
           arg("help", "build it where OpenCL's headers (the package opencl-headers) are installed")}};
}

} // namespace

Result<std::unique_ptr<Backend>> openOpenCl(const BackendOptions&) { return notBuilt(); }
Result<CompilerOutput> checkOpenCl(const BackendOptions&, std::string_view, const std::vector<std::string>&) {
  return notBuilt();
}
Result<std::vector<DeviceInfo>> listOpenCl(const BackendOptions&) { return notBuilt(); }

} // namespace blobscope::runner
