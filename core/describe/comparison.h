#pragma once

#include "core/base/json.h"
#include "core/base/monitor.h"
#include "core/describe/text_output.h"
#include "core/diff/tree.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::describe {

/// What a comparison found, in clauses without a full stop, most telling first: "412 kernels same, 3 changed, 1
/// renamed", "2 tensors changed, max difference 3e-4", "size 1,024 → 1,036 bytes (+1.2 %)". Never empty.
std::vector<std::string> summaryOf(const diff::DiffTree& tree);
/// The clauses with semicolons between.
std::string summaryLine(const diff::DiffTree& tree);
/// The same as one sentence about the kind of nodes that matters most: "48 of 50 kernels are the same, 13 of them under
/// another name; 2 changed."
std::string sentenceOf(const diff::DiffTree& tree);
/// The kind of nodes that the sentence is about.
diff::Topic mainTopic(const diff::DiffTree& tree);
/// "changed", "only in B", "only in A", "renamed", "moved", "same".
std::string_view statusText(diff::Status status);

/// Members of an open object: what cli.md says of `diff`. Ends early when the monitor says stop.
void writeComparison(json::Writer& writer, const diff::DiffTree& tree, Monitor& monitor);
/// The comparison as lines of text: both files, the summary, a line per node. Ends early when the monitor says stop.
void writeText(const diff::DiffTree& tree, const TextOutput& out, Monitor& monitor);

/// A node's name as it is shown, one printable line: "fused_add", "fused_add → fused_add_1".
std::string shownName(const diff::DiffNode& node);
/// The reference that leads to the node, of A unless only B has it.
const Ref& refOf(const diff::DiffNode& node);

} // namespace blobscope::describe
