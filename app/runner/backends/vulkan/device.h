#pragma once

#include "app/runner/backends/vulkan/shader.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

/// Finds a Vulkan device and its capabilities. Functions are looked up in the loader by name; nothing is linked.
namespace blobscope::runner::vulkan {

#define BLOBSCOPE_VULKAN_INSTANCE(X)                                                                                   \
  X(vkDestroyInstance)                                                                                                 \
  X(vkEnumeratePhysicalDevices)                                                                                        \
  X(vkGetPhysicalDeviceProperties)                                                                                     \
  X(vkGetPhysicalDeviceProperties2)                                                                                    \
  X(vkGetPhysicalDeviceFeatures2)                                                                                      \
  X(vkGetPhysicalDeviceMemoryProperties)                                                                               \
  X(vkGetPhysicalDeviceQueueFamilyProperties)                                                                          \
  X(vkEnumerateDeviceExtensionProperties)                                                                              \
  X(vkCreateDevice)                                                                                                    \
  X(vkGetDeviceProcAddr)

#define BLOBSCOPE_VULKAN_DEVICE(X)                                                                                     \
  X(vkDestroyDevice)                                                                                                   \
  X(vkGetDeviceQueue)                                                                                                  \
  X(vkDeviceWaitIdle)                                                                                                  \
  X(vkQueueSubmit)                                                                                                     \
  X(vkCreateFence)                                                                                                     \
  X(vkDestroyFence)                                                                                                    \
  X(vkWaitForFences)                                                                                                   \
  X(vkResetFences)                                                                                                     \
  X(vkCreateBuffer)                                                                                                    \
  X(vkDestroyBuffer)                                                                                                   \
  X(vkGetBufferMemoryRequirements)                                                                                     \
  X(vkAllocateMemory)                                                                                                  \
  X(vkFreeMemory)                                                                                                      \
  X(vkBindBufferMemory)                                                                                                \
  X(vkMapMemory)                                                                                                       \
  X(vkCreateShaderModule)                                                                                              \
  X(vkDestroyShaderModule)                                                                                             \
  X(vkCreateDescriptorSetLayout)                                                                                       \
  X(vkDestroyDescriptorSetLayout)                                                                                      \
  X(vkCreatePipelineLayout)                                                                                            \
  X(vkDestroyPipelineLayout)                                                                                           \
  X(vkCreatePipelineCache)                                                                                             \
  X(vkDestroyPipelineCache)                                                                                            \
  X(vkCreateComputePipelines)                                                                                          \
  X(vkDestroyPipeline)                                                                                                 \
  X(vkCreateDescriptorPool)                                                                                            \
  X(vkDestroyDescriptorPool)                                                                                           \
  X(vkResetDescriptorPool)                                                                                             \
  X(vkAllocateDescriptorSets)                                                                                          \
  X(vkUpdateDescriptorSets)                                                                                            \
  X(vkCreateCommandPool)                                                                                               \
  X(vkDestroyCommandPool)                                                                                              \
  X(vkAllocateCommandBuffers)                                                                                          \
  X(vkBeginCommandBuffer)                                                                                              \
  X(vkEndCommandBuffer)                                                                                                \
  X(vkResetCommandBuffer)                                                                                              \
  X(vkCmdBindPipeline)                                                                                                 \
  X(vkCmdBindDescriptorSets)                                                                                           \
  X(vkCmdPushConstants)                                                                                                \
  X(vkCmdDispatch)                                                                                                     \
  X(vkCmdPipelineBarrier)                                                                                              \
  X(vkCmdCopyBuffer)                                                                                                   \
  X(vkCmdWriteTimestamp)                                                                                               \
  X(vkCmdResetQueryPool)                                                                                               \
  X(vkCreateQueryPool)                                                                                                 \
  X(vkDestroyQueryPool)                                                                                                \
  X(vkGetQueryPoolResults)

#define BLOBSCOPE_VULKAN_MEMBER(name) PFN_##name name = nullptr;

/// The loader with an instance, which is destroyed with this object.
struct Instance {
  Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();

  BLOBSCOPE_VULKAN_INSTANCE(BLOBSCOPE_VULKAN_MEMBER)
  VkInstance handle = VK_NULL_HANDLE;
  std::string path; ///< of the loader
  std::vector<VkPhysicalDevice> devices;
};

/// The functions of one device.
struct DeviceFunctions {
  BLOBSCOPE_VULKAN_DEVICE(BLOBSCOPE_VULKAN_MEMBER)
};
#undef BLOBSCOPE_VULKAN_MEMBER

/// Returns "VK_ERROR_DEVICE_LOST".
std::string resultText(VkResult result);
/// Returns RUN-CALL.
Error callError(const char* call, VkResult result);

/// Errors: RUN-NO-DRIVER, RUN-DRIVER-SYMBOL; RUN-NO-DEVICE if there is no device.
Result<std::shared_ptr<const Instance>> openInstance(const std::string& path);

/// The features of a device as one chain for vkCreateDevice: all supported ones are enabled except bounds checks, which
/// would hide what a kernel writes beyond its tensors.
struct Features {
  Features() = default;
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;

  VkPhysicalDeviceFeatures2 base{};
  VkPhysicalDevice16BitStorageFeatures storage16{};
  VkPhysicalDeviceVariablePointersFeatures pointers{};
  VkPhysicalDevice8BitStorageFeatures storage8{};
  VkPhysicalDeviceShaderFloat16Int8Features small{};
  VkPhysicalDeviceShaderAtomicInt64Features atomics{};
  VkPhysicalDeviceVulkanMemoryModelFeatures memoryModel{};
  VkPhysicalDeviceBufferDeviceAddressFeatures addresses{};
  VkPhysicalDeviceShaderIntegerDotProductFeatures dots{};
  VkPhysicalDeviceCooperativeMatrixFeaturesNV matrices{};
  std::vector<std::string> extensions; ///< extensions that must be enabled for them
};

/// The facts that one device reports.
struct DeviceFacts {
  DeviceInfo info;
  VkPhysicalDeviceLimits limits{};
  ShaderSupport support;
  VkPhysicalDeviceMemoryProperties memory{};
  uint32_t queueFamily = 0;
  uint32_t timestampBits = 0;
  bool integrated = false; ///< it shares the machine's memory
};

/// Also fills `features`. Error: RUN-FEATURE if it cannot compute.
Result<DeviceFacts> readDevice(const Instance& instance, int index, Features& features);

/// A buffer and its memory.
struct Memory {
  uint64_t bytes = 0; ///< of the tensor
  uint64_t whole = 0; ///< including its red zone
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  std::byte* mapped = nullptr; ///< null if only the device can access it
};

/// The device as both the back end and its kernels need it; lives as long as the last of them.
struct Device {
  DeviceFunctions call;
  std::shared_ptr<const Instance> instance;
  DeviceFacts facts;
  VkDevice handle = VK_NULL_HANDLE;

  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  /// Errors: RUN-MEMORY, RUN-CALL. With `hostVisible` the memory is mapped; otherwise it is in the device's own memory
  /// if there is any.
  Result<Memory> makeBuffer(uint64_t bytes, VkBufferUsageFlags usage, bool hostVisible) const;
  void freeBuffer(Memory& memory) const;

private:
  std::optional<uint32_t> memoryType(uint32_t allowed, VkMemoryPropertyFlags wanted) const;
};

/// Opens the device with all extensions and features that it supports. Errors: those of openInstance() and
/// readDevice(), RUN-CALL, RUN-DRIVER-SYMBOL.
Result<std::shared_ptr<Device>> openDevice(const BackendOptions& options);

} // namespace blobscope::runner::vulkan
