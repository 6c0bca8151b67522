#pragma once

#include <span>

namespace blobscope::ui {

/// The part of coreWords() for work and answers: safety, comparisons, runs, plans and progress.
std::span<const char* const> wordsOfWork();

} // namespace blobscope::ui
