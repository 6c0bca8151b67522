#pragma once

#include "app/runner/backends/vulkan/shader.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

/// Finding a device of Vulkan and what it offers. Functions are asked of the loader by name; nothing is linked.
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

/// The loader with an instance, destroyed at its end.
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

/// Functions of one device.
struct DeviceFunctions {
  BLOBSCOPE_VULKAN_DEVICE(BLOBSCOPE_VULKAN_MEMBER)
};
#undef BLOBSCOPE_VULKAN_MEMBER

/// "VK_ERROR_DEVICE_LOST".
std::string resultText(VkResult result);
/// RUN-CALL.
Error callError(const char* call, VkResult result);

/// RUN-NO-DRIVER, RUN-DRIVER-SYMBOL; RUN-NO-DEVICE when it lists none.
Result<std::shared_ptr<const Instance>> openInstance(const std::string& path);

/// Features of a device as one chain that vkCreateDevice takes back: all that are supported are enabled, except bounds
/// checks, which would hide what a kernel writes beyond its tensors.
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
  std::vector<std::string> extensions; ///< that have to be enabled for them
};

/// What one device says of itself.
struct DeviceFacts {
  DeviceInfo info;
  VkPhysicalDeviceLimits limits{};
  ShaderSupport support;
  VkPhysicalDeviceMemoryProperties memory{};
  uint32_t queueFamily = 0;
  uint32_t timestampBits = 0;
  bool integrated = false; ///< its memory is the machine's
};

/// Fills `features` too. RUN-FEATURE when it cannot compute.
Result<DeviceFacts> readDevice(const Instance& instance, int index, Features& features);

/// A buffer and the memory it lies in.
struct Memory {
  uint64_t bytes = 0; ///< of the tensor
  uint64_t whole = 0; ///< with its red zone
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  std::byte* mapped = nullptr; ///< null when only the device sees it
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

  /// RUN-MEMORY, RUN-CALL. With `hostVisible` it is mapped, else it lies in the device's own memory where there is
  /// some.
  Result<Memory> makeBuffer(uint64_t bytes, VkBufferUsageFlags usage, bool hostVisible) const;
  void freeBuffer(Memory& memory) const;

private:
  std::optional<uint32_t> memoryType(uint32_t allowed, VkMemoryPropertyFlags wanted) const;
};

/// With all extensions and features that it supports. Errors of openInstance() and readDevice(), RUN-CALL,
/// RUN-DRIVER-SYMBOL.
Result<std::shared_ptr<Device>> openDevice(const BackendOptions& options);

} // namespace blobscope::runner::vulkan
