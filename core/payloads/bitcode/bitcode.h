#pragma once

#include "core/base/extent.h"
#include "core/payloads/payload.h"

#include <cstdint>
#include <optional>
#include <string>

namespace blobscope::payloads {

/// What LLVM bitcode states about itself in its first blocks. Source: llvm/llvm-project llvmorg-19.1.7
/// llvm/docs/BitCodeFormat.rst ("Bitstream Container Format", "Bitcode Wrapper Format", "IDENTIFICATION_BLOCK
/// Contents", "MODULE_BLOCK Contents"); llvm/include/llvm/Bitcode/LLVMBitCodes.h.
struct Bitcode {
  /// The place of the bitcode, as a wrapper before it states it.
  struct Wrapper {
    uint32_t version = 0;
    Extent bitcode;       ///< from the first byte, as stored
    uint32_t cpuType = 0; ///< with the numbers of Mach-O
  };
  std::optional<Wrapper> wrapper;
  std::string producer; ///< "LLVM17.0.6", empty when there is none (before LLVM 3.8)
  std::optional<uint64_t> epoch;
  std::optional<uint64_t> moduleVersion; ///< 2: names are in a string table
  std::string triple;                    ///< "nvptx64-nvidia-cuda"
  std::string dataLayout;
  std::string sourceFile;
  uint64_t modules = 0; ///< modules found
  std::string damage;   ///< why reading stopped early, empty when it did not
};

/// Reads the identification and the first records of the first module; blocks inside are skipped.
Bitcode readBitcode(const Bytes& bytes);

/// LLVM bitcode, bare or in a wrapper.
extern const PayloadFormat kBitcode;

} // namespace blobscope::payloads
