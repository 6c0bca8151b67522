#include "app/runner/backends/vulkan/device.h"

#include "app/runner/backends/dynamic_library.h"
#include "app/runner/backends/host/memory.h"
#include "app/runner/backends/loader.h"
#include "core/base/path_text.h"
#include "core/base/text.h"

#include <algorithm>

namespace blobscope::runner::vulkan {
namespace {

/// More than any driver reports.
constexpr uint32_t kExtensionLimit = 65'536;

Error noDriver(std::string_view reason) {
  return {DiagnosticId::RunNoDriver,
          {arg("kind", "Vulkan"), arg("reason", reason), arg("help", loader::driverHelp("vulkan"))}};
}

std::string versionText(uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + '.' + std::to_string(VK_API_VERSION_MINOR(version)) + '.' +
         std::to_string(VK_API_VERSION_PATCH(version));
}

std::vector<std::string> extensionsOf(const Instance& instance, VkPhysicalDevice device) {
  uint32_t count = 0;
  std::vector<std::string> names;
  if (instance.vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr) != VK_SUCCESS) return names;
  std::vector<VkExtensionProperties> properties(std::min(count, kExtensionLimit));
  count = static_cast<uint32_t>(properties.size());
  const VkResult result = instance.vkEnumerateDeviceExtensionProperties(device, nullptr, &count, properties.data());
  if (result != VK_SUCCESS && result != VK_INCOMPLETE) return names;
  for (uint32_t i = 0; i < count && i < properties.size(); ++i) names.emplace_back(properties[i].extensionName);
  return names;
}

/// Builds a chain of the structures that the device supports: through its version of Vulkan, or through an extension,
/// which is then enabled.
class Chain {
public:
  Chain(Features& features, uint32_t minor, const std::vector<std::string>& extensions)
      : m_features(features), m_minor(minor), m_extensions(extensions) {
    features.base = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, nullptr, {}};
    m_end = &features.base.pNext;
  }
  template <class T> void add(T& part, VkStructureType type, uint32_t since, const char* extension) {
    part = {};
    part.sType = type;
    if (m_minor < since) {
      if (std::find(m_extensions.begin(), m_extensions.end(), extension) == m_extensions.end()) return;
      m_features.extensions.emplace_back(extension);
    }
    *m_end = &part;
    m_end = &part.pNext;
  }

private:
  Features& m_features;
  uint32_t m_minor;
  const std::vector<std::string>& m_extensions;
  void** m_end;
};

void listFeatures(const Features& features, ShaderSupport& support) {
  const auto add = [&](VkBool32 supported, const char* name) {
    if (supported == VK_TRUE) support.features.emplace_back(name);
  };
  add(features.base.features.shaderFloat64, "shaderFloat64");
  add(features.base.features.shaderInt64, "shaderInt64");
  add(features.base.features.shaderInt16, "shaderInt16");
  add(features.small.shaderFloat16, "shaderFloat16");
  add(features.small.shaderInt8, "shaderInt8");
  add(features.storage16.storageBuffer16BitAccess, "storageBuffer16BitAccess");
  add(features.storage16.uniformAndStorageBuffer16BitAccess, "uniformAndStorageBuffer16BitAccess");
  add(features.storage16.storagePushConstant16, "storagePushConstant16");
  add(features.storage16.storageInputOutput16, "storageInputOutput16");
  add(features.storage8.storageBuffer8BitAccess, "storageBuffer8BitAccess");
  add(features.storage8.uniformAndStorageBuffer8BitAccess, "uniformAndStorageBuffer8BitAccess");
  add(features.storage8.storagePushConstant8, "storagePushConstant8");
  add(features.pointers.variablePointersStorageBuffer, "variablePointersStorageBuffer");
  add(features.pointers.variablePointers, "variablePointers");
  add(features.atomics.shaderBufferInt64Atomics, "shaderBufferInt64Atomics");
  add(features.memoryModel.vulkanMemoryModel, "vulkanMemoryModel");
  add(features.memoryModel.vulkanMemoryModelDeviceScope, "vulkanMemoryModelDeviceScope");
  add(features.addresses.bufferDeviceAddress, "bufferDeviceAddress");
  add(features.dots.shaderIntegerDotProduct, "shaderIntegerDotProduct");
  add(features.matrices.cooperativeMatrix, "cooperativeMatrix (NV)");
}

