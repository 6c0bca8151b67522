#include "app/runner/backends/host/memory.h"
#include "app/runner/backends/opencl/api.h"
#include "app/runner/backends/opencl/source.h"
#include "core/base/text.h"

#include <algorithm>
#include <utility>

namespace blobscope::runner {
namespace {

using namespace opencl;
using ApiPtr = std::shared_ptr<const Api>;

constexpr std::size_t kBuildLogBytes = std::size_t{1} << 20;

/// Converts between fp16 in memory and float32: part of the core of OpenCL C, so devices without fp16 have it too.
constexpr const char* kConversions = R"(
__kernel void blobscope_widen(__global const half* from, __global float* to) {
  const size_t i = get_global_id(0);
  to[i] = vload_half(i, from);
}
__kernel void blobscope_narrow(__global const float* from, __global half* to) {
  const size_t i = get_global_id(0);
  vstore_half_rte(from[i], i, to);
}
)";

/// Owns an OpenCL object and releases it.
template <class T, auto Release> class Owned {
public:
  Owned() = default;
  Owned(ApiPtr api, T handle) : m_api(std::move(api)), m_handle(handle) {}
  Owned(Owned&& other) noexcept : m_api(std::move(other.m_api)), m_handle(std::exchange(other.m_handle, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(m_api, other.m_api);
    std::swap(m_handle, other.m_handle);
    return *this;
  }
  ~Owned() {
    if (m_handle) ((*m_api).*Release)(m_handle);
  }
  T get() const { return m_handle; }
  explicit operator bool() const { return m_handle != nullptr; }

private:
  ApiPtr m_api;
  T m_handle = nullptr;
};
using Context = Owned<cl_context, &Api::clReleaseContext>;
using Queue = Owned<cl_command_queue, &Api::clReleaseCommandQueue>;
using Object = Owned<cl_mem, &Api::clReleaseMemObject>;
using Program = Owned<cl_program, &Api::clReleaseProgram>;
using KernelHandle = Owned<cl_kernel, &Api::clReleaseKernel>;
using EventHandle = Owned<cl_event, &Api::clReleaseEvent>;

/// Memory with a red zone on both sides.
struct Padded {
  uint64_t bytes = 0;
  Object whole; ///< red zone, bytes, red zone
};

struct Memory : Padded {
  std::optional<Padded> wide; ///< the same as float32, for kernels in widened mode
};

class OpenClKernel final : public Kernel {
public:
  std::vector<std::pair<std::string, std::string>> facts() const override { return known; }

  std::string name;
  std::vector<KernelParameter> parameters;
  std::vector<bool> half; ///< pointers to fp16 that are passed as float32; empty unless widened
  Program program;
  KernelHandle kernel;
  uint64_t largestGroup = 0, localBytes = 0;
  std::vector<std::pair<std::string, std::string>> known;
};

class OpenClBackend final : public Backend {
public:
  static Result<std::unique_ptr<Backend>> open(const BackendOptions& options);
  Result<CompilerOutput> check(std::string_view source, const std::string& options) const;

  DeviceInfo info() const override { return m_facts.info; }
  int deviceType() const override { return 4; }
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
  /// An argument that is a tensor or a part of one, for one launch.
  struct Bound {
    Memory* memory = nullptr;
    uint64_t offset = 0;
    bool wide = false;
  };

  OpenClBackend(ApiPtr api, DeviceFacts facts) : m_api(std::move(api)), m_facts(std::move(facts)) {}

  Error failed(const char* call, cl_int status) const;
  Result<Done> checkCall(const char* call, cl_int status) const {
    if (status == CL_SUCCESS) return Done{};
    return failed(call, status);
  }
  uint64_t zoneBytes() const { return (kRedZoneBytes + m_facts.alignment - 1) / m_facts.alignment * m_facts.alignment; }
  Result<Padded> makePadded(uint64_t bytes) const;
  Result<std::pair<uint64_t, uint64_t>> overwrittenOf(const Padded& memory) const;
  Result<Object> part(const Padded& memory, uint64_t offset) const;
  Result<Program> build(const KernelSource& source, std::string_view text, std::string& log) const;
  Error noKernel(const KernelSource& source) const;
  Result<std::string_view> textOf(const KernelSource& source, std::string& widened, OpenClKernel& kernel) const;
  Result<Done> makeKernel(const KernelSource& source, std::string_view text, std::string& log,
                          OpenClKernel& kernel) const;
  Result<Done> readNeeds(OpenClKernel& kernel) const;
  std::string buildLog(cl_program program) const;
  /// Builds a program with those options; its log, and whether it compiles.
  cl_int buildWith(const Program& program, const std::string& options, std::string& log) const;
  Result<std::vector<Bound>> boundArguments(const OpenClKernel& kernel, const Launch& launch);
  Result<Done> convert(bool widen, Memory& memory);
  Result<Done> enqueue(cl_kernel kernel, const Launch& launch, EventHandle* event) const;

  ApiPtr m_api;
  DeviceFacts m_facts;
  Context m_context;
  Queue m_queue;
  HandleSpace m_space;
  Records<Memory> m_memory;
  Program m_conversions;
  KernelHandle m_widen, m_narrow;
  std::vector<EventHandle> m_timed, m_untimed; ///< since the last times(), since the last synchronise()
  std::size_t m_finished = 0;                  ///< the launches of m_timed that are known to have ended
  std::vector<std::string> m_pending;
};

// --- the device

Result<std::unique_ptr<Backend>> OpenClBackend::open(const BackendOptions& options) {
  BLOBSCOPE_TRY(api, openApi(options.driverPath));
  BLOBSCOPE_TRY(devices, readDevices(*api));
  if (options.device < 0 || static_cast<std::size_t>(options.device) >= devices.size())
    return Error(
        DiagnosticId::RunNoDevice,
        {arg("kind", "OpenCL"), arg("reason", "device " + std::to_string(options.device) +
                                                  " was requested (counted from 0), but the number of devices is " +
                                                  std::to_string(devices.size()))});
  std::unique_ptr<OpenClBackend> made(new OpenClBackend(api, devices[static_cast<std::size_t>(options.device)]));
  const DeviceFacts& facts = made->m_facts;
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(facts.platform), 0};
  cl_int status = CL_SUCCESS;
  made->m_context = Context(api, api->clCreateContext(properties, 1, &facts.device, nullptr, nullptr, &status));
  BLOBSCOPE_CHECK(made->checkCall("clCreateContext", status));
  made->m_queue =
      Queue(api, api->clCreateCommandQueue(made->m_context.get(), facts.device, CL_QUEUE_PROFILING_ENABLE, &status));
  BLOBSCOPE_CHECK(made->checkCall("clCreateCommandQueue", status));
  return std::unique_ptr<Backend>(std::move(made));
}

/// Drivers report these errors of a kernel when its queue is waited for: NVIDIA's -5, -36; others -14, -9999.
Error OpenClBackend::failed(const char* call, cl_int status) const {
  constexpr cl_int kNvidiaIllegalAccess = -9999;
  const bool waits = std::string_view(call) == "clFinish" || std::string_view(call).starts_with("clEnqueueRead");
  if (waits && !m_pending.empty() &&
      (status == CL_OUT_OF_RESOURCES || status == CL_INVALID_COMMAND_QUEUE || status == kNvidiaIllegalAccess ||
       status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST))
    return {DiagnosticId::RunFault,
            {arg("kernel", listText(m_pending)),
             arg("reason", statusText(status) + " (" + std::to_string(status) + "), reported by " + call)}};
  return callError(call, status);
}

// --- memory

Result<Padded> OpenClBackend::makePadded(uint64_t bytes) const {
  const uint64_t zones = 2 * zoneBytes();
  if (bytes > UINT64_MAX - zones || bytes + zones > m_facts.info.memoryBytes)
    return memoryError(bytes, m_facts.info.memoryBytes);
  if (bytes + zones > m_facts.largestBuffer) return memoryError(bytes, m_facts.largestBuffer);
  cl_int status = CL_SUCCESS;
  Padded made;
  made.bytes = bytes;
  made.whole =
      Object(m_api, m_api->clCreateBuffer(m_context.get(), CL_MEM_READ_WRITE, bytes + zones, nullptr, &status));
  if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES || status == CL_OUT_OF_HOST_MEMORY)
    return memoryError(bytes, m_facts.info.memoryBytes);
  BLOBSCOPE_CHECK(checkCall("clCreateBuffer", status));
  const std::vector<std::byte> zone(zoneBytes(), kRedZoneByte);
  for (const uint64_t at : {uint64_t{0}, zoneBytes() + bytes})
    BLOBSCOPE_CHECK(
        checkCall("clEnqueueWriteBuffer", m_api->clEnqueueWriteBuffer(m_queue.get(), made.whole.get(), CL_TRUE, at,
                                                                      zone.size(), zone.data(), 0, nullptr, nullptr)));
  return made;
}

