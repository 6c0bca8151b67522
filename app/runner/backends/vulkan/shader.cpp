#include "app/runner/backends/vulkan/shader.h"

#include "core/payloads/spirv/spirv.h"
#include "core/payloads/spirv/words.h"

#include <algorithm>
#include <unordered_map>

namespace blobscope::runner {
namespace {

using namespace payloads;

// Numbers that are not named in core/payloads/spirv/words.h: SPIR-V Specification 1.6, 3.7 and 3.20.
constexpr uint32_t kStorageUniform = 2, kStoragePush = 9, kStorageBuffer = 12;
constexpr uint32_t kDecorationBufferBlock = 3, kDecorationBinding = 33, kDecorationSet = 34, kDecorationOffset = 35;
constexpr uint32_t kModelCompute = 5;
/// Members of one block; no kernel has more scalars.
constexpr uint64_t kMembers = 4096;

struct Capability {
  uint32_t number;
  std::string_view feature; ///< empty: every Vulkan device supports it
};
constexpr Capability kCapabilities[] = {
    {0, ""},                                      // Matrix
    {1, ""},                                      // Shader
    {9, "shaderFloat16"},                         // Float16
    {10, "shaderFloat64"},                        // Float64
    {11, "shaderInt64"},                          // Int64
    {12, "shaderBufferInt64Atomics"},             // Int64Atomics
    {22, "shaderInt16"},                          // Int16
    {39, "shaderInt8"},                           // Int8
    {61, "subgroup basic"},                       // GroupNonUniform
    {62, "subgroup vote"},                        // GroupNonUniformVote
    {63, "subgroup arithmetic"},                  // GroupNonUniformArithmetic
    {64, "subgroup ballot"},                      // GroupNonUniformBallot
    {65, "subgroup shuffle"},                     // GroupNonUniformShuffle
    {66, "subgroup shuffle relative"},            // GroupNonUniformShuffleRelative
    {67, "subgroup clustered"},                   // GroupNonUniformClustered
    {68, "subgroup quad"},                        // GroupNonUniformQuad
    {4427, "shaderDrawParameters"},               // DrawParameters
    {4433, "storageBuffer16BitAccess"},           // StorageBuffer16BitAccess
    {4434, "uniformAndStorageBuffer16BitAccess"}, // UniformAndStorageBuffer16BitAccess
    {4435, "storagePushConstant16"},              // StoragePushConstant16
    {4436, "storageInputOutput16"},               // StorageInputOutput16
    {4441, "variablePointersStorageBuffer"},      // VariablePointersStorageBuffer
    {4442, "variablePointers"},                   // VariablePointers
    {4448, "storageBuffer8BitAccess"},            // StorageBuffer8BitAccess
    {4449, "uniformAndStorageBuffer8BitAccess"},  // UniformAndStorageBuffer8BitAccess
    {4450, "storagePushConstant8"},               // StoragePushConstant8
    {5345, "vulkanMemoryModel"},                  // VulkanMemoryModel
    {5346, "vulkanMemoryModelDeviceScope"},       // VulkanMemoryModelDeviceScope
    {5347, "bufferDeviceAddress"},                // PhysicalStorageBufferAddresses
    {5357, "cooperativeMatrix (NV)"},             // CooperativeMatrixNV
    {6016, "shaderIntegerDotProduct"},            // DotProductInputAll
    {6017, "shaderIntegerDotProduct"},            // DotProductInput4x8Bit
    {6018, "shaderIntegerDotProduct"},            // DotProductInput4x8BitPacked
    {6019, "shaderIntegerDotProduct"},            // DotProduct
    {6022, "cooperativeMatrix"},                  // CooperativeMatrixKHR
};

struct ExtensionRule {
  std::string_view spirv;
  uint32_t vulkan;         ///< minor number of the version of Vulkan that includes it in its core; 99: none
  std::string_view device; ///< the device extension that provides it before that version
};
constexpr ExtensionRule kExtensions[] = {
    {"SPV_KHR_storage_buffer_storage_class", 1, "VK_KHR_storage_buffer_storage_class"},
    {"SPV_KHR_variable_pointers", 1, "VK_KHR_variable_pointers"},
    {"SPV_KHR_16bit_storage", 1, "VK_KHR_16bit_storage"},
    {"SPV_KHR_device_group", 1, "VK_KHR_device_group"},
    {"SPV_KHR_8bit_storage", 2, "VK_KHR_8bit_storage"},
    {"SPV_KHR_float_controls", 2, "VK_KHR_shader_float_controls"},
    {"SPV_KHR_no_integer_wrap_decoration", 2, "VK_KHR_shader_float_controls"},
    {"SPV_KHR_vulkan_memory_model", 2, "VK_KHR_vulkan_memory_model"},
    {"SPV_KHR_physical_storage_buffer", 2, "VK_KHR_buffer_device_address"},
    {"SPV_EXT_physical_storage_buffer", 2, "VK_EXT_buffer_device_address"},
    {"SPV_KHR_integer_dot_product", 3, "VK_KHR_shader_integer_dot_product"},
    {"SPV_KHR_non_semantic_info", 3, "VK_KHR_shader_non_semantic_info"},
    {"SPV_KHR_terminate_invocation", 3, "VK_KHR_shader_terminate_invocation"},
    {"SPV_NV_cooperative_matrix", 99, "VK_NV_cooperative_matrix"},
    {"SPV_KHR_cooperative_matrix", 99, "VK_KHR_cooperative_matrix"},
    {"SPV_KHR_subgroup_uniform_control_flow", 99, "VK_KHR_shader_subgroup_uniform_control_flow"},
};

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Types, decorations and variables of a module, read in one pass: each is declared before its use.
class Declarations {
public:
  void visit(const SpirvInstruction& instruction) {
    const uint32_t first = instruction.word(1), second = instruction.word(2), third = instruction.word(3);
    switch (instruction.opcode()) {
    case kOpTypeStruct:
      m_members[first] = std::min(instruction.size() - std::min<uint64_t>(instruction.size(), 2), kMembers);
      break;
    case kOpTypePointer: m_pointees[first] = third; break;
    case kOpDecorate:
      if (second == kDecorationBinding) m_bindings[first] = third;
      if (second == kDecorationSet) m_sets[first] = third;
      if (second == kDecorationBufferBlock) m_bufferBlocks[first] = true;
      break;
    case kOpMemberDecorate:
      if (third == kDecorationOffset && second < kMembers) m_offsets[first][second] = instruction.word(4);
      break;
    case kOpVariable: variable(first, second, third); break;
    default: break;
    }
  }
  void into(Shader& shader) const {
    for (const auto& [id, uniform] : m_buffers) {
      const auto set = m_sets.find(id);
      if (set != m_sets.end() && set->second != 0) shader.otherSets = true;
      const auto binding = m_bindings.find(id);
      if (binding != m_bindings.end()) shader.bindings[binding->second] = uniform;
    }
    if (m_push) shader.pushOffsets = offsetsOf(*m_push);
    if (m_uniform) shader.uniformOffsets = offsetsOf(*m_uniform);
  }

private:
  using Numbers = std::unordered_map<uint32_t, uint64_t>;

