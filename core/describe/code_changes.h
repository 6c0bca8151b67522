#pragma once

#include "core/base/json.h"
#include "core/diff/tree.h"

#include <cstdint>
#include <string>
#include <vector>

/// What a comparison says about the code of kernels, in words and as JSON.
namespace blobscope::describe {

/// How a resource changed in the kernels of a comparison.
struct ResourceChange {
  std::string label; ///< "registers", "occupancy"
  bool perCent = false;
  uint64_t kernels = 0;  ///< in which it differs
  uint64_t a = 0, b = 0; ///< in the kernel with the largest change
  std::string kernel;    ///< its name, as one printable line
};
/// Registers and occupancy, where they differ in some kernel.
std::vector<ResourceChange> resourceChanges(const diff::DiffTree& tree);
/// "registers 96 → 168 in add"; "registers changed in 5 kernels, most in add: 96 → 168".
std::string resourceText(const ResourceChange& change);
/// "96 → 168": without the label.
std::string changeText(const ResourceChange& change);

/// "12 → 14"; "12" when both are equal, "–" for a side that is not known. Occupancy has "%".
std::string pairText(const diff::NumberPair& pair);
/// The classes of instructions whose numbers differ: "SASS instructions 120 → 138: global memory 20 → 24, moves 9 →
/// 12". Empty when the instructions are not known or their classes are equal.
std::string mixText(const diff::CodeChange& code);

/// Writes an object with "numbers", "listing", "removed", "added" and "instructions".
void writeCode(json::Writer& writer, const diff::CodeChange& code);

} // namespace blobscope::describe