Result<Buffer> OpenClBackend::allocate(uint64_t bytes, std::string tensor) {
  BLOBSCOPE_TRY(made, makePadded(bytes));
  const auto number = m_space.take(bytes);
  if (!number) return memoryError(bytes, m_facts.info.memoryBytes);
  Memory memory;
  static_cast<Padded&>(memory) = std::move(made);
  m_memory.add(*number, std::move(memory));
  return Buffer{*number, bytes, std::move(tensor)};
}

Result<Done> OpenClBackend::release(const Buffer& buffer) {
  auto done = synchronise();
  m_memory.remove(buffer.data);
  return done;
}

Result<Done> OpenClBackend::write(const Buffer& buffer, std::span<const std::byte> bytes) {
  const Memory* const memory = m_memory.at(buffer.data);
  if (!memory) return argumentError(buffer.tensor, 0, "it is not a tensor of this device");
  BLOBSCOPE_CHECK(synchronise());
  const uint64_t size = std::min<uint64_t>(bytes.size(), memory->bytes);
  if (size == 0) return Done{};
  return checkCall("clEnqueueWriteBuffer",
                   m_api->clEnqueueWriteBuffer(m_queue.get(), memory->whole.get(), CL_TRUE, zoneBytes(), size,
                                               bytes.data(), 0, nullptr, nullptr));
}

