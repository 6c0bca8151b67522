#include "core/library/section_use.h"

namespace blobscope::library {

SectionUse useOf(const container::Section& section) {
  // Source: core/formats/cuda-binaries.md 9.2; names of PE sections are cut to eight characters.
  constexpr std::string_view kNames[] = {".nv_fatbin", ".nv_fatb",    "__nv_relfatbin",
                                         "__nv_rel",   ".hip_fatbin", ".hip_fat"};
  for (const std::string_view name : kNames)
    if (section.name == name) return SectionUse::Device;
  if (section.executable) return SectionUse::HostCode;
  if (section.name.starts_with(".debug")) return SectionUse::Debug;
  return section.allocated && section.type == "PROGBITS" ? SectionUse::Data : SectionUse::Tables;
}

} // namespace blobscope::library
