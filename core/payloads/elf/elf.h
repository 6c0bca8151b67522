#pragma once

#include "core/base/bytes.h"
#include "core/container/elf/file.h"
#include "core/payloads/payload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::payloads {

struct ElfNote {
  std::string owner; ///< "AMDGPU"
  uint32_t type = 0;
  Bytes content; ///< cut to what is there
};
/// The notes of the note segments, or of the note sections when there is no such segment; at most 1,024.
std::vector<ElfNote> elfNotes(const container::elf::File& file);

/// What the dynamic section requests from the loader.
struct ElfDynamic {
  std::string soname;              ///< empty when there is none
  std::vector<std::string> needed; ///< in stored order, at most 1,024
};
ElfDynamic elfDynamic(const container::elf::File& file);

/// "shared object", "relocatable object"; a number when it has no name.
std::string elfTypeText(uint16_t type);
/// "AArch64 (183)"; the number alone when it has no known name.
std::string elfMachineText(uint16_t machine);
/// "v68": the version of the DSP for which the code was compiled. Nothing when the flags contain none. Source:
/// llvm/llvm-project 008d0233ac llvm/include/llvm/BinaryFormat/ELF.h, EF_HEXAGON_MACH.
std::optional<std::string> hexagonVersion(uint32_t flags);

/// Adds the tables "Sections" and "Symbols", and "Damage" when something is damaged. For files above 32 MiB the pages
/// are made when they are first shown.
void addElfTables(const Bytes& bytes, view::PageList& list);

/// ELF for machines without a separate reader.
extern const PayloadFormat kElf;
/// ELF for Qualcomm's Hexagon.
extern const PayloadFormat kHexagonElf;

} // namespace blobscope::payloads
