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

/// The helper process, the only program that loads foreign code and drivers.
namespace blobscope::runner {

/// What a driver reports about a device.
struct DeviceInfo {
  std::string kind; ///< "cuda", "vulkan", "opencl"
  int index = 0;
  std::string name;   ///< "NVIDIA H200", "llvmpipe (LLVM 15.0.6, 256 bits)"
  std::string driver; ///< "580.65.06", "Mesa 22.3.6"
  uint64_t memoryBytes = 0;
  bool isCpu = false; ///< software on the processor: its times do not represent a device
  std::vector<std::pair<std::string, std::string>> facts; ///< label, value: limits, features, capability
  std::vector<std::pair<std::string, uint64_t>> limits;   ///< as in protocol::DeviceFound
};

/// Device memory that contains a tensor. `data` is the value of DLTensor::data: the address for CUDA, otherwise a
/// handle of ours that is opaque to host code. Handles of different buffers are at least their size apart, so that a
/// pointer argument can be mapped back to the buffer and the offset in it.
struct Buffer {
  uint64_t data = 0;
  uint64_t bytes = 0;
  std::string tensor; ///< the tensor it belongs to, for messages
};

/// One parameter of a kernel in the order of FunctionInfo::arg_types.
struct KernelParameter {
  bool isPointer = false;
  uint32_t bits = 0;    ///< of scalars: 32 or 64
  bool isFloat = false; ///< of scalars
  bool isTensorMap = false;
};

/// A kernel of a module, as its table describes it.
struct KernelSource {
  std::string name;
  std::string format;          ///< "ptx", "cubin", "fatbin", "cuda"; "spirv"; "cl"
  Bytes image;                 ///< the module's data for CUDA and OpenCL, the kernel's SPIR-V for Vulkan
  bool uniformScalars = false; ///< Vulkan: scalars are in a uniform buffer (bit 0 of the shader's flag)
  bool widenHalf = false;      ///< OpenCL: fp16 is computed in float32 because the device does not support it
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

/// A kernel that is ready to launch.
class Kernel {
public:
  virtual ~Kernel() = default;
  /// Returns labels and values: registers, static shared memory, largest block, compile log.
  virtual std::vector<std::pair<std::string, std::string>> facts() const = 0;
};

/// One device of a driver that was found by dlopen. One thread. Errors are the RUN-… rows of the diagnostics table;
/// after RUN-FAULT the process must end.
class Backend {
public:
  virtual ~Backend() = default;
  virtual DeviceInfo info() const = 0;
  /// Returns DLPack's number: 2 CUDA, 4 OpenCL, 7 Vulkan.
  virtual int deviceType() const = 0;
  /// Allocates a buffer, with red zones around it where the device permits an offset. Errors: RUN-MEMORY, RUN-LIMIT.
  virtual Result<Buffer> allocate(uint64_t bytes, std::string tensor) = 0;
  virtual Result<Done> release(const Buffer& buffer) = 0;
  virtual Result<Done> write(const Buffer& buffer, std::span<const std::byte> bytes) = 0;
  virtual Result<Done> read(const Buffer& buffer, std::span<std::byte> bytes) = 0;
  /// Returns the bytes written before and after the buffer, counted in its red zones; 0 where there is no red zone.
  virtual Result<std::pair<uint64_t, uint64_t>> overrun(const Buffer& buffer) = 0;
  /// Checks the image against the device, compiles and loads it. Errors: RUN-IMAGE, RUN-BUILD, RUN-FEATURE, RUN-LIMIT.
  virtual Result<std::unique_ptr<Kernel>> load(const KernelSource& source) = 0;
  /// Queues a launch after checking its limits. `timed`: with device events around it. Returns its index in times().
  virtual Result<std::size_t> launch(Kernel& kernel, const Launch& launch, bool timed) = 0;
  /// Waits for everything queued. Error: RUN-FAULT.
  virtual Result<Done> synchronise() = 0;
  /// Returns the device times of the timed launches since the last call, in microseconds, in launch order; call it
  /// after synchronise().
  virtual Result<std::vector<double>> times() = 0;
};

/// What a compiler returned for one source.
struct CompilerOutput {
  std::string compiler; ///< "NVRTC 13.0"
  std::string log;
  std::optional<Bytes> image; ///< nothing when the source does not compile
};

/// How a driver is found.
struct BackendOptions {
  std::string driverPath; ///< empty: the system's default name
  int device = 0;
};

/// Errors: RUN-NO-DRIVER, RUN-DRIVER-SYMBOL, RUN-NO-DEVICE.
Result<std::unique_ptr<Backend>> openCuda(const BackendOptions& options);
Result<std::unique_ptr<Backend>> openVulkan(const BackendOptions& options);
Result<std::unique_ptr<Backend>> openOpenCl(const BackendOptions& options);
/// Compiles OpenCL C for the device; the image is the source. Errors: those of openOpenCl, RUN-DEVICE when the driver
/// fails for another reason than the source.
Result<CompilerOutput> checkOpenCl(const BackendOptions& options, std::string_view source,
                                   const std::vector<std::string>& flags);
/// Returns every device of the driver; the same errors.
Result<std::vector<DeviceInfo>> listCuda(const BackendOptions& options);
Result<std::vector<DeviceInfo>> listVulkan(const BackendOptions& options);
Result<std::vector<DeviceInfo>> listOpenCl(const BackendOptions& options);

} // namespace blobscope::runner
