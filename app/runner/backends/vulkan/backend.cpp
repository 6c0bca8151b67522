#include "app/runner/backends/host/memory.h"
#include "app/runner/backends/vulkan/device.h"
#include "core/base/text.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace blobscope::runner {
namespace {

using namespace vulkan;

/// Launches that are submitted to the device at a time: the number of descriptor sets and of pairs of timestamps.
constexpr uint32_t kBatch = 256;
/// Bytes that are copied at a time through memory that both sides can access.
constexpr uint64_t kStagingBytes = uint64_t{16} << 20;

class VulkanKernel final : public Kernel {
public:
  explicit VulkanKernel(std::shared_ptr<Device> owner) : device(std::move(owner)) {}
  VulkanKernel(const VulkanKernel&) = delete;
  VulkanKernel& operator=(const VulkanKernel&) = delete;
  ~VulkanKernel() override {
    device->call.vkDeviceWaitIdle(device->handle);
    const VkDevice handle = device->handle;
    device->freeBuffer(uniforms);
    if (pool) device->call.vkDestroyDescriptorPool(handle, pool, nullptr);
    if (pipeline) device->call.vkDestroyPipeline(handle, pipeline, nullptr);
    if (layout) device->call.vkDestroyPipelineLayout(handle, layout, nullptr);
    if (setLayout) device->call.vkDestroyDescriptorSetLayout(handle, setLayout, nullptr);
  }
  std::vector<std::pair<std::string, std::string>> facts() const override { return known; }

  std::shared_ptr<Device> device;
  std::string name;
  std::vector<KernelParameter> parameters;
  uint32_t buffers = 0;
  bool uniformScalars = false;
  std::optional<std::array<uint64_t, 3>> block; ///< block size that the code is compiled for
  ScalarLayout scalars;
  uint64_t uniformSlot = 0; ///< distance in bytes between the scalars of two launches in `uniforms`
  Memory uniforms;
  VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  uint64_t batch = 0; ///< batch to which the sets of `pool` belong
  uint32_t used = 0;  ///< sets and slots of that batch
  std::vector<std::pair<std::string, std::string>> known;
};

class VulkanBackend final : public Backend {
public:
  static Result<std::unique_ptr<Backend>> open(const BackendOptions& options);
  ~VulkanBackend() override;

  DeviceInfo info() const override { return m_device->facts.info; }
  int deviceType() const override { return 7; }
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
  explicit VulkanBackend(std::shared_ptr<Device> device) : m_device(std::move(device)) {}

  const DeviceFunctions& call() const { return m_device->call; }
  VkDevice handle() const { return m_device->handle; }
  Error failed(const char* name, VkResult result) const;
  Result<Done> checkCall(const char* name, VkResult result) const {
    if (result == VK_SUCCESS) return Done{};
    return failed(name, result);
  }
  Result<Done> begin();
  Result<Done> submit();
  Result<Done> copy(Memory& memory, uint64_t offset, std::byte* out, const std::byte* in, uint64_t bytes);
  Result<Done> checkShader(const KernelSource& source, const Shader& shader, uint32_t buffers,
                           const ScalarLayout& scalars) const;
  Result<Done> makePipeline(VulkanKernel& kernel, const KernelSource& source);
  Result<VkDescriptorSet> bind(VulkanKernel& kernel, const Launch& launch);

