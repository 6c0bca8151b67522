#include "app/runner/backends/cuda/api.h"
#include "app/runner/backends/cuda/image.h"
#include "app/runner/backends/cuda/nvrtc.h"
#include "app/runner/backends/host/memory.h"
#include "core/base/path_text.h"
#include "core/base/text.h"

#include <algorithm>
#include <utility>

namespace blobscope::runner {
namespace {

/// Returns the UUID as nvidia-smi shows it: "GPU-de770059-6654-83a0-1a14-96c2de42b2fc".
std::string uuidText(const cuda::Uuid& uuid) {
  std::string text = hexDigits({reinterpret_cast<const char*>(uuid.bytes), sizeof uuid.bytes});
  for (const std::size_t dash : {20, 16, 12, 8}) text.insert(dash, 1, '-');
  return "GPU-" + text;
}

using namespace cuda;
using DriverPtr = std::shared_ptr<const Driver>;

constexpr uint64_t kSharedWithoutAsking =
    48 * 1024; ///< from this size on, dynamic shared memory must be requested (core/formats/host-abi.md 4.1)
constexpr std::size_t kLogBytes = 16'384;
/// Alignment of a tensor map descriptor (CUtensorMap).
constexpr uint64_t kTensorMapAlignment = 64;

/// After these errors the context is unusable and the process has to end: core/formats/host-abi.md 4.1.
bool isFault(Status status) {
  return status == kIllegalAddress || status == kLaunchTimeout || status == kAssert ||
         (status >= kHardwareStack && status <= kLaunchFailed);
}

/// A loaded module; its bytes are kept because they identify it.
struct LoadedModule {
  Bytes image;
  Module module = nullptr;
  std::string log;
  std::string compiler; ///< for CUDA C, otherwise empty
  Address barrier = 0;  ///< __tvm_global_barrier_state; 0 if there is none
};

class CudaKernel final : public Kernel {
public:
  std::string name;
  std::vector<KernelParameter> parameters;
  Function function = nullptr;
  const LoadedModule* module = nullptr;
  uint64_t maxThreads = 0, staticShared = 0, dynamicLimit = 0;
  std::vector<std::pair<std::string, std::string>> known;

  std::vector<std::pair<std::string, std::string>> facts() const override { return known; }
};

class CudaBackend final : public Backend {
public:
  static Result<std::unique_ptr<Backend>> open(const BackendOptions& options);
  ~CudaBackend() override;

  DeviceInfo info() const override { return m_info; }
  int deviceType() const override { return 2; }
  Result<Buffer> allocate(uint64_t bytes, std::string tensor) override;
  Result<Done> release(const Buffer& buffer) override;
  Result<Done> write(const Buffer& buffer, std::span<const std::byte> bytes) override;
  Result<Done> read(const Buffer& buffer, std::span<std::byte> bytes) override;
  Result<std::pair<uint64_t, uint64_t>> overrun(const Buffer& buffer) override;
  Result<std::unique_ptr<Kernel>> load(const KernelSource& source) override;
  Result<std::size_t> launch(Kernel& kernel, const Launch& launch, bool timed) override;
  Result<Done> synchronise() override;
  Result<std::vector<double>> times() override;

private:
  struct Memory {
    uint64_t bytes = 0;
    Address base = 0; ///< of the red zone before it
  };

  explicit CudaBackend(DriverPtr driver) : m_driver(std::move(driver)) {}

  /// Returns RUN-FAULT or RUN-CALL for a call that returned `status`.
  Error failed(const char* call, Status status, std::string more = {});
  Result<Done> checkCall(const char* call, Status status) {
    if (status == kSuccess) return Done{};
    return failed(call, status);
  }
  uint64_t attribute(int number) const;
  Result<LoadedModule*> loadModule(const KernelSource& source);
  Result<Done> checkLaunch(const CudaKernel& kernel, const Launch& launch) const;
  Status submit(const CudaKernel& kernel, const Launch& launch, void** arguments, const char*& call);
  Result<Event> event();

