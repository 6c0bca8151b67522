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

/// Returns the results of a comparison as clauses without a full stop, most important first: "412 kernels same, 3
/// changed, 1 renamed", "2 tensors changed, max difference 3e-4", "size 1,024 → 1,036 bytes (+1.2 %)". Never empty.
std::vector<std::string> summaryOf(const diff::DiffTree& tree);
/// Returns the clauses joined by semicolons.
std::string summaryLine(const diff::DiffTree& tree);
/// Returns one sentence about the most important kind of node: "48 of 50 kernels are the same, 13 of them under another
/// name; 2 changed."
std::string sentenceOf(const diff::DiffTree& tree);
/// Returns the kind of node that the sentence is about.
diff::Topic mainTopic(const diff::DiffTree& tree);
/// Returns "changed", "only in B", "only in A", "renamed", "moved", "same".
std::string_view statusText(diff::Status status);

/// Writes the members of an open object, as cli.md specifies for `diff`. Ends early if the monitor requests it.
void writeComparison(json::Writer& writer, const diff::DiffTree& tree, Monitor& monitor);
/// Writes the comparison as lines of text: both files, the summary, a line per node. Ends early if the monitor requests
/// it.
void writeText(const diff::DiffTree& tree, const TextOutput& out, Monitor& monitor);

/// Returns the node's name as one printable line: "fused_add", "fused_add → fused_add_1".
std::string shownName(const diff::DiffNode& node);
/// Returns the reference to the node: in A unless only B has it.
const Ref& refOf(const diff::DiffNode& node);

} // namespace blobscope::describe
