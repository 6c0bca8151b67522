#pragma once

#include "core/mlf/target.h"

#include <string>
#include <vector>

namespace blobscope::mlf {

/// LLVM's names of the machines that objects of this target may be for; empty when the target does not tell. From the
/// architecture of -mtriple, else -mcpu, else -march. LLVM's names say class and byte order too ("mipsel").
/// Source: core/formats/model-library-format.md 6.5.
std::vector<std::string> machinesOf(const Target& target);

} // namespace blobscope::mlf