  DriverPtr m_driver;
  Device m_device = 0;
  Context m_context = nullptr;
  Stream m_stream = nullptr;
  DeviceInfo m_info;
  Target m_target;
  std::array<uint64_t, 3> m_maxBlock{}, m_maxGrid{};
  uint64_t m_maxThreads = 0, m_sharedLimit = 0;
  Records<Memory> m_memory;
  std::vector<std::unique_ptr<LoadedModule>> m_modules;
  std::optional<Nvrtc> m_nvrtc;
  std::vector<std::pair<Event, Event>> m_timed; ///< since the last times()
  std::vector<std::string> m_pending;           ///< names of the kernels launched since the last synchronise()
  bool m_faulted = false;
};

// --- devices

uint64_t attributeOf(const Driver& driver, Device device, int number) {
  int value = 0;
  return driver.cuDeviceGetAttribute(&value, number, device) == kSuccess && value > 0 ? static_cast<uint64_t>(value)
                                                                                      : 0;
}

std::string versionText(int version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

Result<DeviceInfo> readDevice(const Driver& driver, int index) {
  Device device = 0;
  if (const Status status = driver.cuDeviceGet(&device, index); status != kSuccess)
    return driver.error("cuDeviceGet", status);
  DeviceInfo info;
  info.kind = "cuda";
  info.index = index;
  info.driver = "CUDA " + versionText(driver.version);
  char name[256] = {};
  if (driver.cuDeviceGetName(name, sizeof name - 1, device) == kSuccess) info.name = escaped(name);
  std::size_t memory = 0;
  if (driver.cuDeviceTotalMem_v2(&memory, device) == kSuccess) info.memoryBytes = memory;
  const auto number = [&](int attribute) { return attributeOf(driver, device, attribute); };
  const auto fact = [&](const char* label, std::string value) { info.facts.emplace_back(label, std::move(value)); };
  fact("compute capability", std::to_string(number(kMajor)) + '.' + std::to_string(number(kMinor)));
  fact("multiprocessors", std::to_string(number(kMultiprocessors)));
  fact("largest block", groupedText(number(kMaxThreads)) + " threads");
  fact("shared memory per block",
       sizeText(number(kSharedBytes)) + ", " + sizeText(number(kSharedOptIn)) + " on request");
  fact("L2 cache", sizeText(number(kL2Bytes)));
  fact("clock", std::to_string(number(kClockKHz) / 1000) + " MHz, memory " +
                    std::to_string(number(kMemoryClockKHz) / 1000) + " MHz");
  fact("cooperative launch", number(kCooperative) ? "yes" : "no");
  fact("clusters", number(kClusters) ? "yes" : "no");
  fact("time limit of a kernel", number(kExecutionTimeout) ? "yes, a display is attached" : "none");
  Uuid uuid;
  if (driver.cuDeviceGetUuid_v2 && driver.cuDeviceGetUuid_v2(&uuid, device) == kSuccess) fact("UUID", uuidText(uuid));
  info.limits = {{"shared bytes", std::max(number(kSharedBytes), number(kSharedOptIn))},
                 {"threads", number(kMaxThreads)}};
  return info;
}

Result<int> countDevices(const Driver& driver) {
  int count = 0;
  const Status status = driver.cuDeviceGetCount(&count);
  if (status == kNoDevice || (status == kSuccess && count <= 0))
    return Error(DiagnosticId::RunNoDevice, {arg("kind", "CUDA"), arg("reason", "the driver reports no device")});
  if (status != kSuccess) return driver.error("cuDeviceGetCount", status);
  return count;
}

Result<std::unique_ptr<Backend>> CudaBackend::open(const BackendOptions& options) {
  BLOBSCOPE_TRY(driver, openDriver(options.driverPath));
  BLOBSCOPE_TRY(count, countDevices(*driver));
  if (options.device < 0 || options.device >= count)
    return Error(
        DiagnosticId::RunNoDevice,
        {arg("kind", "CUDA"),
         arg("reason", "device " + std::to_string(options.device) +
                           " was requested (counted from 0), but the number of devices is " + std::to_string(count))});
  BLOBSCOPE_TRY(info, readDevice(*driver, options.device));
  std::unique_ptr<CudaBackend> made(new CudaBackend(driver));
  made->m_info = std::move(info);
  BLOBSCOPE_CHECK(made->checkCall("cuDeviceGet", driver->cuDeviceGet(&made->m_device, options.device)));
  made->m_target = {static_cast<uint32_t>(made->attribute(kMajor) * 10 + made->attribute(kMinor)), driver->version,
                    made->m_info.name};
  for (int axis = 0; axis < 3; ++axis) {
    made->m_maxBlock[static_cast<std::size_t>(axis)] = made->attribute(kMaxBlockX + axis);
    made->m_maxGrid[static_cast<std::size_t>(axis)] = made->attribute(kMaxGridX + axis);
  }
  made->m_maxThreads = made->attribute(kMaxThreads);
  made->m_sharedLimit = std::max(made->attribute(kSharedOptIn), made->attribute(kSharedBytes));
  BLOBSCOPE_CHECK(
      made->checkCall("cuDevicePrimaryCtxRetain", driver->cuDevicePrimaryCtxRetain(&made->m_context, made->m_device)));
  BLOBSCOPE_CHECK(made->checkCall("cuCtxSetCurrent", driver->cuCtxSetCurrent(made->m_context)));
  BLOBSCOPE_CHECK(made->checkCall("cuStreamCreate", driver->cuStreamCreate(&made->m_stream, 0)));
  return std::unique_ptr<Backend>(std::move(made));
}

CudaBackend::~CudaBackend() {
  // An unusable context returns the same error for every call, and some drivers hang in it: the process ends anyway.
  if (m_faulted) return;
  for (const auto& [begin, end] : m_timed) {
    m_driver->cuEventDestroy_v2(begin);
    m_driver->cuEventDestroy_v2(end);
  }
  for (const auto& module : m_modules) m_driver->cuModuleUnload(module->module);
  for (auto& [handle, memory] : m_memory) m_driver->cuMemFree_v2(memory.base);
  if (m_stream) m_driver->cuStreamDestroy_v2(m_stream);
  if (m_context) m_driver->cuDevicePrimaryCtxRelease_v2(m_device);
}

uint64_t CudaBackend::attribute(int number) const { return attributeOf(*m_driver, m_device, number); }

Error CudaBackend::failed(const char* call, Status status, std::string more) {
  if (!isFault(status)) return m_driver->error(call, status, std::move(more));
  m_faulted = true;
  return {DiagnosticId::RunFault,
          {arg("kernel", m_pending.empty() ? "(none)" : listText(m_pending)),
           arg("reason", m_driver->reason(status) + ", reported by " + call)}};
}

// --- memory

Result<Buffer> CudaBackend::allocate(uint64_t bytes, std::string tensor) {
  std::size_t available = 0, total = 0;
  BLOBSCOPE_CHECK(checkCall("cuMemGetInfo_v2", m_driver->cuMemGetInfo_v2(&available, &total)));
  if (bytes > total) return memoryError(bytes, available);
  Memory memory{bytes, 0};
  const Status status = m_driver->cuMemAlloc_v2(&memory.base, bytes + 2 * kRedZoneBytes);
  if (status == kOutOfMemory) return memoryError(bytes, available);
  BLOBSCOPE_CHECK(checkCall("cuMemAlloc_v2", status));
  const Address data = memory.base + kRedZoneBytes;
  m_memory.add(data, memory);
  const auto pattern = std::to_integer<unsigned char>(kRedZoneByte);
  BLOBSCOPE_CHECK(checkCall("cuMemsetD8_v2", m_driver->cuMemsetD8_v2(memory.base, pattern, kRedZoneBytes)));
  BLOBSCOPE_CHECK(checkCall("cuMemsetD8_v2", m_driver->cuMemsetD8_v2(data + bytes, pattern, kRedZoneBytes)));
  return Buffer{data, bytes, std::move(tensor)};
}

Result<Done> CudaBackend::release(const Buffer& buffer) {
  const Memory* const memory = m_memory.at(buffer.data);
  if (!memory) return Done{};
  BLOBSCOPE_CHECK(synchronise());
  const Address base = memory->base;
  m_memory.remove(buffer.data);
  return checkCall("cuMemFree_v2", m_driver->cuMemFree_v2(base));
}

Result<Done> CudaBackend::write(const Buffer& buffer, std::span<const std::byte> bytes) {
  if (!m_memory.at(buffer.data)) return argumentError(buffer.tensor, 0, "it is not a tensor of this device");
  BLOBSCOPE_CHECK(synchronise());
  const uint64_t size = std::min<uint64_t>(bytes.size(), buffer.bytes);
  if (size == 0) return Done{};
  return checkCall("cuMemcpyHtoD_v2", m_driver->cuMemcpyHtoD_v2(buffer.data, bytes.data(), size));
}

Result<Done> CudaBackend::read(const Buffer& buffer, std::span<std::byte> bytes) {
  if (!m_memory.at(buffer.data)) return argumentError(buffer.tensor, 0, "it is not a tensor of this device");
  BLOBSCOPE_CHECK(synchronise());
  const uint64_t size = std::min<uint64_t>(bytes.size(), buffer.bytes);
  if (size == 0) return Done{};
  return checkCall("cuMemcpyDtoH_v2", m_driver->cuMemcpyDtoH_v2(bytes.data(), buffer.data, size));
}

Result<std::pair<uint64_t, uint64_t>> CudaBackend::overrun(const Buffer& buffer) {
  if (!m_memory.at(buffer.data)) return argumentError(buffer.tensor, 0, "it is not a tensor of this device");
  BLOBSCOPE_CHECK(synchronise());
  std::array<std::byte, kRedZoneBytes> zone{};
  std::pair<uint64_t, uint64_t> found;
  BLOBSCOPE_CHECK(
      checkCall("cuMemcpyDtoH_v2", m_driver->cuMemcpyDtoH_v2(zone.data(), buffer.data - kRedZoneBytes, zone.size())));
  found.first = overwritten(zone);
  BLOBSCOPE_CHECK(
      checkCall("cuMemcpyDtoH_v2", m_driver->cuMemcpyDtoH_v2(zone.data(), buffer.data + buffer.bytes, zone.size())));
  found.second = overwritten(zone);
  return found;
}

// --- kernels

Result<LoadedModule*> CudaBackend::loadModule(const KernelSource& source) {
  for (const auto& module : m_modules)
    if (module->image.data() == source.image.data() && module->image.size() == source.image.size()) return module.get();

  // --- 1. The input of the driver: the image as stored, or the compiled source. ---
  auto loaded = std::make_unique<LoadedModule>();
  loaded->image = source.image;
  Bytes image = source.image;
  if (isCudaSource(image, source.format)) {
    if (!m_nvrtc) {
      BLOBSCOPE_TRY(nvrtc, Nvrtc::open(NvrtcSearch::fromEnvironment()));
      m_nvrtc = std::move(nvrtc);
    }
    BLOBSCOPE_TRY(compiled, m_nvrtc->compile(image.view(), source.name, m_target.sm));
    image = compiled.image;
    loaded->log = compiled.log;
    loaded->compiler = m_nvrtc->text();
  }
  BLOBSCOPE_CHECK(checkImage(image, source.name, m_target));

  // --- 2. Load it: PTX has to end with a zero, and the log of the driver's compiler is kept. ---
  const std::string text(image.view());
  std::string info(kLogBytes, '\0'), errors(kLogBytes, '\0');
  int options[] = {kJitInfoLog, kJitInfoBytes, kJitErrorLog, kJitErrorBytes};
  const auto number = [](std::size_t value) { return reinterpret_cast<void*>(value); };
  void* values[] = {info.data(), number(info.size() - 1), errors.data(), number(errors.size() - 1)};
  const Status status =
      m_driver->cuModuleLoadDataEx(&loaded->module, text.c_str(), std::size(options), options, values);
  const auto appendLog = [&](std::string_view log) {
    const std::string lines = logText(log);
    if (!lines.empty()) loaded->log += (loaded->log.empty() ? "" : "\n") + lines;
  };
  appendLog(info);
  const std::string errorLine = logLine(errors);
  switch (status) {
  case kSuccess: break;
  case kNoBinary:
  case kInvalidImage:
    return Error(DiagnosticId::RunImage,
                 {arg("name", source.name), arg("device", m_target.text()),
                  arg("images", "an image that the driver rejects (" + m_driver->reason(status) +
                                    (errorLine.empty() ? "" : "; " + errorLine) + ')'),
                  arg("target", "sm_" + std::to_string(m_target.sm))});
  case kInvalidPtx:
  case kPtxTooNew:
  case kNoJit:
    return Error(DiagnosticId::RunBuild,
                 {arg("kind", "driver's PTX"), arg("name", source.name),
                  arg("reason", m_driver->reason(status) + (errorLine.empty() ? "" : "; " + errorLine))});
  default: return failed("cuModuleLoadDataEx", status, errorLine);
  }
  // Releases up to 0.23 synchronise blocks through this word, which has to be zero at the start of a kernel
  // (core/formats/host-abi.md 3.2).
  std::size_t bytes = 0;
  if (m_driver->cuModuleGetGlobal_v2(&loaded->barrier, &bytes, loaded->module, "__tvm_global_barrier_state") !=
          kSuccess ||
      bytes < 4)
    loaded->barrier = 0;
  m_modules.push_back(std::move(loaded));
  return m_modules.back().get();
}

Result<std::unique_ptr<Kernel>> CudaBackend::load(const KernelSource& source) {
  BLOBSCOPE_TRY(module, loadModule(source));
  auto kernel = std::make_unique<CudaKernel>();
  kernel->name = source.name;
  kernel->parameters = source.parameters;
  kernel->module = module;
  const Status status = m_driver->cuModuleGetFunction(&kernel->function, module->module, source.name.c_str());
  if (status == kNotFound)
    return Error(DiagnosticId::RunImage,
                 {arg("name", source.name), arg("device", m_target.text()), arg("images", "no kernel with that name"),
                  arg("target", "sm_" + std::to_string(m_target.sm) + " with that kernel")});
  if (status != kSuccess) return failed("cuModuleGetFunction", status);

  // The table has to match the code; otherwise the kernel reads memory after the arguments.
  if (m_driver->cuFuncGetParamInfo) {
    std::size_t offset = 0, size = 0;
    for (std::size_t i = 0; i < source.parameters.size(); ++i)
      if (const Status known = m_driver->cuFuncGetParamInfo(kernel->function, i, &offset, &size);
          known == kInvalidValue)
        return argumentError(source.name, i, "the table contains it, but the kernel does not have it");
      else if (known != kSuccess)
        break;
      else if (const KernelParameter& parameter = source.parameters[i];
               size != (parameter.isTensorMap ? 128
                        : parameter.isPointer ? 8
                                              : parameter.bits / 8))
        return argumentError(source.name, i,
                             "the kernel takes " + std::to_string(size) + " bytes, but the table has another size");
    if (m_driver->cuFuncGetParamInfo(kernel->function, source.parameters.size(), &offset, &size) == kSuccess)
      return argumentError(source.name, source.parameters.size(),
                           "the kernel has it, but the table does not contain it");
  }

  const auto number = [&](int attribute) -> uint64_t {
    int value = 0;
    return m_driver->cuFuncGetAttribute(&value, attribute, kernel->function) == kSuccess && value > 0
               ? static_cast<uint64_t>(value)
               : 0;
  };
  kernel->maxThreads = number(kFunctionThreads);
  kernel->staticShared = number(kFunctionShared);
  const auto fact = [&](const char* label, std::string value) { kernel->known.emplace_back(label, std::move(value)); };
  fact("registers", std::to_string(number(kFunctionRegisters)));
  fact("static shared memory", sizeText(kernel->staticShared));
  fact("constant memory", sizeText(number(kFunctionConstant)));
  fact("local memory per thread", sizeText(number(kFunctionLocal)));
  fact("largest block", groupedText(kernel->maxThreads) + " threads");
  fact("code for", "sm_" + std::to_string(number(kFunctionBinary)));
  if (!module->compiler.empty()) fact("compiler", module->compiler);
  if (!module->log.empty()) fact("compile log", module->log);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Result<Done> CudaBackend::checkLaunch(const CudaKernel& kernel, const Launch& launch) const {
  BLOBSCOPE_CHECK(checkArguments(kernel.name, kernel.parameters, launch));
  const std::string device = m_target.text();
  if (auto error = extentError("grid", launch.grid, m_maxGrid, device)) return std::move(*error);
  if (auto error = extentError("block", launch.block, m_maxBlock, device)) return std::move(*error);
  if (auto error = extentError("cluster", launch.cluster, m_maxGrid, device)) return std::move(*error);
  const uint64_t threads = productOf(launch.block);
  if (threads > m_maxThreads)
    return limitError("the block of '" + kernel.name + '\'', groupedText(threads) + " threads",
                      groupedText(m_maxThreads), device);
  if (kernel.maxThreads != 0 && threads > kernel.maxThreads)
    return limitError("the block of '" + kernel.name + '\'', groupedText(threads) + " threads",
                      groupedText(kernel.maxThreads), "its compiled code");
  if (launch.dynamicShared > m_sharedLimit || kernel.staticShared > m_sharedLimit - launch.dynamicShared)
    return limitError("the shared memory of '" + kernel.name + '\'',
                      sizeText(launch.dynamicShared) + " in addition to " + sizeText(kernel.staticShared),
                      sizeText(m_sharedLimit), device);
  const auto lacks = [&](const char* what) {
    return Error(DiagnosticId::RunFeature, {arg("device", device), arg("name", kernel.name), arg("features", what)});
  };
  if (productOf(launch.cluster) > 1 && attribute(kClusters) == 0) return lacks("clusters of blocks");
  if (launch.cooperative && attribute(kCooperative) == 0) return lacks("cooperative launches");
  return Done{};
}

Status CudaBackend::submit(const CudaKernel& kernel, const Launch& launch, void** arguments, const char*& call) {
  const auto grid = [&](std::size_t axis) { return static_cast<uint32_t>(launch.grid[axis]); };
  const auto block = [&](std::size_t axis) { return static_cast<uint32_t>(launch.block[axis]); };
  const auto shared = static_cast<uint32_t>(launch.dynamicShared);
  const bool clusters = productOf(launch.cluster) > 1;
  if (!clusters && !launch.programmatic && !launch.cooperative) {
    call = "cuLaunchKernel";
    return m_driver->cuLaunchKernel(kernel.function, grid(0), grid(1), grid(2), block(0), block(1), block(2), shared,
                                    m_stream, arguments, nullptr);
  }
  if (!m_driver->cuLaunchKernelEx) {
    call = "cuLaunchCooperativeKernel";
    return m_driver->cuLaunchCooperativeKernel(kernel.function, grid(0), grid(1), grid(2), block(0), block(1), block(2),
                                               shared, m_stream, arguments);
  }
  call = "cuLaunchKernelEx";
  std::array<LaunchAttribute, 3> attributes{};
  LaunchConfig config;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    config.grid[axis] = grid(axis);
    config.block[axis] = block(axis);
  }
  config.sharedBytes = shared;
  config.stream = m_stream;
  config.attributes = attributes.data();
  if (clusters) {
    LaunchAttribute& attribute = attributes[config.attributeCount++];
    attribute.id = kAttributeCluster;
    for (std::size_t axis = 0; axis < 3; ++axis)
      attribute.value.extents[axis] = static_cast<uint32_t>(launch.cluster[axis]);
  }
  const auto flag = [&](uint32_t id) {
    LaunchAttribute& attribute = attributes[config.attributeCount++];
    attribute.id = id;
    attribute.value.flag = 1;
  };
  if (launch.programmatic) flag(kAttributeProgrammatic);
  if (launch.cooperative) flag(kAttributeCooperative);
  return m_driver->cuLaunchKernelEx(&config, kernel.function, arguments, nullptr);
}

Result<Event> CudaBackend::event() {
  Event made = nullptr;
  BLOBSCOPE_CHECK(checkCall("cuEventCreate", m_driver->cuEventCreate(&made, 0)));
  return made;
}

Result<std::size_t> CudaBackend::launch(Kernel& base, const Launch& launch, bool timed) {
  auto& kernel = static_cast<CudaKernel&>(base);
  // --- 1. Checks. ---
  BLOBSCOPE_CHECK(checkLaunch(kernel, launch));
  const bool needsAttributes = productOf(launch.cluster) > 1 || launch.programmatic;
  if (!m_driver->cuLaunchKernelEx && (needsAttributes || (launch.cooperative && !m_driver->cuLaunchCooperativeKernel)))
    return Error(DiagnosticId::RunDriverSymbol,
                 {arg("kind", "CUDA"), {"path", shownPath(m_driver->path)}, arg("name", "cuLaunchKernelEx")});

  // --- 2. The arguments: a pointer to each value; a descriptor is passed by its own address. ---
  std::vector<uint64_t> values(launch.arguments);
  std::vector<void*> arguments;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!kernel.parameters[i].isTensorMap) {
      arguments.push_back(&values[i]);
      continue;
    }
    if (values[i] == 0 || values[i] % kTensorMapAlignment != 0)
      return argumentError(
          kernel.name, i, "it is a tensor map at " + hexText(values[i]) + ", which is null or not aligned to 64 bytes");
    arguments.push_back(reinterpret_cast<void*>(static_cast<uintptr_t>(values[i])));
  }

