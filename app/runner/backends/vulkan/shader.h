#pragma once

#include "app/runner/backends/backend.h"

#include <map>

/// What the Vulkan back end has to know of a kernel before a driver sees it. Facts: SPIR-V Specification 1.6 (2.3, 3.20
/// "Decoration", 3.31 "Capability"), Vulkan Specification 1.3 appendix "Vulkan Environment for SPIR-V".
namespace blobscope::runner {

/// What a device offers, each by the name that the Vulkan specification gives it.
struct ShaderSupport {
  std::vector<std::string> features = {};   ///< "shaderFloat16"; of subgroups "subgroup arithmetic"
  std::vector<std::string> extensions = {}; ///< of the device: "VK_KHR_shader_float_controls"
  uint32_t vulkan = 0;                      ///< minor number of version 1: 3 for 1.3
};

/// A kernel of SPIR-V.
struct Shader {
  std::string damage;   ///< why it is no whole module, else empty
  uint32_t version = 0; ///< 0x00010300
  std::vector<uint32_t> capabilities;
  std::vector<std::string> extensions;
  std::vector<std::string> entryPoints;             ///< of compute shaders
  bool found = false;                               ///< whether one has the kernel's name
  std::optional<std::array<uint32_t, 3>> localSize; ///< of that one
  uint64_t sharedBytes = 0;                         ///< of variables shared by a workgroup
  std::map<uint32_t, bool> bindings;                ///< of descriptor set 0: number → whether it is a uniform block
  bool otherSets = false;                           ///< it has variables in other descriptor sets
  std::optional<std::vector<uint64_t>>
      pushOffsets; ///< bytes, a member each, of the push constants; nothing without them
  std::optional<std::vector<uint64_t>> uniformOffsets; ///< the same of the first uniform block
};

/// Reads a module; never fails, damage is in the result.
Shader readShader(const Bytes& image, std::string_view kernel);

/// What the shader needs and the device lacks, in the specification's names: "shaderInt8 (capability Int8)". Empty when
/// all is there. A capability or extension that is not known here counts as lacking.
std::vector<std::string> lackingFeatures(const Shader& shader, const ShaderSupport& support);

/// Where each scalar argument goes in the push constants or the uniform block.
struct ScalarLayout {
  std::vector<uint64_t> offsets; ///< bytes, one per scalar in order
  uint64_t bytes = 0;            ///< of the whole block, a multiple of 8
};
/// As the shader declares it, which covers the slots of 4 bytes that releases before 0.8 used; slots of 8 bytes where
/// it declares none. `bits`: of each scalar.
ScalarLayout scalarLayout(const Shader& shader, bool uniform, const std::vector<uint32_t>& bits);

} // namespace blobscope::runner
