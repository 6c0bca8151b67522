#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/describe/comparison_graphs.h"
#include "core/describe/comparison_markdown.h"
#include "core/diff/tree.h"
#include "core/sizes/compare.h"

namespace blobscope::describe {

/// Writes a comparison as one self-contained HTML page: summary, counts, the sizes and the memory if any, the pictures,
/// then the tree, in which modules and members can be expanded. Light or dark, as the reader's system prefers. Text
/// from files is escaped and never becomes a script. Error: only Cancelled.
Result<Done> writeHtml(const diff::DiffTree& tree, const TextSink& sink, Monitor& monitor,
                       const std::vector<ReportGraph>& graphs = {}, const sizes::SizeComparison* sizes = nullptr,
                       const sizes::SizeComparison* memory = nullptr);

} // namespace blobscope::describe