Result<Done> OpenClBackend::read(const Buffer& buffer, std::span<std::byte> bytes) {
  const Memory* const memory = m_memory.at(buffer.data);
  if (!memory) return argumentError(buffer.tensor, 0, "it is not a tensor of this device");
  BLOBSCOPE_CHECK(synchronise());
  const uint64_t size = std::min<uint64_t>(bytes.size(), memory->bytes);
  if (size == 0) return Done{};
  return checkCall("clEnqueueReadBuffer",
                   m_api->clEnqueueReadBuffer(m_queue.get(), memory->whole.get(), CL_TRUE, zoneBytes(), size,
                                              bytes.data(), 0, nullptr, nullptr));
}

Result<std::pair<uint64_t, uint64_t>> OpenClBackend::overwrittenOf(const Padded& memory) const {
  std::vector<std::byte> zone(zoneBytes());
  std::array<uint64_t, 2> found{};
  for (const std::size_t side : {0, 1}) {
    const uint64_t at = side == 0 ? 0 : zoneBytes() + memory.bytes;
    BLOBSCOPE_CHECK(
        checkCall("clEnqueueReadBuffer", m_api->clEnqueueReadBuffer(m_queue.get(), memory.whole.get(), CL_TRUE, at,
                                                                    zone.size(), zone.data(), 0, nullptr, nullptr)));
    found[side] = overwritten(zone);
  }
  return std::pair(found[0], found[1]);
}

