#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/diff/tree.h"

#include <functional>
#include <string_view>

namespace blobscope::describe {

using TextSink = std::function<void(std::string_view)>;

/// A comparison as Markdown: summary, notes, the differing nodes as nested lists. Names from files are in code spans
/// that nothing in them can end. Error: only Cancelled.
Result<Done> writeMarkdown(const diff::DiffTree& tree, const TextSink& sink, Monitor& monitor);

} // namespace blobscope::describe
