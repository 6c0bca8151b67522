#include "core/library/section_use.h"

namespace blobscope::library {

SectionUse useOf(const container::Section& section) {
  // Source: CUDA toolkit, fatbinary; seen in libraries that were linked with nvcc.
  if (section.name == ".nv_fatbin" || section.name == "__nv_relfatbin" || section.name == ".hip_fatbin")
    return SectionUse::Device;
  if (section.executable) return SectionUse::HostCode;
  if (section.name.starts_with(".debug")) return SectionUse::Debug;
  return section.allocated && section.type == "PROGBITS" ? SectionUse::Data : SectionUse::Tables;
}

} // namespace blobscope::library
