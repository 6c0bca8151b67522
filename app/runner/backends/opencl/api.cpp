#include "app/runner/backends/opencl/api.h"

#include "app/runner/backends/dynamic_library.h"
#include "app/runner/backends/host/memory.h"
#include "app/runner/backends/loader.h"
#include "core/base/path_text.h"
#include "core/base/text.h"

#include <algorithm>

namespace blobscope::runner::opencl {
namespace {

/// A text is not fetched if the driver reports a larger size.
constexpr std::size_t kTextBytes = std::size_t{1} << 20;
/// More than any loader lists.
constexpr cl_uint kListed = 256;

Error noDriver(std::string_view reason) {
  return {DiagnosticId::RunNoDriver,
          {arg("kind", "OpenCL"), arg("reason", reason), arg("help", loader::driverHelp("opencl"))}};
}

template <class T> T number(const Api& api, cl_device_id device, cl_device_info what) {
  T value{};
  return api.clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : T{};
}

std::string text(const Api& api, cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  if (api.clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0 || size > kTextBytes) return {};
  std::string out(size, '\0');
  if (api.clGetDeviceInfo(device, what, size, out.data(), nullptr) != CL_SUCCESS) return {};
  return out.substr(0, out.find('\0'));
}

bool hasWord(std::string_view words, std::string_view word) {
  const std::string spaced = ' ' + std::string(words) + ' ';
  return spaced.find(' ' + std::string(word) + ' ') != std::string::npos;
}

DeviceFacts readDevice(const Api& api, cl_platform_id platform, cl_device_id device, int index) {
  DeviceFacts facts;
  facts.platform = platform;
  facts.device = device;
  facts.info.kind = "opencl";
  facts.info.index = index;
  facts.info.name = escapedWithin(text(api, device, CL_DEVICE_NAME), 200);
  facts.info.driver =
      escapedWithin(text(api, device, CL_DEVICE_VENDOR) + ' ' + text(api, device, CL_DRIVER_VERSION), 200);
  facts.info.memoryBytes = number<cl_ulong>(api, device, CL_DEVICE_GLOBAL_MEM_SIZE);
  facts.info.isCpu = (number<cl_device_type>(api, device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
  const std::string extensions = text(api, device, CL_DEVICE_EXTENSIONS);
  facts.half = hasWord(extensions, "cl_khr_fp16");
  facts.largestBuffer = number<cl_ulong>(api, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  facts.largestGroup = number<std::size_t>(api, device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  facts.localBytes = number<cl_ulong>(api, device, CL_DEVICE_LOCAL_MEM_SIZE);
  // In bits.
  facts.alignment = std::max<uint64_t>(number<cl_uint>(api, device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8, 1);
  // One per dimension, at least three.
  std::size_t bytes = 0;
  if (api.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, 0, nullptr, &bytes) == CL_SUCCESS &&
      bytes >= 3 * sizeof(std::size_t) && bytes <= kTextBytes) {
    std::vector<std::size_t> sizes(bytes / sizeof(std::size_t));
    if (api.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizes.size() * sizeof(std::size_t), sizes.data(),
                            nullptr) == CL_SUCCESS)
      facts.largestGroups = {sizes[0], sizes[1], sizes[2]};
  }
  const auto fact = [&](const char* label, std::string value) {
    facts.info.facts.emplace_back(label, std::move(value));
  };
  fact("OpenCL", escapedWithin(text(api, device, CL_DEVICE_VERSION), 200));
  fact("compute units", std::to_string(number<cl_uint>(api, device, CL_DEVICE_MAX_COMPUTE_UNITS)));
  fact("clock", std::to_string(number<cl_uint>(api, device, CL_DEVICE_MAX_CLOCK_FREQUENCY)) + " MHz");
  fact("largest work group", groupedText(facts.largestGroup) + " work items");
  fact("local memory", sizeText(facts.localBytes));
  fact("largest buffer", sizeText(facts.largestBuffer));
  fact("fp16", facts.half ? "yes" : "no");
  fact("fp64", hasWord(extensions, "cl_khr_fp64") ? "yes" : "no");
  fact("extensions", escapedWithin(extensions, 4000));
  facts.info.limits = {{"shared bytes", facts.localBytes}, {"threads", facts.largestGroup}};
  return facts;
}

} // namespace

std::string statusText(cl_int status) {
  switch (status) {
#define BLOBSCOPE_OPENCL_NAME(name)                                                                                    \
  case name: return #name;
    BLOBSCOPE_OPENCL_NAME(CL_DEVICE_NOT_FOUND)
    BLOBSCOPE_OPENCL_NAME(CL_DEVICE_NOT_AVAILABLE)
    BLOBSCOPE_OPENCL_NAME(CL_COMPILER_NOT_AVAILABLE)
    BLOBSCOPE_OPENCL_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE)
    BLOBSCOPE_OPENCL_NAME(CL_OUT_OF_RESOURCES)
    BLOBSCOPE_OPENCL_NAME(CL_OUT_OF_HOST_MEMORY)
    BLOBSCOPE_OPENCL_NAME(CL_PROFILING_INFO_NOT_AVAILABLE)
    BLOBSCOPE_OPENCL_NAME(CL_BUILD_PROGRAM_FAILURE)
    BLOBSCOPE_OPENCL_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET)
    BLOBSCOPE_OPENCL_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_VALUE)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_DEVICE)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_CONTEXT)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_COMMAND_QUEUE)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_MEM_OBJECT)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_BINARY)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_BUILD_OPTIONS)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_PROGRAM)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_PROGRAM_EXECUTABLE)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_KERNEL_NAME)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_KERNEL)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_ARG_INDEX)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_ARG_VALUE)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_ARG_SIZE)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_KERNEL_ARGS)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_WORK_DIMENSION)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_WORK_GROUP_SIZE)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_WORK_ITEM_SIZE)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_GLOBAL_OFFSET)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_OPERATION)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_BUFFER_SIZE)
    BLOBSCOPE_OPENCL_NAME(CL_INVALID_GLOBAL_WORK_SIZE)
