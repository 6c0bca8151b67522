#pragma once

#include "core/base/wire.h"

#include <string>
#include <vector>

namespace blobscope::modules {

/// The first string of the second version of FunctionInfo, after v0.27. Seen in libraries of apache-tvm-tirx 0.1.0a4.
/// Source: apache/tvm 4a5e6edd54 src/runtime/metadata.h.
inline constexpr std::string_view kFunctionInfoV2Marker = "__tvm_function_info_v2__";

/// What host code must know to call a device function. It is stored with three fields until v0.20 (fi3), with four from
/// v0.21 (fi4, apache/tvm b6db2ec89f), and with a marker and two more fields after v0.27. Source: apache/tvm
/// src/runtime/metadata.h, FunctionInfoObj::Save and Load, per tag.
struct FunctionInfo {
  enum class Form { Three, Four, Second };
  struct Attribute {
    Bytes name;
    int64_t value = 0;
  };

  Form form = Form::Three;
  bool dlpack = false;                     ///< numbering of the data type codes
  Bytes marker;                            ///< only Form::Second
  Bytes name;                              ///< empty in most files; the map key is the name
  std::vector<uint32_t> argTypes;          ///< kernel parameters, in call order, as stored (code, bits, lanes)
  std::vector<Bytes> launchParamTags;      ///< "blockIdx.x" …; called thread_axis_tags until v0.7
  std::vector<int32_t> argExtraTags;       ///< 0 none, 1 tensor map; one per argument, or empty
  std::vector<Bytes> launchFields;         ///< only Form::Second: "grid.x" …, replaces launchParamTags when given
  std::vector<Attribute> kernelAttributes; ///< only Form::Second

  /// "handle, handle, int32".
  std::string argumentText() const;
  /// "blockIdx.x, threadIdx.x".
  std::string launchText() const;
};

/// A device function's name and its FunctionInfo: one entry of `fmap`.
struct NamedFunction {
  Bytes key;
  FunctionInfo info;
};

template <class A> void wire(A& ar, wire_ref<A, FunctionInfo> v) {
  if constexpr (A::kReads) {
    v.form = ar.context().extraTags ? FunctionInfo::Form::Four : FunctionInfo::Form::Three;
    v.dlpack = ar.context().dlpack;
    // Only the value distinguishes the marker from a name; no kernel has this name.
    ar.string("name", v.name);
    if (v.name.view() == kFunctionInfoV2Marker) {
      v.form = FunctionInfo::Form::Second;
      v.marker = v.name;
      ar.string("name", v.name);
    }
  } else {
    if (v.form == FunctionInfo::Form::Second) ar.string("marker", v.marker, FieldRole::TypeKey);
    ar.string("name", v.name);
  }
  ar.list("arg_types", v.argTypes, 4, [&](A& a, auto& type) { a.dataType("", type, v.dlpack); });
  ar.list("launch_param_tags", v.launchParamTags, 8, [](A& a, auto& tag) { a.string("", tag); });
  if (v.form == FunctionInfo::Form::Three) return;
  ar.list("arg_extra_tags", v.argExtraTags, 4, [](A& a, auto& tag) { a.number("", tag, FieldRole::TypeCode); });
  if (v.form == FunctionInfo::Form::Four) return;
  ar.list("launch_fields", v.launchFields, 8, [](A& a, auto& field) { a.string("", field); });
  ar.list("kernel_attributes", v.kernelAttributes, 16, [](A& a, auto& attribute) {
    a.group("", [&](A& inner) {
      inner.string("key", attribute.name);
      inner.number("value", attribute.value);
    });
  });
}

template <class A> void wire(A& ar, wire_ref<A, NamedFunction> v) {
  ar.string("key", v.key);
  ar.group("info", [&](A& info) { wire(info, v.info); });
}

/// `map<str, FunctionInfo>`: an entry takes at least 32 bytes.
template <class A> void wireFunctionMap(A& ar, wire_ref<A, std::vector<NamedFunction>> functions) {
  ar.list("fmap", functions, 32, [](A& a, auto& entry) { a.group("", [&](A& inner) { wire(inner, entry); }); });
}

/// Returns the form in which the first kernel of the tree is stored; without kernels, the form that the stream uses.
FunctionInfo::Form formOf(const FieldTree& tree, const WireContext& context);

} // namespace blobscope::modules