  std::shared_ptr<Device> m_device;
  VkQueue m_queue = VK_NULL_HANDLE;
  VkCommandPool m_pool = VK_NULL_HANDLE;
  VkCommandBuffer m_commands = VK_NULL_HANDLE;
  VkFence m_fence = VK_NULL_HANDLE;
  VkQueryPool m_queries = VK_NULL_HANDLE;
  VkPipelineCache m_cache = VK_NULL_HANDLE;
  Memory m_staging;
  bool m_stage = false; ///< tensors are in memory that only the device can access
  HandleSpace m_space;
  Records<Memory> m_memory;
  bool m_recording = false;
  uint64_t m_batch = 1;
  uint32_t m_launched = 0, m_timed = 0; ///< of this batch
  std::vector<std::string> m_pending;
  std::vector<double> m_times; ///< microseconds of batches that have ended
};

// --- the device

Result<std::unique_ptr<Backend>> VulkanBackend::open(const BackendOptions& options) {
  BLOBSCOPE_TRY(device, openDevice(options));
  std::unique_ptr<VulkanBackend> made(new VulkanBackend(device));
  const DeviceFunctions& call = device->call;
  // The variable lets tests use the code for devices with their own memory on a device without it.
  made->m_stage = !device->facts.integrated || std::getenv("BLOBSCOPE_VULKAN_STAGING") != nullptr;
  const VkDevice created = device->handle;
  call.vkGetDeviceQueue(created, device->facts.queueFamily, 0, &made->m_queue);
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = device->facts.queueFamily;
  BLOBSCOPE_CHECK(
      made->checkCall("vkCreateCommandPool", call.vkCreateCommandPool(created, &pool, nullptr, &made->m_pool)));
  VkCommandBufferAllocateInfo commands{};
  commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  commands.commandPool = made->m_pool;
  commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commands.commandBufferCount = 1;
  BLOBSCOPE_CHECK(made->checkCall("vkAllocateCommandBuffers",
                                  call.vkAllocateCommandBuffers(created, &commands, &made->m_commands)));
  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  BLOBSCOPE_CHECK(made->checkCall("vkCreateFence", call.vkCreateFence(created, &fence, nullptr, &made->m_fence)));
  VkPipelineCacheCreateInfo cache{};
  cache.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  BLOBSCOPE_CHECK(
      made->checkCall("vkCreatePipelineCache", call.vkCreatePipelineCache(created, &cache, nullptr, &made->m_cache)));
  if (device->facts.timestampBits != 0) {
    VkQueryPoolCreateInfo queries{};
    queries.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
    queries.queryCount = 2 * kBatch;
    BLOBSCOPE_CHECK(
        made->checkCall("vkCreateQueryPool", call.vkCreateQueryPool(created, &queries, nullptr, &made->m_queries)));
  }
  return std::unique_ptr<Backend>(std::move(made));
}

VulkanBackend::~VulkanBackend() {
  call().vkDeviceWaitIdle(handle());
  for (auto& [number, memory] : m_memory) m_device->freeBuffer(memory);
  m_device->freeBuffer(m_staging);
  if (m_queries) call().vkDestroyQueryPool(handle(), m_queries, nullptr);
  if (m_cache) call().vkDestroyPipelineCache(handle(), m_cache, nullptr);
  if (m_fence) call().vkDestroyFence(handle(), m_fence, nullptr);
  if (m_pool) call().vkDestroyCommandPool(handle(), m_pool, nullptr);
}

Error VulkanBackend::failed(const char* name, VkResult result) const {
  if (result != VK_ERROR_DEVICE_LOST) return callError(name, result);
  return {DiagnosticId::RunFault,
          {arg("kernel", m_pending.empty() ? "(none)" : listText(m_pending)),
           arg("reason", resultText(result) + ", reported by " + name)}};
}

// --- memory

Result<Buffer> VulkanBackend::allocate(uint64_t bytes, std::string tensor) {
  const uint64_t largest = m_device->facts.limits.maxStorageBufferRange;
  if (bytes > largest)
    return limitError("tensor '" + escaped(tensor) + '\'', sizeText(bytes), sizeText(largest) + " of a storage buffer",
                      m_device->facts.info.name);
  BLOBSCOPE_TRY(memory, m_device->makeBuffer(bytes + kRedZoneBytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, !m_stage));
  memory.bytes = bytes;
  const auto number = m_space.take(bytes);
  if (!number) {
    m_device->freeBuffer(memory);
    return memoryError(bytes, m_device->facts.info.memoryBytes);
  }
  Memory& kept = m_memory.add(*number, memory);
  const std::vector<std::byte> zone(kRedZoneBytes, kRedZoneByte);
  BLOBSCOPE_CHECK(copy(kept, bytes, nullptr, zone.data(), zone.size()));
  return Buffer{*number, bytes, std::move(tensor)};
}

Result<Done> VulkanBackend::release(const Buffer& buffer) {
  Memory* const memory = m_memory.at(buffer.data);
  if (!memory) return Done{};
  auto done = synchronise();
  m_device->freeBuffer(*memory);
  m_memory.remove(buffer.data);
  return done;
}

/// Copies between the tensor's memory and `out` or `in`, one of which is null; through the staging buffer if only the
/// device can access the memory.
Result<Done> VulkanBackend::copy(Memory& memory, uint64_t offset, std::byte* out, const std::byte* in, uint64_t bytes) {
  BLOBSCOPE_CHECK(synchronise());
  if (bytes == 0) return Done{};
  if (memory.mapped) {
    if (out)
      std::memcpy(out, memory.mapped + offset, bytes);
    else
      std::memcpy(memory.mapped + offset, in, bytes);
    return Done{};
  }
  if (!m_staging.buffer) {
    BLOBSCOPE_TRY(staging, m_device->makeBuffer(kStagingBytes, 0, true));
    m_staging = staging;
  }
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t size = std::min(bytes - done, kStagingBytes);
    if (in) std::memcpy(m_staging.mapped, in + done, size);
    BLOBSCOPE_CHECK(begin());
    const VkBufferCopy region{in ? 0 : offset + done, in ? offset + done : 0, size};
    call().vkCmdCopyBuffer(m_commands, in ? m_staging.buffer : memory.buffer, in ? memory.buffer : m_staging.buffer, 1,
                           &region);
    BLOBSCOPE_CHECK(submit());
    if (out) std::memcpy(out + done, m_staging.mapped, size);
    done += size;
  }
  return Done{};
}

