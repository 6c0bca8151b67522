#pragma once

#include "app/runner/backends/backend.h"

#include <map>

/// What the Vulkan back end must know about a kernel before it is passed to a driver. Facts: SPIR-V Specification 1.6
/// (2.3, 3.20 "Decoration", 3.31 "Capability"), Vulkan Specification 1.3 appendix "Vulkan Environment for SPIR-V".
namespace blobscope::runner {

/// The capabilities of a device, under the names in the Vulkan specification.
struct ShaderSupport {
  std::vector<std::string> features = {};   ///< "shaderFloat16"; for subgroups "subgroup arithmetic"
  std::vector<std::string> extensions = {}; ///< of the device: "VK_KHR_shader_float_controls"
  uint32_t vulkan = 0;                      ///< minor number of version 1: 3 for 1.3
};

/// A SPIR-V kernel.
struct Shader {
  std::string damage;   ///< why it is not a complete module; otherwise empty
  uint32_t version = 0; ///< 0x00010300
  std::vector<uint32_t> capabilities;
  std::vector<std::string> extensions;
  std::vector<std::string> entryPoints;             ///< of compute shaders
  bool found = false;                               ///< whether one has the kernel's name
  std::optional<std::array<uint32_t, 3>> localSize; ///< of that entry point
  uint64_t sharedBytes = 0;                         ///< of variables that a workgroup shares
  std::map<uint32_t, bool> bindings;                ///< of descriptor set 0: number → whether it is a uniform block
  bool otherSets = false;                           ///< it has variables in other descriptor sets
  std::optional<std::vector<uint64_t>>
      pushOffsets; ///< byte offset of each member of the push constants; nothing without push constants
  std::optional<std::vector<uint64_t>> uniformOffsets; ///< the same for the first uniform block
};

/// Reads a module. Never fails; damage is reported in the result.
Shader readShader(const Bytes& image, std::string_view kernel);

/// Returns what the shader needs and the device lacks, in the specification's names: "shaderInt8 (capability Int8)".
/// Empty if nothing is missing. An unknown capability or extension counts as missing.
std::vector<std::string> lackingFeatures(const Shader& shader, const ShaderSupport& support);

/// The place of each scalar argument in the push constants or the uniform block.
struct ScalarLayout {
  std::vector<uint64_t> offsets; ///< bytes, one per scalar in order
  uint64_t bytes = 0;            ///< of the whole block, a multiple of 8
};
/// Returns the layout that the shader declares, which covers the 4-byte slots of releases before 0.8; 8-byte slots if
/// it declares none. `bits`: of each scalar.
ScalarLayout scalarLayout(const Shader& shader, bool uniform, const std::vector<uint32_t>& bits);

} // namespace blobscope::runner
