#pragma once

#include "core/base/wire.h"
#include "core/modules/codec.h"
#include "core/modules/common/function_info.h"

#include <optional>
#include <vector>

namespace blobscope::modules {

/// The separate code of a kernel: one entry of `smap`, map<str, bytes>. Source: apache/tvm
/// src/runtime/metal/metal_module.mm, src/target/source/codegen_webgpu.cc.
struct NamedCode {
  Bytes key;
  Bytes code;
};

template <class A> void wire(A& ar, wire_ref<A, NamedCode> v) {
  ar.string("key", v.key);
  ar.data("code", v.code);
}

template <class A> void wireCodeMap(A& ar, wire_ref<A, std::vector<NamedCode>> codes) {
  ar.list("smap", codes, 16, [](A& a, auto& entry) { a.group("", [&](A& inner) { wire(inner, entry); }); });
}

/// Body::encodeEntry() of layouts with such a map.
inline EncodedCode encodeCode(std::string_view name, const Bytes& code) {
  return {encodeWire(NamedCode{Bytes::copyOf(name), code}), {}};
}

/// Returns the code with that name.
inline std::optional<Bytes> findCode(const std::vector<NamedCode>& codes, const Bytes& name) {
  for (const NamedCode& entry : codes)
    if (entry.key == name) return entry.code;
  return std::nullopt;
}

/// Returns one size per function, 0 where no code has its name.
inline std::vector<uint64_t> codeSizes(const std::vector<NamedFunction>& functions,
                                       const std::vector<NamedCode>& codes) {
  std::vector<uint64_t> sizes;
  for (const NamedFunction& function : functions) {
    const auto code = findCode(codes, function.key);
    sizes.push_back(code ? code->size() : 0);
  }
  return sizes;
}

} // namespace blobscope::modules
