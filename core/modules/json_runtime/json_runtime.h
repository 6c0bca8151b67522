#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `json` and all kinds derived from it: `dnnl_json`, `tensorrt`, `cublas_json`, `example_npu_json` …
extern const ModuleCodec kJsonRuntimeCodec;

} // namespace blobscope::modules
