#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/describe/comparison_markdown.h"
#include "core/diff/tree.h"

namespace blobscope::describe {

/// A comparison as one HTML page that needs nothing else: summary, counts, then the tree, in which modules and members
/// can be unfolded. Light or dark as the reader's system asks for. Text from files is escaped and never a script.
/// Error: only Cancelled.
Result<Done> writeHtml(const diff::DiffTree& tree, const TextSink& sink, Monitor& monitor);

} // namespace blobscope::describe