void listSubgroups(const VkPhysicalDeviceSubgroupProperties& subgroups, ShaderSupport& support) {
  if ((subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) == 0) return;
  constexpr std::pair<VkSubgroupFeatureFlagBits, const char*> kNames[] = {
      {VK_SUBGROUP_FEATURE_BASIC_BIT, "subgroup basic"},
      {VK_SUBGROUP_FEATURE_VOTE_BIT, "subgroup vote"},
      {VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, "subgroup arithmetic"},
      {VK_SUBGROUP_FEATURE_BALLOT_BIT, "subgroup ballot"},
      {VK_SUBGROUP_FEATURE_SHUFFLE_BIT, "subgroup shuffle"},
      {VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT, "subgroup shuffle relative"},
      {VK_SUBGROUP_FEATURE_CLUSTERED_BIT, "subgroup clustered"},
      {VK_SUBGROUP_FEATURE_QUAD_BIT, "subgroup quad"}};
  for (const auto& [bit, name] : kNames)
    if (subgroups.supportedOperations & bit) support.features.emplace_back(name);
}

/// Returns a queue family that can compute, preferably one without graphics, which no display waits for.
std::optional<uint32_t> computeFamily(const std::vector<VkQueueFamilyProperties>& families) {
  std::optional<uint32_t> found;
  for (uint32_t i = 0; i < families.size(); ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0 || families[i].queueCount == 0) continue;
    if ((families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0) return i;
    if (!found) found = i;
  }
  return found;
}

/// Fills `facts.support` and the chain, including every extension that is enabled for it.
void readFeatures(const Instance& instance, VkPhysicalDevice device, DeviceFacts& facts, Features& features) {
  facts.support.extensions = extensionsOf(instance, device);
  Chain chain(features, facts.support.vulkan, facts.support.extensions);
  chain.add(features.storage16, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES, 1, "VK_KHR_16bit_storage");
  chain.add(features.pointers, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES, 1,
            "VK_KHR_variable_pointers");
  chain.add(features.storage8, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES, 2, "VK_KHR_8bit_storage");
  chain.add(features.small, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES, 2,
            "VK_KHR_shader_float16_int8");
  chain.add(features.atomics, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES, 2,
            "VK_KHR_shader_atomic_int64");
  chain.add(features.memoryModel, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES, 2,
            "VK_KHR_vulkan_memory_model");
  chain.add(features.addresses, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES, 2,
            "VK_KHR_buffer_device_address");
  chain.add(features.dots, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES, 3,
            "VK_KHR_shader_integer_dot_product");
  chain.add(features.matrices, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV, 99,
            "VK_NV_cooperative_matrix");
  instance.vkGetPhysicalDeviceFeatures2(device, &features.base);
  features.base.features.robustBufferAccess = VK_FALSE;
  listFeatures(features, facts.support);
  for (const char* const name : {"VK_KHR_shader_float_controls", "VK_KHR_spirv_1_4", "VK_KHR_shader_non_semantic_info",
                                 "VK_KHR_storage_buffer_storage_class"})
    if (std::find(facts.support.extensions.begin(), facts.support.extensions.end(), name) !=
        facts.support.extensions.end())
      features.extensions.emplace_back(name);
}

/// Reads subgroups, the name of the driver, and the facts that are shown for the device.
void readProperties(const Instance& instance, VkPhysicalDevice device, uint32_t version, DeviceFacts& facts) {
  VkPhysicalDeviceSubgroupProperties subgroups{};
  subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  VkPhysicalDeviceDriverProperties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  VkPhysicalDeviceProperties2 more{};
  more.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  more.pNext = &subgroups;
  if (facts.support.vulkan >= 2) subgroups.pNext = &driver;
  instance.vkGetPhysicalDeviceProperties2(device, &more);
  listSubgroups(subgroups, facts.support);
  if (driver.driverInfo[0] != '\0') facts.info.driver = escaped(driver.driverInfo);
  const auto fact = [&](const char* label, std::string value) {
    facts.info.facts.emplace_back(label, std::move(value));
  };
  fact("Vulkan", versionText(version));
  fact("largest block", groupedText(facts.limits.maxComputeWorkGroupInvocations) + " invocations");
  fact("shared memory per block", sizeText(facts.limits.maxComputeSharedMemorySize));
  fact("push constants", sizeText(facts.limits.maxPushConstantsSize));
  fact("largest buffer of a kernel", sizeText(facts.limits.maxStorageBufferRange));
  fact("subgroup", std::to_string(subgroups.subgroupSize));
  fact("timestamps", facts.timestampBits == 0 ? "none" : std::to_string(facts.timestampBits) + " bits");
  std::string features16;
  for (const std::string& name : facts.support.features) features16 += (features16.empty() ? "" : ", ") + name;
  fact("features", features16);
  const VkPhysicalDeviceLimits& limits = facts.limits;
  facts.info.limits = {{"shared bytes", limits.maxComputeSharedMemorySize},
                       {"threads", limits.maxComputeWorkGroupInvocations},
                       {"push constant bytes", limits.maxPushConstantsSize},
                       {"storage buffers", limits.maxPerStageDescriptorStorageBuffers}};
}

