#pragma once

#include "ui/widgets/find/find_search.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::ui {

/// Returns why `with` cannot replace what the query finds, as a sentence; empty when it can.
QString replacementProblem(const FindQuery& query, const QString& with);

/// Returns the text that replaces each hit of the query in `bytes`. With a regular expression, `with` may contain \0
/// for the whole match, \1 to \9 for what its groups matched, \n, \t and \\; otherwise it is used as it is. Any thread;
/// nullopt if a stop was requested. A hit that is no longer one keeps its text.
std::optional<std::vector<std::string>> replacementsOf(const Bytes& bytes, const FindHits& hits, const FindQuery& query,
                                                       const QString& with, const std::function<bool()>& stopRequested);

} // namespace blobscope::ui
