#pragma once

#include "core/diff/tree.h"

#include <string>
#include <vector>

namespace blobscope::diff {

/// What a comparison found, in clauses without a full stop, most telling first: "412 kernels same, 3 changed, 1
/// renamed", "2 tensors changed, max difference 3e-4", "size 1,024 → 1,036 bytes (+1.2 %)". Never empty.
std::vector<std::string> summaryOf(const DiffTree& tree);
/// The clauses with semicolons between.
std::string summaryLine(const DiffTree& tree);

/// A node's name as it is shown, one printable line: "fused_add", "fused_add → fused_add_1".
std::string shownName(const DiffNode& node);
/// The reference that leads to the node, of A unless only B has it.
const Ref& refOf(const DiffNode& node);

} // namespace blobscope::diff
