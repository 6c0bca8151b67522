#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/diff/tree.h"

#include <functional>
#include <string_view>

namespace blobscope::describe {

using TextSink = std::function<void(std::string_view)>;

/// Writes a comparison as Markdown: summary, notes, the differing nodes as nested lists. Names from files are in code
/// spans that no content can close. Error: only Cancelled.
Result<Done> writeMarkdown(const diff::DiffTree& tree, const TextSink& sink, Monitor& monitor);

} // namespace blobscope::describe
