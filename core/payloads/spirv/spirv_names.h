#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Names of numbers in SPIR-V modules; the number itself when it has no known name. Sources: spirv.h.
namespace blobscope::payloads {

std::string spirvModelName(uint32_t model);
std::string spirvStorageName(uint32_t storageClass);
std::string spirvAddressingName(uint32_t addressing);
std::string spirvMemoryName(uint32_t memory);
std::string spirvSourceName(uint32_t language);
/// "Khronos LLVM/SPIR-V Translator", empty for numbers without a known name.
std::string_view spirvGeneratorName(uint32_t tool);

} // namespace blobscope::payloads