  // --- 3. Settings before the launch. ---
  if (launch.dynamicShared >= kSharedWithoutAsking && launch.dynamicShared > kernel.dynamicLimit) {
    BLOBSCOPE_CHECK(
        checkCall("cuFuncSetAttribute", m_driver->cuFuncSetAttribute(kernel.function, kFunctionDynamicShared,
                                                                     static_cast<int>(launch.dynamicShared))));
    kernel.dynamicLimit = launch.dynamicShared;
  }
  if (kernel.module->barrier != 0) {
    BLOBSCOPE_CHECK(synchronise());
    BLOBSCOPE_CHECK(checkCall("cuMemsetD32_v2", m_driver->cuMemsetD32_v2(kernel.module->barrier, 0, 1)));
  }

  // --- 4. The launch. ---
  m_pending.push_back(kernel.name);
  if (timed) {
    BLOBSCOPE_TRY(begin, event());
    BLOBSCOPE_TRY(end, event());
    m_timed.emplace_back(begin, end);
    BLOBSCOPE_CHECK(checkCall("cuEventRecord", m_driver->cuEventRecord(begin, m_stream)));
  }
  const char* call = "";
  const Status status = submit(kernel, launch, arguments.data(), call);
  if (status == kInvalidValue || status == kOutOfResources)
    return failed(call, status,
                  "grid " + extentsText(launch.grid) + ", block " + extentsText(launch.block) + ", " +
                      sizeText(launch.dynamicShared) + " of dynamic shared memory; the device has " +
                      groupedText(m_maxThreads) + " threads a block and " + sizeText(m_sharedLimit));
  BLOBSCOPE_CHECK(checkCall(call, status));
  if (timed) BLOBSCOPE_CHECK(checkCall("cuEventRecord", m_driver->cuEventRecord(m_timed.back().second, m_stream)));
  return timed ? m_timed.size() - 1 : m_timed.size();
}

Result<Done> CudaBackend::synchronise() {
  if (m_faulted) return failed("cuStreamSynchronize", kLaunchFailed);
  if (m_pending.empty()) return Done{};
  BLOBSCOPE_CHECK(checkCall("cuStreamSynchronize", m_driver->cuStreamSynchronize(m_stream)));
  m_pending.clear();
  return Done{};
}

Result<std::vector<double>> CudaBackend::times() {
  std::vector<double> out;
  Status status = kSuccess;
  for (const auto& [begin, end] : std::exchange(m_timed, {})) {
    float milliseconds = 0;
    if (status == kSuccess) status = m_driver->cuEventElapsedTime(&milliseconds, begin, end);
    out.push_back(static_cast<double>(milliseconds) * 1000);
    m_driver->cuEventDestroy_v2(begin);
    m_driver->cuEventDestroy_v2(end);
  }
  BLOBSCOPE_CHECK(checkCall("cuEventElapsedTime", status));
  return out;
}

} // namespace

Result<std::unique_ptr<Backend>> openCuda(const BackendOptions& options) { return CudaBackend::open(options); }

Result<std::vector<DeviceInfo>> listCuda(const BackendOptions& options) {
  BLOBSCOPE_TRY(driver, openDriver(options.driverPath));
  BLOBSCOPE_TRY(count, countDevices(*driver));
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < count; ++i) {
    BLOBSCOPE_TRY(info, readDevice(*driver, i));
    devices.push_back(std::move(info));
  }
  return devices;
}

} // namespace blobscope::runner