#undef BLOBSCOPE_OPENCL_NAME
  default: return "an unknown result";
  }
}

Error callError(const char* call, cl_int status) {
  return {DiagnosticId::RunCall,
          {arg("call", call), arg("kind", "OpenCL"), arg("code", std::to_string(status)),
           arg("reason", statusText(status))}};
}

Result<std::shared_ptr<const Api>> openApi(const std::string& path) {
  std::string reason;
  const auto library = DynamicLibrary::open(path.empty() ? loader::driverName("opencl") : path, reason);
  if (!library) return noDriver(reason);
  auto api = std::make_shared<Api>();
  api->path = library->path();
  const char* missing = nullptr;
#define BLOBSCOPE_OPENCL_FIND(name)                                                                                    \
  api->name = library->function<decltype(&::name)>(#name);                                                             \
  if (!api->name && !missing) missing = #name;
  BLOBSCOPE_OPENCL(BLOBSCOPE_OPENCL_FIND)
#undef BLOBSCOPE_OPENCL_FIND
  if (missing)
    return Error(DiagnosticId::RunDriverSymbol,
                 {arg("kind", "OpenCL"), {"path", shownPath(library->path())}, arg("name", missing)});
  return std::shared_ptr<const Api>(std::move(api));
}

Result<std::vector<DeviceFacts>> readDevices(const Api& api) {
  cl_uint count = 0;
  // The loader returns -1001 (CL_PLATFORM_NOT_FOUND_KHR) if there is no driver.
  if (const cl_int status = api.clGetPlatformIDs(0, nullptr, &count); status != CL_SUCCESS || count == 0)
    return noDriver("the loader finds no platform (" + std::to_string(status) + ')');
  std::vector<cl_platform_id> platforms(std::min(count, kListed));
  if (const cl_int status = api.clGetPlatformIDs(static_cast<cl_uint>(platforms.size()), platforms.data(), nullptr);
      status != CL_SUCCESS)
    return callError("clGetPlatformIDs", status);
  std::vector<DeviceFacts> found;
  for (const cl_platform_id platform : platforms) {
    if (api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS || count == 0) continue;
    std::vector<cl_device_id> devices(std::min(count, kListed));
    if (api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, static_cast<cl_uint>(devices.size()), devices.data(),
                           nullptr) != CL_SUCCESS)
      continue;
    for (const cl_device_id device : devices)
      found.push_back(readDevice(api, platform, device, static_cast<int>(found.size())));
  }
  if (found.empty())
    return Error(DiagnosticId::RunNoDevice, {arg("kind", "OpenCL"), arg("reason", "no platform reports one")});
  return found;
}

} // namespace blobscope::runner::opencl