/// Fills `instance.devices`.
Result<Done> listDevices(Instance& instance) {
  uint32_t count = 0;
  VkResult listed = instance.vkEnumeratePhysicalDevices(instance.handle, &count, nullptr);
  if (listed == VK_SUCCESS && count > 0) {
    instance.devices.resize(std::min<uint32_t>(count, 1024));
    count = static_cast<uint32_t>(instance.devices.size());
    listed = instance.vkEnumeratePhysicalDevices(instance.handle, &count, instance.devices.data());
    instance.devices.resize(std::min<std::size_t>(count, instance.devices.size()));
  }
  if ((listed == VK_SUCCESS || listed == VK_INCOMPLETE) && instance.devices.empty())
    return Error(DiagnosticId::RunNoDevice, {arg("kind", "Vulkan"), arg("reason", "no driver reports one")});
  if (listed == VK_ERROR_INITIALIZATION_FAILED) return noDriver("the loader finds no driver that starts");
  if (listed != VK_SUCCESS && listed != VK_INCOMPLETE) return callError("vkEnumeratePhysicalDevices", listed);
  return Done{};
}

} // namespace

Instance::~Instance() {
  if (handle) vkDestroyInstance(handle, nullptr);
}

std::string resultText(VkResult result) {
  switch (result) {
  case VK_ERROR_OUT_OF_HOST_MEMORY: return "VK_ERROR_OUT_OF_HOST_MEMORY";
  case VK_ERROR_OUT_OF_DEVICE_MEMORY: return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
  case VK_ERROR_INITIALIZATION_FAILED: return "VK_ERROR_INITIALIZATION_FAILED";
  case VK_ERROR_DEVICE_LOST: return "VK_ERROR_DEVICE_LOST";
  case VK_ERROR_MEMORY_MAP_FAILED: return "VK_ERROR_MEMORY_MAP_FAILED";
  case VK_ERROR_LAYER_NOT_PRESENT: return "VK_ERROR_LAYER_NOT_PRESENT";
  case VK_ERROR_EXTENSION_NOT_PRESENT: return "VK_ERROR_EXTENSION_NOT_PRESENT";
  case VK_ERROR_FEATURE_NOT_PRESENT: return "VK_ERROR_FEATURE_NOT_PRESENT";
  case VK_ERROR_INCOMPATIBLE_DRIVER: return "VK_ERROR_INCOMPATIBLE_DRIVER";
  case VK_ERROR_TOO_MANY_OBJECTS: return "VK_ERROR_TOO_MANY_OBJECTS";
  case VK_ERROR_FRAGMENTED_POOL: return "VK_ERROR_FRAGMENTED_POOL";
  case VK_ERROR_OUT_OF_POOL_MEMORY: return "VK_ERROR_OUT_OF_POOL_MEMORY";
  case VK_ERROR_INVALID_SHADER_NV: return "VK_ERROR_INVALID_SHADER_NV";
  case VK_ERROR_UNKNOWN: return "VK_ERROR_UNKNOWN";
  case VK_TIMEOUT: return "VK_TIMEOUT";
  case VK_NOT_READY: return "VK_NOT_READY";
  default: return "an unknown result";
  }
}

Error callError(const char* call, VkResult result) {
  return {DiagnosticId::RunCall,
          {arg("call", call), arg("kind", "Vulkan"), arg("code", std::to_string(static_cast<int>(result))),
           arg("reason", resultText(result))}};
}