Result<std::pair<uint64_t, uint64_t>> OpenClBackend::overrun(const Buffer& buffer) {
  const Memory* const memory = m_memory.at(buffer.data);
  if (!memory) return argumentError(buffer.tensor, 0, "it is not a tensor of this device");
  BLOBSCOPE_CHECK(synchronise());
  BLOBSCOPE_TRY(found, overwrittenOf(*memory));
  if (memory->wide) {
    // Counted in float32; a kernel in fp16 would have written half of it.
    BLOBSCOPE_TRY(wide, overwrittenOf(*memory->wide));
    found.first += (wide.first + 1) / 2;
    found.second += (wide.second + 1) / 2;
  }
  return found;
}

/// From `offset` in the tensor to the end of its memory, so that writes into the red zone are not dropped.
Result<Object> OpenClBackend::part(const Padded& memory, uint64_t offset) const {
  const cl_buffer_region region{zoneBytes() + offset, memory.bytes - offset + zoneBytes()};
  cl_int status = CL_SUCCESS;
  Object made(m_api, m_api->clCreateSubBuffer(memory.whole.get(), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                              &region, &status));
  BLOBSCOPE_CHECK(checkCall("clCreateSubBuffer", status));
  return made;
}

// --- kernels

std::string OpenClBackend::buildLog(cl_program program) const {
  std::size_t size = 0;
  if (m_api->clGetProgramBuildInfo(program, m_facts.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS ||
      size > kBuildLogBytes)
    return {};
  std::string log(size, '\0');
  if (m_api->clGetProgramBuildInfo(program, m_facts.device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr) !=
      CL_SUCCESS)
    return {};
  return log.substr(0, log.find('\0'));
}

cl_int OpenClBackend::buildWith(const Program& program, const std::string& options, std::string& log) const {
  const cl_int status = m_api->clBuildProgram(program.get(), 1, &m_facts.device, options.c_str(), nullptr, nullptr);
  log = buildLog(program.get());
  return status;
}

Result<CompilerOutput> OpenClBackend::check(std::string_view source, const std::string& options) const {
  cl_int status = CL_SUCCESS;
  const char* data = source.data();
  const std::size_t size = source.size();
  const Program program(m_api, m_api->clCreateProgramWithSource(m_context.get(), 1, &data, &size, &status));
  BLOBSCOPE_CHECK(checkCall("clCreateProgramWithSource", status));
  CompilerOutput out;
  out.compiler = m_facts.info.name + (m_facts.info.driver.empty() ? "" : ", " + m_facts.info.driver);
  status = buildWith(program, options, out.log);
  if (status == CL_SUCCESS) out.image = Bytes::copyOf(source);
  if (status != CL_SUCCESS && status != CL_BUILD_PROGRAM_FAILURE) return failed("clBuildProgram", status);
  return out;
}

Result<Program> OpenClBackend::build(const KernelSource& source, std::string_view text, std::string& log) const {
  cl_int status = CL_SUCCESS;
  const char* data = text.data();
  const std::size_t size = text.size();
  Program program;
  if (source.format == "cl") {
    program = Program(m_api, m_api->clCreateProgramWithSource(m_context.get(), 1, &data, &size, &status));
    BLOBSCOPE_CHECK(checkCall("clCreateProgramWithSource", status));
  } else {
    const auto* binary = reinterpret_cast<const unsigned char*>(data);
    cl_int taken = CL_SUCCESS;
    program = Program(
        m_api, m_api->clCreateProgramWithBinary(m_context.get(), 1, &m_facts.device, &size, &binary, &taken, &status));
    if (status == CL_INVALID_BINARY || taken == CL_INVALID_BINARY)
      return Error(DiagnosticId::RunImage,
                   {arg("name", source.name), arg("device", m_facts.info.name), arg("target", "that device"),
                    arg("images", "a binary (format '" + source.format + "') that its driver does not accept")});
    BLOBSCOPE_CHECK(checkCall("clCreateProgramWithBinary", status));
  }
  status = buildWith(program, "", log);
  if (status == CL_SUCCESS) return program;
  const std::string line = logLine(log);
  return Error(DiagnosticId::RunBuild, {arg("kind", "OpenCL"), arg("name", source.name),
                                        arg("reason", line.empty() ? statusText(status) + " without a log" : line)});
}

Error OpenClBackend::noKernel(const KernelSource& source) const {
  return Error(DiagnosticId::RunImage,
               {arg("name", source.name), arg("device", m_facts.info.name), arg("images", "no kernel with that name"),
                arg("target", "OpenCL with that kernel")});
}

/// Returns the text of this kernel alone, converted to float32 in `widened` if the device lacks fp16; a binary
/// unchanged.
Result<std::string_view> OpenClBackend::textOf(const KernelSource& source, std::string& widened,
                                               OpenClKernel& kernel) const {
  const std::string_view all = source.image.view();
  if (source.format != "cl") return all;
  const auto block = kernelSource(all, source.name);
  const auto declared = block ? sourceParameters(*block, source.name) : std::nullopt;
  if (!block || !declared) return noKernel(source);
  for (std::size_t i = 0; i < declared->size(); ++i)
    if (!(*declared)[i].image.empty())
      return argumentError(source.name, i,
                           "it is an image (" + (*declared)[i].image + "), and test runs only support buffers");
  if (!source.widenHalf || m_facts.half || !usesHalf(*block)) return *block;
  std::string reason;
  auto made = widenedSource(*block, reason);
  if (!made)
    return Error(DiagnosticId::RunBuild, {arg("kind", "OpenCL"), arg("name", source.name), arg("reason", reason)});
  for (const SourceParameter& parameter : *declared) kernel.half.push_back(parameter.isPointer && parameter.isHalf);
  kernel.half.resize(source.parameters.size(), false);
  kernel.known.emplace_back("precision", std::string(kWidenedLabel));
  widened = std::move(*made);
  return std::string_view(widened);
}

/// Builds the kernel and compares it with the table.
Result<Done> OpenClBackend::makeKernel(const KernelSource& source, std::string_view text, std::string& log,
                                       OpenClKernel& kernel) const {
  BLOBSCOPE_TRY(program, build(source, text, log));
  kernel.program = std::move(program);
  cl_int status = CL_SUCCESS;
  kernel.kernel = KernelHandle(m_api, m_api->clCreateKernel(kernel.program.get(), source.name.c_str(), &status));
  if (status == CL_INVALID_KERNEL_NAME) return noKernel(source);
  BLOBSCOPE_CHECK(checkCall("clCreateKernel", status));
  cl_uint count = 0;
  BLOBSCOPE_CHECK(checkCall("clGetKernelInfo", m_api->clGetKernelInfo(kernel.kernel.get(), CL_KERNEL_NUM_ARGS,
                                                                      sizeof count, &count, nullptr)));
  if (count != source.parameters.size())
    return argumentError(source.name, std::min<std::size_t>(count, source.parameters.size()),
                         "the kernel has " + std::to_string(count) + " parameters, but the table has " +
                             std::to_string(source.parameters.size()));
  return Done{};
}

/// Reads group size and local memory. Returns an error if the device has less.
Result<Done> OpenClBackend::readNeeds(OpenClKernel& kernel) const {
  std::size_t group = 0;
  if (m_api->clGetKernelWorkGroupInfo(kernel.kernel.get(), m_facts.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group,
                                      &group, nullptr) == CL_SUCCESS)
    kernel.largestGroup = group;
  cl_ulong local = 0;
  if (m_api->clGetKernelWorkGroupInfo(kernel.kernel.get(), m_facts.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local,
                                      &local, nullptr) == CL_SUCCESS)
    kernel.localBytes = local;
  if (kernel.localBytes > m_facts.localBytes)
    return limitError("the local memory of '" + kernel.name + '\'', sizeText(kernel.localBytes),
                      sizeText(m_facts.localBytes), m_facts.info.name);
  kernel.known.emplace_back("largest work group", groupedText(kernel.largestGroup) + " work items");
  kernel.known.emplace_back("local memory", sizeText(kernel.localBytes));
  return Done{};
}

Result<std::unique_ptr<Kernel>> OpenClBackend::load(const KernelSource& source) {
  auto kernel = std::make_unique<OpenClKernel>();
  kernel->name = source.name;
  kernel->parameters = source.parameters;
  for (std::size_t i = 0; i < source.parameters.size(); ++i)
    if (source.parameters[i].isTensorMap)
      return argumentError(source.name, i, "it is a tensor map, which only CUDA has");
  std::string widened, log;
  BLOBSCOPE_TRY(text, textOf(source, widened, *kernel));
  BLOBSCOPE_CHECK(makeKernel(source, text, log, *kernel));
  BLOBSCOPE_CHECK(readNeeds(*kernel));
  if (const std::string lines = logText(log); !lines.empty()) kernel->known.emplace_back("compile log", lines);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

// --- launches

/// Returns the tensor that each pointer is in; one entry per parameter, null for scalars and null pointers.
Result<std::vector<OpenClBackend::Bound>> OpenClBackend::boundArguments(const OpenClKernel& kernel,
                                                                        const Launch& launch) {
  std::vector<Bound> bound(kernel.parameters.size());
  for (std::size_t i = 0; i < bound.size(); ++i) {
    if (!kernel.parameters[i].isPointer || launch.arguments[i] == 0) continue;
    const auto [memory, offset] = m_memory.holding(launch.arguments[i]);
    if (!memory)
      return argumentError(kernel.name, i, hexText(launch.arguments[i]) + " is not in a tensor of this device");
    bound[i] = {memory, offset, i < kernel.half.size() && kernel.half[i]};
    const uint64_t place = bound[i].wide ? offset * 2 : offset;
    if (place % m_facts.alignment != 0 || (bound[i].wide && offset % 2 != 0))
      return argumentError(kernel.name, i,
                           "it begins " + std::to_string(offset) + " bytes into its tensor and this device needs " +
                               std::to_string(m_facts.alignment) + "s of bytes");
    for (std::size_t other = 0; other < i; ++other)
      if (bound[other].memory == memory && bound[other].wide != bound[i].wide)
        return argumentError(kernel.name, i,
                             "it is the tensor of argument " + std::to_string(other) +
                                 " with another type, which widening to float32 cannot keep apart");
  }
  return bound;
}

/// Converts a tensor to its float32 form, or back.
Result<Done> OpenClBackend::convert(bool widen, Memory& memory) {
  cl_int status = CL_SUCCESS;
  if (!m_widen) {
    KernelSource source;
    source.name = "fp16 to float32";
    source.format = "cl";
    std::string log;
    BLOBSCOPE_TRY(program, build(source, kConversions, log));
    m_conversions = std::move(program);
    m_widen = KernelHandle(m_api, m_api->clCreateKernel(m_conversions.get(), "blobscope_widen", &status));
    BLOBSCOPE_CHECK(checkCall("clCreateKernel", status));
    m_narrow = KernelHandle(m_api, m_api->clCreateKernel(m_conversions.get(), "blobscope_narrow", &status));
    BLOBSCOPE_CHECK(checkCall("clCreateKernel", status));
  }
  const uint64_t elements = memory.bytes / 2;
  if (!memory.wide) {
    if (elements > UINT64_MAX / 4) return memoryError(memory.bytes, m_facts.info.memoryBytes);
    BLOBSCOPE_TRY(wide, makePadded(elements * 4));
    memory.wide = std::move(wide);
  }
  if (elements == 0) return Done{};
  BLOBSCOPE_TRY(narrowPart, part(memory, 0));
  BLOBSCOPE_TRY(widePart, part(*memory.wide, 0));
  const cl_kernel kernel = widen ? m_widen.get() : m_narrow.get();
  const cl_mem from = widen ? narrowPart.get() : widePart.get(), to = widen ? widePart.get() : narrowPart.get();
  BLOBSCOPE_CHECK(checkCall("clSetKernelArg", m_api->clSetKernelArg(kernel, 0, sizeof from, &from)));
  BLOBSCOPE_CHECK(checkCall("clSetKernelArg", m_api->clSetKernelArg(kernel, 1, sizeof to, &to)));
  const std::size_t global = elements;
  BLOBSCOPE_CHECK(
      checkCall("clEnqueueNDRangeKernel", m_api->clEnqueueNDRangeKernel(m_queue.get(), kernel, 1, nullptr, &global,
                                                                        nullptr, 0, nullptr, nullptr)));
  return checkCall("clFinish", m_api->clFinish(m_queue.get()));
}

Result<Done> OpenClBackend::enqueue(cl_kernel kernel, const Launch& launch, EventHandle* event) const {
  std::array<std::size_t, 3> global{}, local{};
  cl_uint dimensions = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    local[axis] = launch.block[axis];
    if (__builtin_mul_overflow(launch.grid[axis], launch.block[axis], &global[axis]))
      return limitError(std::string("the global size.") + "xyz"[axis], "above 2^64", "address space",
                        m_facts.info.name);
    if (global[axis] > 1) dimensions = static_cast<cl_uint>(axis + 1);
  }
  cl_event made = nullptr;
  const cl_int status = m_api->clEnqueueNDRangeKernel(m_queue.get(), kernel, dimensions, nullptr, global.data(),
                                                      local.data(), 0, nullptr, &made);
  *event = EventHandle(m_api, made);
  if (status == CL_SUCCESS) return Done{};
  return Error(DiagnosticId::RunCall,
               {arg("call", "clEnqueueNDRangeKernel"), arg("kind", "OpenCL"), arg("code", std::to_string(status)),
                arg("reason", statusText(status) + "; grid " + extentsText(launch.grid) + ", block " +
                                  extentsText(launch.block))});
}

Result<std::size_t> OpenClBackend::launch(Kernel& base, const Launch& launch, bool timed) {
  auto& kernel = static_cast<OpenClKernel&>(base);
  // --- 1. Checks. ---
  BLOBSCOPE_CHECK(checkArguments(kernel.name, kernel.parameters, launch));
  if (auto error = extentError("block", launch.block, m_facts.largestGroups, m_facts.info.name))
    return std::move(*error);
  const uint64_t items = productOf(launch.block);
  const uint64_t largest =
      kernel.largestGroup != 0 ? std::min(kernel.largestGroup, m_facts.largestGroup) : m_facts.largestGroup;
  if (items > largest)
    return limitError("the work group of '" + kernel.name + '\'', groupedText(items) + " work items",
                      groupedText(largest), m_facts.info.name);
  BLOBSCOPE_TRY(bound, boundArguments(kernel, launch));

  // --- 2. Arguments: a part of a tensor's memory, or the scalar's bytes (core/formats/host-abi.md 4.3). ---
  std::vector<Memory*> widened;
  for (const Bound& argument : bound)
    if (argument.wide && std::find(widened.begin(), widened.end(), argument.memory) == widened.end())
      widened.push_back(argument.memory);
  for (Memory* const memory : widened) BLOBSCOPE_CHECK(convert(true, *memory));
  std::vector<Object> parts;
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const auto index = static_cast<cl_uint>(i);
    const KernelParameter& parameter = kernel.parameters[i];
    cl_int status = CL_SUCCESS;
    if (!parameter.isPointer) {
      status = m_api->clSetKernelArg(kernel.kernel.get(), index, parameter.bits / 8, &launch.arguments[i]);
    } else if (bound[i].memory) {
      const Memory& memory = *bound[i].memory;
      BLOBSCOPE_TRY(made, bound[i].wide ? part(*memory.wide, bound[i].offset * 2) : part(memory, bound[i].offset));
      const cl_mem handle = made.get();
      parts.push_back(std::move(made));
      status = m_api->clSetKernelArg(kernel.kernel.get(), index, sizeof handle, &handle);
    } else {
      const cl_mem nothing = nullptr;
      status = m_api->clSetKernelArg(kernel.kernel.get(), index, sizeof nothing, &nothing);
    }
    if (status == CL_INVALID_ARG_SIZE || status == CL_INVALID_ARG_VALUE || status == CL_INVALID_MEM_OBJECT)
      return argumentError(kernel.name, i, statusText(status) + ": the kernel and its table disagree about it");
    BLOBSCOPE_CHECK(checkCall("clSetKernelArg", status));
  }

  // --- 3. The launch. OpenCL keeps the data that it reads until it has ended. ---
  m_pending.push_back(kernel.name);
  EventHandle event;
  BLOBSCOPE_CHECK(enqueue(kernel.kernel.get(), launch, &event));
  const std::size_t index = m_timed.size();
  (timed ? m_timed : m_untimed).push_back(std::move(event));
  if (!widened.empty()) {
    BLOBSCOPE_CHECK(synchronise());
    for (Memory* const memory : widened) BLOBSCOPE_CHECK(convert(false, *memory));
  }
  return index;
}

