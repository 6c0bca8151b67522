#pragma once

#include "core/mlf/target.h"

#include <string>
#include <vector>

namespace blobscope::mlf {

/// Returns LLVM's names of the machines that objects for this target may be for; empty if the target does not say. Uses
/// the architecture in -mtriple, otherwise -mcpu, otherwise -march. LLVM's names include class and byte order
/// ("mipsel"). Source: core/formats/model-library-format.md 6.5.
std::vector<std::string> machinesOf(const Target& target);

} // namespace blobscope::mlf