Result<Done> VulkanBackend::write(const Buffer& buffer, std::span<const std::byte> bytes) {
  Memory* const memory = m_memory.at(buffer.data);
  if (!memory) return argumentError(buffer.tensor, 0, "it is not a tensor of this device");
  return copy(*memory, 0, nullptr, bytes.data(), std::min<uint64_t>(bytes.size(), memory->bytes));
}

Result<Done> VulkanBackend::read(const Buffer& buffer, std::span<std::byte> bytes) {
  Memory* const memory = m_memory.at(buffer.data);
  if (!memory) return argumentError(buffer.tensor, 0, "it is not a tensor of this device");
  return copy(*memory, 0, bytes.data(), nullptr, std::min<uint64_t>(bytes.size(), memory->bytes));
}

Result<std::pair<uint64_t, uint64_t>> VulkanBackend::overrun(const Buffer& buffer) {
  Memory* const memory = m_memory.at(buffer.data);
  if (!memory) return argumentError(buffer.tensor, 0, "it is not a tensor of this device");
  std::vector<std::byte> zone(kRedZoneBytes);
  BLOBSCOPE_CHECK(copy(*memory, memory->bytes, zone.data(), nullptr, zone.size()));
  return std::pair<uint64_t, uint64_t>(0, overwritten(zone));
}

// --- kernels