Result<Done> OpenClBackend::synchronise() {
  if (m_pending.empty()) return Done{};
  BLOBSCOPE_CHECK(checkCall("clFinish", m_api->clFinish(m_queue.get())));
  // A kernel that failed has a negative state; the queue itself may report success.
  const auto check = [&](const EventHandle& event) -> Result<Done> {
    cl_int state = CL_COMPLETE;
    BLOBSCOPE_CHECK(checkCall("clGetEventInfo", m_api->clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                                      sizeof state, &state, nullptr)));
    if (state >= 0) return Done{};
    return Error(DiagnosticId::RunFault,
                 {arg("kernel", listText(m_pending)),
                  arg("reason", statusText(state) + " (" + std::to_string(state) + ") is the state of its launch")});
  };
  for (const EventHandle& event : m_untimed) BLOBSCOPE_CHECK(check(event));
  for (; m_finished < m_timed.size(); ++m_finished) BLOBSCOPE_CHECK(check(m_timed[m_finished]));
  m_untimed.clear();
  m_pending.clear();
  return Done{};
}

Result<std::vector<double>> OpenClBackend::times() {
  std::vector<double> out;
  m_finished = 0;
  for (const EventHandle& event : std::exchange(m_timed, {})) {
    cl_ulong begin = 0, end = 0;
    BLOBSCOPE_CHECK(
        checkCall("clGetEventProfilingInfo", m_api->clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_START,
                                                                            sizeof begin, &begin, nullptr)));
    BLOBSCOPE_CHECK(
        checkCall("clGetEventProfilingInfo",
                  m_api->clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr)));
    out.push_back(static_cast<double>(end - begin) / 1000);
  }
  return out;
}

} // namespace

Result<std::unique_ptr<Backend>> openOpenCl(const BackendOptions& options) { return OpenClBackend::open(options); }

Result<CompilerOutput> checkOpenCl(const BackendOptions& options, std::string_view source,
                                   const std::vector<std::string>& flags) {
  std::string joined;
  for (const std::string& flag : flags) joined += (joined.empty() ? "" : " ") + flag;
  BLOBSCOPE_TRY(backend, OpenClBackend::open(options));
  return static_cast<const OpenClBackend&>(*backend).check(source, joined);
}

Result<std::vector<DeviceInfo>> listOpenCl(const BackendOptions& options) {
  BLOBSCOPE_TRY(api, openApi(options.driverPath));
  BLOBSCOPE_TRY(devices, readDevices(*api));
  std::vector<DeviceInfo> infos;
  for (DeviceFacts& facts : devices) infos.push_back(std::move(facts.info));
  return infos;
}

} // namespace blobscope::runner