Result<std::shared_ptr<const Instance>> openInstance(const std::string& path) {
  // --- 1. The loader. ---
  std::string reason;
  const auto library = DynamicLibrary::open(path.empty() ? loader::driverName("vulkan") : path, reason);
  if (!library) return noDriver(reason);
  const auto missing = [&](const char* name) {
    return Error(DiagnosticId::RunDriverSymbol,
                 {arg("kind", "Vulkan"), {"path", shownPath(library->path())}, arg("name", name)});
  };
  const auto find = library->function<PFN_vkGetInstanceProcAddr>("vkGetInstanceProcAddr");
  if (!find) return missing("vkGetInstanceProcAddr");
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(find(nullptr, "vkCreateInstance"));
  // A loader of 1.0 does not have it; features cannot be queried then.
  const auto version = reinterpret_cast<PFN_vkEnumerateInstanceVersion>(find(nullptr, "vkEnumerateInstanceVersion"));
  if (!create) return missing("vkCreateInstance");
  if (!version) return missing("vkEnumerateInstanceVersion");

  // --- 2. An instance without layers and extensions. ---
  uint32_t newest = 0;
  if (const VkResult result = version(&newest); result != VK_SUCCESS)
    return callError("vkEnumerateInstanceVersion", result);
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "blobscope-runner";
  application.apiVersion = std::min<uint32_t>(newest, VK_API_VERSION_1_3);
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  auto instance = std::make_shared<Instance>();
  instance->path = library->path();
  const VkResult created = create(&info, nullptr, &instance->handle);
  if (created == VK_ERROR_INCOMPATIBLE_DRIVER)
    return noDriver("the loader finds no driver (VK_ERROR_INCOMPATIBLE_DRIVER)");
  if (created != VK_SUCCESS) {
    instance->handle = VK_NULL_HANDLE;
    return callError("vkCreateInstance", created);
  }
  const char* absent = nullptr;
#define BLOBSCOPE_VULKAN_FIND(name)                                                                                    \
  instance->name = reinterpret_cast<PFN_##name>(find(instance->handle, #name));                                        \
  if (!instance->name && !absent) absent = #name;
  BLOBSCOPE_VULKAN_INSTANCE(BLOBSCOPE_VULKAN_FIND)
#undef BLOBSCOPE_VULKAN_FIND
  if (absent) {
    if (!instance->vkDestroyInstance) instance->handle = VK_NULL_HANDLE;
    return missing(absent);
  }

  BLOBSCOPE_CHECK(listDevices(*instance));
  return std::shared_ptr<const Instance>(std::move(instance));
}

