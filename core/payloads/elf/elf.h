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

/// What the dynamic section asks of the loader.
struct ElfDynamic {
  std::string soname;              ///< empty when there is none
  std::vector<std::string> needed; ///< in stored order, at most 1,024
};
ElfDynamic elfDynamic(const container::elf::File& file);

/// "shared object", "relocatable object"; a number when it has no name.
std::string elfTypeText(uint16_t type);
/// "AArch64 (183)"; the number alone when it has no name here.
std::string elfMachineText(uint16_t machine);
/// "v68": the version of the DSP that the code is for. Nothing when the flags name none.
/// Source: llvm/llvm-project 008d0233ac llvm/include/llvm/BinaryFormat/ELF.h, EF_HEXAGON_MACH.
std::optional<std::string> hexagonVersion(uint32_t flags);

/// Adds the tables "Sections" and "Symbols", and "Damage" when something does not fit. Files above 32 MiB give pages
/// that are made when they are looked at.
void addElfTables(const Bytes& bytes, view::PageList& list);

/// ELF of any machine without a reader of its own.
extern const PayloadFormat kElf;
/// ELF for Qualcomm's Hexagon.
extern const PayloadFormat kHexagonElf;

} // namespace blobscope::payloads
