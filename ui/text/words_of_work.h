#pragma once

#include <span>

namespace blobscope::ui {

/// The part of coreWords() for work: comparisons, runs, plans and progress.
std::span<const char* const> wordsOfWork();

} // namespace blobscope::ui