Result<Done> VulkanBackend::checkShader(const KernelSource& source, const Shader& shader, uint32_t buffers,
                                        const ScalarLayout& scalars) const {
  const DeviceFacts& facts = m_device->facts;
  const auto unfit = [&](const std::string& holds, const std::string& target) {
    return Error(DiagnosticId::RunImage, {arg("name", source.name), arg("device", facts.info.name),
                                          arg("images", holds), arg("target", target)});
  };
  // --- 1. The shader. ---
  if (!shader.damage.empty()) return unfit("damaged SPIR-V (" + shader.damage + ')', "Vulkan again");
  if (!shader.found)
    return unfit(shader.entryPoints.empty() ? "no compute shader" : "the entry points " + listText(shader.entryPoints),
                 "Vulkan with an entry point with that name");
  if (const auto lacking = lackingFeatures(shader, facts.support); !lacking.empty())
    return Error(DiagnosticId::RunFeature,
                 {arg("device", facts.info.name), arg("name", source.name), arg("features", listText(lacking))});

  // --- 2. Table and shader have to agree, since a driver may crash if a binding is missing. ---
  if (shader.otherSets) return unfit("a shader with more than one descriptor set", "Vulkan with one descriptor set");
  for (const auto& [binding, uniform] : shader.bindings) {
    const bool scalarBlock = uniform && source.uniformScalars && binding == buffers && scalars.bytes > 0;
    if (!scalarBlock && (uniform || binding >= buffers))
      return argumentError(source.name, binding,
                           "the shader has a " + std::string(uniform ? "uniform block" : "buffer") + " at binding " +
                               std::to_string(binding) + ", but the table has " + std::to_string(buffers) + " buffers");
  }
  uint64_t push = 0;
  for (const uint64_t offset : shader.pushOffsets.value_or(std::vector<uint64_t>{})) push = std::max(push, offset + 4);
  if (!source.uniformScalars && push > scalars.bytes)
    return argumentError(source.name, source.parameters.size(),
                         "the shader has push constants that the table does not contain");

  // --- 3. Limits. ---
  const VkPhysicalDeviceLimits& limits = facts.limits;
  const std::string& device = facts.info.name;
  const std::string of = " of '" + source.name + '\'';
  if (buffers > limits.maxPerStageDescriptorStorageBuffers || buffers > limits.maxDescriptorSetStorageBuffers)
    return limitError(
        "the number of buffers" + of, std::to_string(buffers),
        std::to_string(std::min(limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers)),
        device);
  const uint64_t scalarLimit = source.uniformScalars ? limits.maxUniformBufferRange : limits.maxPushConstantsSize;
  if (scalars.bytes > scalarLimit)
    return limitError("the size of the scalars" + of, sizeText(scalars.bytes),
                      sizeText(scalarLimit) + (source.uniformScalars ? " of a uniform buffer" : " of push constants"),
                      device);
  if (shader.localSize) {
    const std::array<uint64_t, 3> block = {(*shader.localSize)[0], (*shader.localSize)[1], (*shader.localSize)[2]};
    const auto& largest = limits.maxComputeWorkGroupSize;
    if (auto error = extentError("block", block, {largest[0], largest[1], largest[2]}, device))
      return std::move(*error);
    if (productOf(block) > limits.maxComputeWorkGroupInvocations)
      return limitError("the block" + of, groupedText(productOf(block)) + " invocations",
                        groupedText(limits.maxComputeWorkGroupInvocations), device);
  }
  if (shader.sharedBytes > limits.maxComputeSharedMemorySize)
    return limitError("the shared memory" + of, sizeText(shader.sharedBytes),
                      sizeText(limits.maxComputeSharedMemorySize), device);
  return Done{};
}

