#pragma once

#include "core/modules/codec.h"
#include "core/modules/common/function_info.h"

namespace blobscope::modules {

/// Layout "code3" of many device kinds: declared format, functions, one code image for all of them. Source: apache/tvm
/// src/runtime/cuda/cuda_module.cc, src/runtime/opencl/opencl_module.cc, SaveToBinary, v0.2 – v0.27.
struct Code3 {
  Bytes format;
  std::vector<NamedFunction> functions;
  Bytes data;
};

template <class A> void wire(A& ar, wire_ref<A, Code3> v) {
  ar.string("fmt", v.format, FieldRole::TypeKey);
  wireFunctionMap(ar, v.functions);
  ar.data("data", v.data);
}

} // namespace blobscope::modules
