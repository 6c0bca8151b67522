#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"
#include "core/requirements/elf_facts.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace blobscope::requirements {

/// A call of a function of another library from code that the loader runs.
struct StartUpUse {
  std::size_t entry = 0; ///< in ElfFacts::entries
  uint32_t symbol = 0;   ///< index in Image::symbols
  bool certain = false;  ///< no path through the code avoids it
  bool late = false;     ///< it goes through a word that is bound at the first call
};

struct StartUpUses {
  std::vector<StartUpUse> uses; ///< per entry in the order in which the code reaches them, each symbol once
  bool complete = true;         ///< all code that these entries call directly was read
};

/// Whether readStartUp() understands the code of the file, in this program.
bool canReadStartUp(const container::Image& image);

/// Follows the code of each entry of `facts` and of the functions that it calls directly. Nothing is executed: values
/// are computed as far as they are constants, variables that nothing has set before are what the file stores, and a
/// branch whose condition is not known is followed in both directions. Calls through other pointers are not followed.
/// Sources: Intel SDM 2A; Arm ARM DDI 0487, C6.2; Itanium C++ ABI 3.3.3, "One-time Construction API". Error: only
/// Cancelled.
Result<StartUpUses> readStartUp(const container::Image& image, const ElfFacts& facts, Monitor& monitor);

} // namespace blobscope::requirements