Result<std::unique_ptr<Kernel>> VulkanBackend::load(const KernelSource& source) {
  // --- 1. Its arguments: buffers first, then scalars (core/formats/host-abi.md 4.2). ---
  uint32_t buffers = 0;
  std::vector<uint32_t> bits;
  for (std::size_t i = 0; i < source.parameters.size(); ++i) {
    const KernelParameter& parameter = source.parameters[i];
    if (parameter.isTensorMap) return argumentError(source.name, i, "it is a tensor map, which only CUDA has");
    if (parameter.isPointer && !bits.empty()) return argumentError(source.name, i, "it is a buffer after a scalar");
    if (parameter.isPointer)
      ++buffers;
    else
      bits.push_back(parameter.bits);
  }
  const Shader shader = readShader(source.image, source.name);
  const ScalarLayout scalars = scalarLayout(shader, source.uniformScalars, bits);
  BLOBSCOPE_CHECK(checkShader(source, shader, buffers, scalars));

  // --- 2. The pipeline. ---
  auto kernel = std::make_unique<VulkanKernel>(m_device);
  kernel->name = source.name;
  kernel->parameters = source.parameters;
  kernel->buffers = buffers;
  kernel->uniformScalars = source.uniformScalars && scalars.bytes > 0;
  kernel->scalars = scalars;
  if (kernel->uniformScalars) {
    const uint64_t unit = std::max<uint64_t>(m_device->facts.limits.minUniformBufferOffsetAlignment, 8);
    kernel->uniformSlot = (scalars.bytes + unit - 1) / unit * unit;
    BLOBSCOPE_TRY(uniforms,
                  m_device->makeBuffer(kernel->uniformSlot * kBatch, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, true));
    kernel->uniforms = uniforms;
  }
  BLOBSCOPE_CHECK(makePipeline(*kernel, source));

  const auto fact = [&](const char* label, std::string value) { kernel->known.emplace_back(label, std::move(value)); };
  if (shader.localSize) {
    kernel->block = {(*shader.localSize)[0], (*shader.localSize)[1], (*shader.localSize)[2]};
    fact("block", extentsText(*kernel->block));
  }
  fact("shared memory", sizeText(shader.sharedBytes));
  fact("buffers", std::to_string(buffers));
  if (!bits.empty())
    fact("scalars", std::to_string(bits.size()) +
                        (kernel->uniformScalars ? " in a uniform buffer of " : " in push constants of ") +
                        sizeText(scalars.bytes));
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Result<Done> VulkanBackend::makePipeline(VulkanKernel& kernel, const KernelSource& source) {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (uint32_t i = 0; i < kernel.buffers + (kernel.uniformScalars ? 1 : 0); ++i)
    bindings.push_back({i, i < kernel.buffers ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                        1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = static_cast<uint32_t>(bindings.size());
  set.pBindings = bindings.data();
  BLOBSCOPE_CHECK(checkCall("vkCreateDescriptorSetLayout",
                            call().vkCreateDescriptorSetLayout(handle(), &set, nullptr, &kernel.setLayout)));
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<uint32_t>(kernel.scalars.bytes)};
  const bool pushes = !kernel.uniformScalars && kernel.scalars.bytes > 0;
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &kernel.setLayout;
  layout.pushConstantRangeCount = pushes ? 1 : 0;
  layout.pPushConstantRanges = &range;
  BLOBSCOPE_CHECK(
      checkCall("vkCreatePipelineLayout", call().vkCreatePipelineLayout(handle(), &layout, nullptr, &kernel.layout)));
  if (!bindings.empty()) {
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, std::max(kernel.buffers, 1u) * kBatch},
                                          {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kBatch}};
    VkDescriptorPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    pool.maxSets = kBatch;
    pool.poolSizeCount = 2;
    pool.pPoolSizes = sizes;
    BLOBSCOPE_CHECK(
        checkCall("vkCreateDescriptorPool", call().vkCreateDescriptorPool(handle(), &pool, nullptr, &kernel.pool)));
  }

  // The driver reads words, so the copy is aligned accordingly; reading the module has shown that it consists of whole
  // words.
  std::vector<uint32_t> words(source.image.size() / 4);
  std::memcpy(words.data(), source.image.data(), words.size() * 4);
  VkShaderModuleCreateInfo code{};
  code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  code.codeSize = words.size() * 4;
  code.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  const auto refused = [&](const char* name, VkResult result) {
    return Error(DiagnosticId::RunBuild, {arg("kind", "Vulkan"), arg("name", source.name),
                                          arg("reason", std::string(name) + " returned " + resultText(result))});
  };
  VkResult result = call().vkCreateShaderModule(handle(), &code, nullptr, &module);
  if (result != VK_SUCCESS) return refused("vkCreateShaderModule", result);
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = source.name.c_str();
  info.layout = kernel.layout;
  result = call().vkCreateComputePipelines(handle(), m_cache, 1, &info, nullptr, &kernel.pipeline);
  call().vkDestroyShaderModule(handle(), module, nullptr);
  if (result != VK_SUCCESS) return refused("vkCreateComputePipelines", result);
  return Done{};
}

// --- launches

Result<Done> VulkanBackend::begin() {
  if (m_recording) return Done{};
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  BLOBSCOPE_CHECK(checkCall("vkBeginCommandBuffer", call().vkBeginCommandBuffer(m_commands, &info)));
  if (m_queries) call().vkCmdResetQueryPool(m_commands, m_queries, 0, 2 * kBatch);
  m_recording = true;
  return Done{};
}

