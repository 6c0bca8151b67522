#pragma once

#include "core/container/image.h"

#include <cstdint>

namespace blobscope::library {

/// The purpose of a section. Device: code that nvcc or hipcc puts into host objects.
enum class SectionUse : uint8_t { HostCode, Data, Debug, Tables, Device };
SectionUse useOf(const container::Section& section);

} // namespace blobscope::library
