#pragma once

#include <string>
#include <string_view>

namespace blobscope::modules {

/// An operator's name for pictures.
struct OperatorName {
  std::string title;      ///< "conv, add, leaky relu"
  std::string_view group; ///< "Convolution"; a literal
};

/// Reads the name that TVM's compiler made for a function from the operators in it, such as
/// `tvmgen_default_fused_nn_contrib_conv2d_NCHWc_add_nn_leaky_relu_7`. Words without meaning for people are left out
/// ("fused", "nn", layouts, numbers at the end); three operators are named, and the number of the others. Names of any
/// other form become their words. The group is that of the operator that computes most.
///
/// Source: apache/tvm v0.18.0 src/relay/backend/te_compiler_cache.cc, LowerToTECompute (`fused_` and the operators'
/// names with `_`); the names in the libraries seen.
OperatorName operatorName(std::string_view function);

/// "3×224×224" for "[3, 224, 224]", "scalar" for "[]"; other text unchanged.
std::string shapeTitle(std::string_view shape);

} // namespace blobscope::modules
