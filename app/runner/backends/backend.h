#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The helper process that alone loads foreign code and drivers.
namespace blobscope::runner {

/// What a driver tells of a device.
struct DeviceInfo {
  std::string kind; ///< "cuda", "vulkan", "opencl"
  int index = 0;
  std::string name;   ///< "NVIDIA H200", "llvmpipe (LLVM 15.0.6, 256 bits)"
  std::string driver; ///< "580.65.06", "Mesa 22.3.6"
  uint64_t memoryBytes = 0;
  bool isCpu = false; ///< software on the processor: its times say nothing of a device
  std::vector<std::pair<std::string, std::string>> facts; ///< label, value: limits, features, capability
};

/// Memory of a device that a tensor lies in. `data` is what DLTensor::data holds: the address for CUDA, for the others
/// a handle of ours whose value is opaque to host code; handles of different buffers are at least their size apart, so
/// that a pointer argument is mapped back to the buffer and the offset in it.
struct Buffer {
  uint64_t data = 0;
  uint64_t bytes = 0;
  std::string tensor; ///< whose it is, for messages
};

/// One parameter of a kernel in the order of FunctionInfo::arg_types.
struct KernelParameter {
  bool isPointer = false;
  uint32_t bits = 0;    ///< of scalars: 32 or 64
  bool isFloat = false; ///< of scalars
  bool isTensorMap = false;
};

/// A kernel of a module and what its table says.
struct KernelSource {
  std::string name;
  std::string format;          ///< "ptx", "cubin", "fatbin", "cuda"; "spirv"; "cl"
  Bytes image;                 ///< of CUDA and OpenCL the module's data, of Vulkan the kernel's SPIR-V
  bool uniformScalars = false; ///< Vulkan: scalars lie in a uniform buffer (bit 0 of the shader's flag)
  bool widenHalf = false;      ///< OpenCL: fp16 computed in float32 because the device has none
  std::vector<KernelParameter> parameters;
};

/// One launch, decoded by the rules of core/formats/host-abi.md 3.3.
struct Launch {
  std::array<uint64_t, 3> grid = {1, 1, 1};
  std::array<uint64_t, 3> block = {1, 1, 1};
  std::array<uint64_t, 3> cluster = {1, 1, 1};
  uint64_t dynamicShared = 0; ///< bytes
  bool programmatic = false;  ///< programmatic dependent launch
  bool cooperative = false;
  std::vector<uint64_t>
      arguments; ///< one per parameter: Buffer::data plus offset, or the scalar's bits (float32 already narrowed)
};

/// A kernel that is ready to be launched.
class Kernel {
public:
  virtual ~Kernel() = default;
  /// Label and value: registers, static shared memory, largest block, compile log.
  virtual std::vector<std::pair<std::string, std::string>> facts() const = 0;
};

/// One device of one driver that was found by dlopen. One thread. Errors are rows RUN-… of the table of diagnostics;
/// after RUN-FAULT the process must end.
class Backend {
public:
  virtual ~Backend() = default;
  virtual DeviceInfo info() const = 0;
  /// DLPack's number: 2 CUDA, 4 OpenCL, 7 Vulkan.
  virtual int deviceType() const = 0;
  /// With red zones around it where the device permits an offset; RUN-MEMORY, RUN-LIMIT.
  virtual Result<Buffer> allocate(uint64_t bytes, std::string tensor) = 0;
  virtual Result<Done> release(const Buffer& buffer) = 0;
  virtual Result<Done> write(const Buffer& buffer, std::span<const std::byte> bytes) = 0;
  virtual Result<Done> read(const Buffer& buffer, std::span<std::byte> bytes) = 0;
  /// Bytes written outside the buffer, in front of and behind it, counted in its red zones. 0 where there is none.
  virtual Result<std::pair<uint64_t, uint64_t>> overrun(const Buffer& buffer) = 0;
  /// Checks the image against the device, compiles, loads. RUN-IMAGE, RUN-BUILD, RUN-FEATURE, RUN-LIMIT.
  virtual Result<std::unique_ptr<Kernel>> load(const KernelSource& source) = 0;
  /// Queues a launch; limits are checked before. `timed`: with device events around it. The index names it in times().
  virtual Result<std::size_t> launch(Kernel& kernel, const Launch& launch, bool timed) = 0;
  /// Waits for everything queued. RUN-FAULT.
  virtual Result<Done> synchronise() = 0;
  /// Device time of the timed launches since the last call, in microseconds, in launch order; call after synchronise().
  virtual Result<std::vector<double>> times() = 0;
};

/// How a driver is looked for.
struct BackendOptions {
  std::string driverPath; ///< empty: the system's name
  int device = 0;
};

/// RUN-NO-DRIVER, RUN-DRIVER-SYMBOL, RUN-NO-DEVICE.
Result<std::unique_ptr<Backend>> openCuda(const BackendOptions& options);
Result<std::unique_ptr<Backend>> openVulkan(const BackendOptions& options);
Result<std::unique_ptr<Backend>> openOpenCl(const BackendOptions& options);
/// Every device of the driver; the same errors.
Result<std::vector<DeviceInfo>> listCuda(const BackendOptions& options);
Result<std::vector<DeviceInfo>> listVulkan(const BackendOptions& options);
Result<std::vector<DeviceInfo>> listOpenCl(const BackendOptions& options);

} // namespace blobscope::runner
