#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/payloads/spirv/spirv.h"

namespace blobscope::payloads {

/// Maximum size of a module that is passed to SPIRV-Tools. The largest real one seen has 150 KiB; the text is about six
/// times as large and exists three times while it is made.
constexpr uint64_t kSpirvToolsBytes = uint64_t{16} << 20;
/// Maximum number of ids in a module that is passed to SPIRV-Tools: the universal limit of the specification (2.17).
constexpr uint32_t kSpirvToolsIds = 4'194'303;

/// Whether this build has SPIRV-Tools.
bool hasSpirvTools();

/// The text of the module with names and indented, as `spirv-dis` writes it; ids are numbers when names would make the
/// text too large. A notice when the module cannot be passed to SPIRV-Tools or is not SPIR-V. Cancelled.
Result<view::Page> disassembledSpirv(const Bytes& bytes, const SpirvModule& module, Monitor& monitor);

/// A table of the validator's messages: for the module's version of SPIR-V, and for shaders also for the oldest Vulkan
/// that accepts that version. A notice when the module cannot be passed to SPIRV-Tools. Cancelled.
Result<view::Page> validatedSpirv(const Bytes& bytes, const SpirvModule& module, Monitor& monitor);

/// The module of a text as `spirv-dis` writes it, for the newest version of SPIR-V that this build knows and the
/// version that the text names in its comment "; Version: 1.3".
struct SpirvAssembled {
  struct Problem {
    bool isError = true;
    uint64_t line = 0, column = 0; ///< from 1
    std::string text;
  };
  std::string version;         ///< of SPIRV-Tools: "2023.1"
  std::optional<Bytes> module; ///< nothing when the text is not correct, or the module is not valid
  std::vector<Problem> problems;
};
/// Assembles and validates. FILE-LIMIT for a text of more than kSpirvToolsBytes; INTERNAL in a build without
/// SPIRV-Tools; Cancelled.
Result<SpirvAssembled> assembleSpirv(std::string_view text, Monitor& monitor);

} // namespace blobscope::payloads