/// Submits the recorded commands and waits for them.
Result<Done> VulkanBackend::submit() {
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_MEMORY_READ_BIT;
  call().vkCmdPipelineBarrier(m_commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                              VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier, 0,
                              nullptr, 0, nullptr);
  m_recording = false;
  BLOBSCOPE_CHECK(checkCall("vkEndCommandBuffer", call().vkEndCommandBuffer(m_commands)));
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &m_commands;
  BLOBSCOPE_CHECK(checkCall("vkQueueSubmit", call().vkQueueSubmit(m_queue, 1, &info, m_fence)));
  // Without a separate limit: the runner's watchdog ends the process.
  BLOBSCOPE_CHECK(checkCall("vkWaitForFences", call().vkWaitForFences(handle(), 1, &m_fence, VK_TRUE, UINT64_MAX)));
  BLOBSCOPE_CHECK(checkCall("vkResetFences", call().vkResetFences(handle(), 1, &m_fence)));
  return checkCall("vkResetCommandBuffer", call().vkResetCommandBuffer(m_commands, 0));
}

/// Returns a descriptor set with the tensors and scalars of a launch; null if the kernel has neither.
Result<VkDescriptorSet> VulkanBackend::bind(VulkanKernel& kernel, const Launch& launch) {
  if (!kernel.pool) return VkDescriptorSet{VK_NULL_HANDLE};
  if (kernel.batch != m_batch) {
    BLOBSCOPE_CHECK(checkCall("vkResetDescriptorPool", call().vkResetDescriptorPool(handle(), kernel.pool, 0)));
    kernel.batch = m_batch;
    kernel.used = 0;
  }
  std::vector<VkDescriptorBufferInfo> infos;
  const VkPhysicalDeviceLimits& limits = m_device->facts.limits;
  for (uint32_t i = 0; i < kernel.buffers; ++i) {
    const auto [memory, offset] = m_memory.holding(launch.arguments[i]);
    if (!memory)
      return argumentError(kernel.name, i, hexText(launch.arguments[i]) + " is not in a tensor of this device");
    const uint64_t unit = std::max<uint64_t>(limits.minStorageBufferOffsetAlignment, 1);
    if (offset % unit != 0)
      return argumentError(kernel.name, i,
                           "it begins " + std::to_string(offset) + " bytes into its tensor and this device needs " +
                               std::to_string(unit) + "s of bytes");
    // Including the red zone: devices drop accesses outside of the range, and nobody would notice.
    infos.push_back({memory->buffer, offset, std::min<uint64_t>(memory->whole - offset, limits.maxStorageBufferRange)});
  }
  VkDescriptorSetAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocation.descriptorPool = kernel.pool;
  allocation.descriptorSetCount = 1;
  allocation.pSetLayouts = &kernel.setLayout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  BLOBSCOPE_CHECK(checkCall("vkAllocateDescriptorSets", call().vkAllocateDescriptorSets(handle(), &allocation, &set)));
  const uint64_t slot = kernel.uniformSlot * kernel.used++;
  if (kernel.uniformScalars) infos.push_back({kernel.uniforms.buffer, slot, kernel.scalars.bytes});
  std::vector<VkWriteDescriptorSet> writes;
  for (uint32_t i = 0; i < infos.size(); ++i) {
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set;
    write.dstBinding = i;
    write.descriptorCount = 1;
    write.descriptorType = i < kernel.buffers ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    write.pBufferInfo = &infos[i];
    writes.push_back(write);
  }
  call().vkUpdateDescriptorSets(handle(), static_cast<uint32_t>(writes.size()), writes.data(), 0, nullptr);
  return set;
}

