#pragma once

#include "core/base/bytes.h"
#include "core/view/page.h"

#include <vector>

namespace blobscope::modules {

/// Adds the pages "Model" and "Weights" with what the compiler of a model stored about it as JSON text among the
/// constants: quantisation, context length, KV cache, memory per function, the list of weights. Adds nothing when no
/// text describes a model. The names are those of mlc-ai/mlc-llm python/mlc_llm/interface/compile.py; seen in 40
/// libraries of 2023 – 2025.
void addModelPages(const std::vector<Bytes>& texts, view::PageList& list);

} // namespace blobscope::modules
