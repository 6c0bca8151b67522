#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/payloads/spirv/spirv.h"

namespace blobscope::payloads {

/// What SPIRV-Tools makes of a module. Larger ones are not handed over: the largest real one seen has 150 KiB, the text
/// is some six times as large and exists three times while it is made.
constexpr uint64_t kSpirvToolsBytes = uint64_t{16} << 20;
/// Ids of a module that is handed over: the universal limit of the specification (2.17).
constexpr uint32_t kSpirvToolsIds = 4'194'303;

/// Whether this build has SPIRV-Tools.
bool hasSpirvTools();

/// The text of the module with names and indented, as `spirv-dis` writes it; ids are numbers when names would make the
/// text explode. A notice when the module cannot be handed over or is no SPIR-V. Cancelled.
Result<view::Page> disassembledSpirv(const Bytes& bytes, const SpirvModule& module, Monitor& monitor);

/// A table of what the validator says: for the module's version of SPIR-V, and for shaders also for the oldest Vulkan
/// that takes that version. A notice when the module cannot be handed over. Cancelled.
Result<view::Page> validatedSpirv(const Bytes& bytes, const SpirvModule& module, Monitor& monitor);

} // namespace blobscope::payloads