Result<std::size_t> VulkanBackend::launch(Kernel& base, const Launch& launch, bool timed) {
  auto& kernel = static_cast<VulkanKernel&>(base);
  const DeviceFacts& facts = m_device->facts;
  // --- 1. Checks. ---
  BLOBSCOPE_CHECK(checkArguments(kernel.name, kernel.parameters, launch));
  const auto& largest = facts.limits.maxComputeWorkGroupCount;
  if (auto error = extentError("grid", launch.grid, {largest[0], largest[1], largest[2]}, facts.info.name))
    return std::move(*error);
  const auto lacks = [&](const char* what) {
    return Error(DiagnosticId::RunFeature,
                 {arg("device", facts.info.name), arg("name", kernel.name), arg("features", what)});
  };
  if (kernel.block && launch.block != *kernel.block)
    return Error(DiagnosticId::RunBlock, {arg("kernel", kernel.name), arg("block", extentsText(launch.block)),
                                          arg("wanted", extentsText(*kernel.block))});
  if (timed && !m_queries) return lacks("timestamps, which timing needs");
  if (m_launched == kBatch) BLOBSCOPE_CHECK(synchronise());

  // --- 2. Arguments. ---
  BLOBSCOPE_TRY(set, bind(kernel, launch));
  std::vector<std::byte> scalars(kernel.scalars.bytes);
  for (std::size_t i = kernel.buffers; i < kernel.parameters.size(); ++i) {
    const uint64_t value = launch.arguments[i];
    std::memcpy(scalars.data() + kernel.scalars.offsets[i - kernel.buffers], &value,
                std::min<std::size_t>(kernel.parameters[i].bits / 8, 8));
  }
  if (kernel.uniformScalars)
    std::memcpy(kernel.uniforms.mapped + kernel.uniformSlot * (kernel.used - 1), scalars.data(), scalars.size());

  // --- 3. The launch, after the writes of earlier ones. ---
  BLOBSCOPE_CHECK(begin());
  m_pending.push_back(kernel.name);
  ++m_launched;
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_UNIFORM_READ_BIT;
  call().vkCmdPipelineBarrier(
      m_commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
  call().vkCmdBindPipeline(m_commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
  if (set)
    call().vkCmdBindDescriptorSets(m_commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout, 0, 1, &set, 0, nullptr);
  if (!kernel.uniformScalars && !scalars.empty())
    call().vkCmdPushConstants(m_commands, kernel.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                              static_cast<uint32_t>(scalars.size()), scalars.data());
  if (timed) call().vkCmdWriteTimestamp(m_commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, m_queries, 2 * m_timed);
  call().vkCmdDispatch(m_commands, static_cast<uint32_t>(launch.grid[0]), static_cast<uint32_t>(launch.grid[1]),
                       static_cast<uint32_t>(launch.grid[2]));
  if (timed) call().vkCmdWriteTimestamp(m_commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, m_queries, 2 * m_timed + 1);
  const std::size_t index = m_times.size() + m_timed;
  if (timed) ++m_timed;
  return index;
}

Result<Done> VulkanBackend::synchronise() {
  if (!m_recording) return Done{};
  BLOBSCOPE_CHECK(submit());
  const uint32_t timed = std::exchange(m_timed, 0);
  ++m_batch;
  m_launched = 0;
  m_pending.clear();
  if (timed == 0) return Done{};
  std::vector<uint64_t> ticks(std::size_t{2} * timed);
  BLOBSCOPE_CHECK(checkCall(
      "vkGetQueryPoolResults",
      call().vkGetQueryPoolResults(handle(), m_queries, 0, 2 * timed, ticks.size() * sizeof(uint64_t), ticks.data(),
                                   sizeof(uint64_t), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT)));
  const uint32_t bits = m_device->facts.timestampBits;
  const uint64_t mask = bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  for (uint32_t i = 0; i < timed; ++i)
    m_times.push_back(static_cast<double>((ticks[2 * i + 1] - ticks[2 * i]) & mask) *
                      static_cast<double>(m_device->facts.limits.timestampPeriod) / 1000);
  return Done{};
}

Result<std::vector<double>> VulkanBackend::times() { return std::exchange(m_times, {}); }

} // namespace

Result<std::unique_ptr<Backend>> openVulkan(const BackendOptions& options) { return VulkanBackend::open(options); }

Result<std::vector<DeviceInfo>> listVulkan(const BackendOptions& options) {
  BLOBSCOPE_TRY(instance, openInstance(options.driverPath));
  std::vector<DeviceInfo> devices;
  for (std::size_t i = 0; i < instance->devices.size(); ++i) {
    Features features;
    auto facts = readDevice(*instance, static_cast<int>(i), features);
    // A device that cannot compute is skipped without an error while others can.
    if (facts)
      devices.push_back(std::move(facts->info));
    else if (instance->devices.size() == 1)
      return facts.takeError();
  }
  return devices;
}

} // namespace blobscope::runner
