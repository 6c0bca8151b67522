#include "app/runner/backends/cuda/api.h"
#include "core/base/path_text.h"

#include "app/runner/backends/loader.h"

#include <utility>

namespace blobscope::runner::cuda {
namespace {

constexpr std::string_view kHelp = "it is part of NVIDIA's graphics driver; a dry run does not need it";

Error noDriver(std::string_view reason) {
  return {DiagnosticId::RunNoDriver, {arg("kind", "CUDA"), arg("reason", reason), arg("help", kHelp)}};
}

} // namespace

std::string Driver::reason(Status status) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(status, &name) != kSuccess || !name) return "an error without a name";
  if (cuGetErrorString(status, &text) != kSuccess || !text) return name;
  return std::string(name) + ": " + text;
}

Error Driver::error(const char* call, Status status, std::string more) const {
  std::string why = reason(status);
  if (!more.empty()) why += "; " + std::move(more);
  return {DiagnosticId::RunCall,
          {arg("call", call), arg("kind", "CUDA"), arg("code", std::to_string(status)), arg("reason", why)}};
}

Result<std::shared_ptr<const Driver>> openDriver(const std::string& path) {
  // --- 1. The library and its functions. ---
  std::string reason;
  const auto library = DynamicLibrary::open(path.empty() ? loader::driverName("cuda") : path, reason);
  if (!library) return noDriver(reason);
  auto driver = std::make_shared<Driver>();
  driver->path = library->path();
  const char* missing = nullptr;
#define BLOBSCOPE_CUDA_FIND(name, ...) driver->name = library->function<Status (*)(__VA_ARGS__)>(#name);
#define BLOBSCOPE_CUDA_NEED(name, ...)                                                                                 \
  BLOBSCOPE_CUDA_FIND(name, __VA_ARGS__)                                                                               \
  if (!driver->name && !missing) missing = #name;
  BLOBSCOPE_CUDA_REQUIRED(BLOBSCOPE_CUDA_NEED)
  BLOBSCOPE_CUDA_OPTIONAL(BLOBSCOPE_CUDA_FIND)
#undef BLOBSCOPE_CUDA_NEED
#undef BLOBSCOPE_CUDA_FIND
  if (missing)
    return Error(DiagnosticId::RunDriverSymbol,
                 {arg("kind", "CUDA"), {"path", shownPath(library->path())}, arg("name", missing)});

  // --- 2. The driver itself. ---
  const Status started = driver->cuInit(0);
  if (started == kStubLibrary)
    return noDriver("'" + library->path() + "' is the toolkit's stub, which is only for linking (error 34)");
  if (started == kNoDevice)
    return Error(DiagnosticId::RunNoDevice, {arg("kind", "CUDA"), arg("reason", driver->reason(started))});
  if (started != kSuccess) return driver->error("cuInit", started);
  if (const Status status = driver->cuDriverGetVersion(&driver->version); status != kSuccess)
    return driver->error("cuDriverGetVersion", status);
  return std::shared_ptr<const Driver>(std::move(driver));
}

} // namespace blobscope::runner::cuda
