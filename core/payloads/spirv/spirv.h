#pragma once

#include "core/payloads/payload.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::payloads {

/// The declarations of a SPIR-V module, as far as they could be read. Source of all facts: SPIR-V Specification 1.6,
/// 2.3 "Physical Layout of a SPIR-V Module and Instruction", 3 "Binary Form"; generators: KhronosGroup/SPIRV-Headers
/// 0b198e4a2c include/spirv/spir-v.xml.
struct SpirvModule {
  static constexpr uint32_t kMagic = 0x07230203;

  struct EntryPoint {
    std::string name;
    uint32_t model = 0;     ///< execution model
    uint32_t function = 0;  ///< id
    uint64_t variables = 0; ///< in its interface
    /// Invocations of a workgroup: from the execution mode LocalSize, or from the constants that LocalSizeId or the
    /// built-in WorkgroupSize name.
    std::optional<std::array<uint32_t, 3>> localSize;
  };

  uint32_t version = 0;   ///< 0x00010300 for 1.3
  uint32_t generator = 0; ///< tool in the upper half, its version in the lower
  uint32_t bound = 0;     ///< all ids are smaller
  uint64_t instructions = 0;
  std::vector<uint32_t> capabilities; ///< lists in stored order, at most 4,096 items each
  std::vector<std::string> extensions;
  std::vector<std::string> instructionSets;           ///< "GLSL.std.450"
  std::optional<std::array<uint32_t, 2>> memoryModel; ///< addressing, memory
  std::string source;                                 ///< "GLSL 450", empty when the module does not say it
  std::vector<EntryPoint> entryPoints;
  uint64_t bindings = 0;                  ///< variables with a decoration Binding
  uint64_t descriptorSets = 0;            ///< distinct numbers of the decoration DescriptorSet
  std::map<uint32_t, uint64_t> variables; ///< storage class → variables outside functions
  uint64_t sharedBytes = 0; ///< of variables that a workgroup shares, without padding; UINT64_MAX when it is larger
  uint64_t functions = 0;
  std::string damage; ///< why reading stopped, empty when everything was read

  /// "1.3".
  std::string versionText() const;
  bool hasCapability(uint32_t capability) const;
};

/// Reads the header and walks over the instructions; instructions inside functions are not interpreted.
SpirvModule readSpirv(const Bytes& bytes);

/// "Shader"; the number when it has no known name.
std::string spirvCapabilityName(uint32_t capability);

/// SPIR-V of little-endian words.
extern const PayloadFormat kSpirv;

} // namespace blobscope::payloads