  static uint64_t in(const Numbers& numbers, uint32_t id) {
    const auto found = numbers.find(id);
    return found == numbers.end() ? 0 : found->second;
  }

  void variable(uint32_t type, uint32_t id, uint32_t storage) {
    const auto pointee = static_cast<uint32_t>(in(m_pointees, type));
    if (storage == kStoragePush && !m_push) m_push = pointee;
    if (storage == kStorageBuffer) m_buffers[id] = false;
    if (storage == kStorageUniform) {
      // Before version 1.3, storage buffers were uniform variables with a marked block.
      const bool uniform = !m_bufferBlocks.contains(pointee);
      m_buffers[id] = uniform;
      if (uniform && !m_uniform) m_uniform = pointee;
    }
  }
  std::vector<uint64_t> offsetsOf(uint32_t block) const {
    std::vector<uint64_t> offsets(in(m_members, block), 0);
    const auto found = m_offsets.find(block);
    if (found != m_offsets.end())
      for (const auto& [member, offset] : found->second)
        if (member < offsets.size()) offsets[member] = offset;
    return offsets;
  }

  Numbers m_members, m_pointees, m_bindings, m_sets;
  std::unordered_map<uint32_t, bool> m_bufferBlocks, m_buffers; ///< the latter: variable → whether it is uniform
  std::unordered_map<uint32_t, Numbers> m_offsets;
  std::optional<uint32_t> m_push, m_uniform;
};

std::string versionText(uint32_t version) {
  return std::to_string(version >> 16 & 0xff) + '.' + std::to_string(version >> 8 & 0xff);
}

} // namespace

Shader readShader(const Bytes& image, std::string_view kernel) {
  const SpirvModule module = readSpirv(image);
  Shader shader;
  shader.damage = module.damage;
  shader.version = module.version;
  shader.capabilities = module.capabilities;
  shader.extensions = module.extensions;
  shader.sharedBytes = module.sharedBytes;
  for (const SpirvModule::EntryPoint& entry : module.entryPoints) {
    if (entry.model != kModelCompute) continue;
    shader.entryPoints.push_back(entry.name);
    if (entry.name != kernel || shader.found) continue;
    shader.found = true;
    shader.localSize = entry.localSize;
  }
  Declarations declarations;
  walkSpirv(image.view(), [&](const SpirvInstruction& instruction) { declarations.visit(instruction); });
  declarations.into(shader);
  return shader;
}

std::vector<std::string> lackingFeatures(const Shader& shader, const ShaderSupport& support) {
  std::vector<std::string> lacking;
  // Vulkan 1.0 accepts SPIR-V 1.0, 1.1 accepts 1.3, 1.2 accepts 1.5 and 1.3 accepts 1.6.
  constexpr uint32_t kNewest[] = {0x10000, 0x10300, 0x10500, 0x10600};
  const uint32_t newest = kNewest[std::min<uint32_t>(support.vulkan, 3)];
  const bool with14 = shader.version == 0x10400 && has(support.extensions, "VK_KHR_spirv_1_4");
  if (shader.version > newest && !with14) lacking.push_back("SPIR-V " + versionText(shader.version));
  for (const uint32_t number : shader.capabilities) {
    const auto known = std::find_if(std::begin(kCapabilities), std::end(kCapabilities),
                                    [&](const Capability& capability) { return capability.number == number; });
    if (known == std::end(kCapabilities)) {
      lacking.push_back("capability " + spirvCapabilityName(number) + ", which no known feature provides");
    } else if (!known->feature.empty() && !has(support.features, known->feature)) {
      lacking.push_back(std::string(known->feature) + " (capability " + spirvCapabilityName(number) + ')');
    }
  }
  for (const std::string& name : shader.extensions) {
    const auto known = std::find_if(std::begin(kExtensions), std::end(kExtensions),
                                    [&](const ExtensionRule& rule) { return rule.spirv == name; });
    if (known == std::end(kExtensions))
      lacking.push_back("extension " + name + ", which is unknown here");
    else if (support.vulkan < known->vulkan && !has(support.extensions, known->device))
      lacking.emplace_back(known->device);
  }
  return lacking;
}

ScalarLayout scalarLayout(const Shader& shader, bool uniform, const std::vector<uint32_t>& bits) {
  constexpr uint64_t kSlot = 8;
  const auto& declared = uniform ? shader.uniformOffsets : shader.pushOffsets;
  ScalarLayout layout;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const bool known = declared && declared->size() == bits.size();
    layout.offsets.push_back(known ? (*declared)[i] : i * kSlot);
    layout.bytes = std::max(layout.bytes, addSaturated(layout.offsets.back(), bits[i] / 8));
  }
  if (layout.bytes < UINT64_MAX - kSlot) layout.bytes = (layout.bytes + kSlot - 1) / kSlot * kSlot;
  return layout;
}

} // namespace blobscope::runner
