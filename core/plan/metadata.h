#pragma once

#include "core/program/model.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace blobscope::plan {

/// What the compiler of a language model stored about its memory as JSON text among the constants. The names are those
/// of mlc-ai/mlc-llm python/mlc_llm/interface/compile.py and compiler_pass/estimate_memory_usage.py.
struct Metadata {
  std::optional<uint64_t> weightBytes;     ///< of all tensors in "params"; nothing when one has no known size
  uint64_t weights = 0;                    ///< number of tensors in "params"
  std::optional<int64_t> context, prefill; ///< tokens: of the context, and of a step of the prefill
  std::map<std::string, uint64_t, std::less<>> temporary; ///< "memory_usage": bytes of storages by function
};

/// Nothing when no text describes a model.
std::optional<Metadata> metadataOf(const protocol::Program& program);

} // namespace blobscope::plan