Result<DeviceFacts> readDevice(const Instance& instance, int index, Features& features) {
  if (index < 0 || static_cast<std::size_t>(index) >= instance.devices.size())
    return Error(
        DiagnosticId::RunNoDevice,
        {arg("kind", "Vulkan"), arg("reason", "device " + std::to_string(index) +
                                                  " was requested (counted from 0), but the number of devices is " +
                                                  std::to_string(instance.devices.size()))});
  const VkPhysicalDevice device = instance.devices[static_cast<std::size_t>(index)];
  DeviceFacts facts;
  VkPhysicalDeviceProperties properties{};
  instance.vkGetPhysicalDeviceProperties(device, &properties);
  facts.limits = properties.limits;
  facts.info.kind = "vulkan";
  facts.info.index = index;
  facts.info.name = escaped(properties.deviceName);
  facts.info.isCpu = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  facts.integrated = facts.info.isCpu || properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  facts.info.driver = versionText(properties.driverVersion);

  instance.vkGetPhysicalDeviceMemoryProperties(device, &facts.memory);
  for (uint32_t i = 0; i < facts.memory.memoryHeapCount; ++i)
    if (facts.memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      facts.info.memoryBytes += facts.memory.memoryHeaps[i].size;
  uint32_t count = 0;
  instance.vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(std::min<uint32_t>(count, 1024));
  count = static_cast<uint32_t>(families.size());
  instance.vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  const auto family = computeFamily(families);
  const auto lacks = [&](const char* what) {
    return Error(DiagnosticId::RunFeature,
                 {arg("device", facts.info.name), arg("name", "a test run"), arg("features", what)});
  };
  if (!family) return lacks("a compute queue");
  if (VK_API_VERSION_MAJOR(properties.apiVersion) != 1 || VK_API_VERSION_MINOR(properties.apiVersion) < 1)
    return lacks("Vulkan 1.1");
  facts.queueFamily = *family;
  facts.timestampBits = families[*family].timestampValidBits;

  facts.support.vulkan = VK_API_VERSION_MINOR(properties.apiVersion);
  readFeatures(instance, device, facts, features);
  readProperties(instance, device, properties.apiVersion, facts);
  return facts;
}

Device::~Device() {
  if (handle) call.vkDestroyDevice(handle, nullptr);
}

std::optional<uint32_t> Device::memoryType(uint32_t allowed, VkMemoryPropertyFlags wanted) const {
  for (uint32_t i = 0; i < facts.memory.memoryTypeCount; ++i)
    if ((allowed >> i & 1) != 0 && (facts.memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
  return std::nullopt;
}

Result<Memory> Device::makeBuffer(uint64_t bytes, VkBufferUsageFlags usage, bool hostVisible) const {
  Memory made;
  made.whole = bytes;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkResult result = call.vkCreateBuffer(handle, &info, nullptr, &made.buffer);
  if (result != VK_SUCCESS) return memoryError(bytes, facts.info.memoryBytes);
  VkMemoryRequirements needs{};
  call.vkGetBufferMemoryRequirements(handle, made.buffer, &needs);
  constexpr VkMemoryPropertyFlags kBoth = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  std::optional<uint32_t> type;
  if (hostVisible) type = memoryType(needs.memoryTypeBits, kBoth | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  if (hostVisible && !type) type = memoryType(needs.memoryTypeBits, kBoth);
  if (!hostVisible) type = memoryType(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (!hostVisible && !type) type = memoryType(needs.memoryTypeBits, 0);
  const uint64_t heap = type ? facts.memory.memoryHeaps[facts.memory.memoryTypes[*type].heapIndex].size : 0;
  if (!type || needs.size > heap) {
    freeBuffer(made);
    return memoryError(bytes, heap);
  }
  VkMemoryAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.allocationSize = needs.size;
  allocation.memoryTypeIndex = *type;
  result = call.vkAllocateMemory(handle, &allocation, nullptr, &made.memory);
  const char* name = "vkAllocateMemory";
  if (result == VK_SUCCESS) {
    result = call.vkBindBufferMemory(handle, made.buffer, made.memory, 0);
    name = "vkBindBufferMemory";
  }
  if (result == VK_SUCCESS && hostVisible) {
    void* place = nullptr;
    result = call.vkMapMemory(handle, made.memory, 0, VK_WHOLE_SIZE, 0, &place);
    name = "vkMapMemory";
    made.mapped = static_cast<std::byte*>(place);
  }
  if (result == VK_SUCCESS) return made;
  freeBuffer(made);
  if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY) return memoryError(bytes, heap);
  return callError(name, result);
}

void Device::freeBuffer(Memory& memory) const {
  if (memory.buffer) call.vkDestroyBuffer(handle, memory.buffer, nullptr);
  if (memory.memory) call.vkFreeMemory(handle, memory.memory, nullptr);
  memory = {};
}

Result<std::shared_ptr<Device>> openDevice(const BackendOptions& options) {
  BLOBSCOPE_TRY(instance, openInstance(options.driverPath));
  auto device = std::make_shared<Device>();
  device->instance = instance;
  Features features;
  BLOBSCOPE_TRY(facts, readDevice(*instance, options.device, features));
  device->facts = std::move(facts);

  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = device->facts.queueFamily;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  std::vector<const char*> extensions;
  for (const std::string& name : features.extensions) extensions.push_back(name.c_str());
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features.base;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  const VkPhysicalDevice physical = instance->devices[static_cast<std::size_t>(options.device)];
  VkDevice created = VK_NULL_HANDLE;
  if (const VkResult result = instance->vkCreateDevice(physical, &info, nullptr, &created); result != VK_SUCCESS)
    return callError("vkCreateDevice", result);
  const char* missing = nullptr;
#define BLOBSCOPE_VULKAN_FIND(name)                                                                                    \
  device->call.name = reinterpret_cast<PFN_##name>(instance->vkGetDeviceProcAddr(created, #name));                     \
  if (!device->call.name && !missing) missing = #name;
  BLOBSCOPE_VULKAN_DEVICE(BLOBSCOPE_VULKAN_FIND)
#undef BLOBSCOPE_VULKAN_FIND
  if (device->call.vkDestroyDevice) device->handle = created;
  if (missing)
    return Error(DiagnosticId::RunDriverSymbol,
                 {arg("kind", "Vulkan"), {"path", shownPath(instance->path)}, arg("name", missing)});
  return device;
}

} // namespace blobscope::runner::vulkan
