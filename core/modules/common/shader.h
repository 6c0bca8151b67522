#pragma once

#include "core/base/wire.h"
#include "core/modules/codec.h"
#include "core/modules/common/function_info.h"

#include <vector>

namespace blobscope::modules {

/// A SPIR-V module as TVM stores it. Source: apache/tvm src/runtime/vulkan/vulkan_shader.h v0.7.0 – v0.12.0,
/// src/runtime/spirv/spirv_shader.h v0.13.0 – v0.23.0.
struct Shader {
  uint32_t flag = 0; ///< bit 0: scalar arguments are in a uniform buffer instead of push constants (v0.8 on)
  Bytes words;       ///< 32-bit words, the first one 0x07230203
};

struct NamedShader {
  Bytes key;
  Shader shader;
};

template <class A> void wire(A& ar, wire_ref<A, Shader> v) {
  ar.number("flag", v.flag, FieldRole::TypeCode);
  ar.words("words", v.words);
}

template <class A> void wireShader(A& ar, wire_ref<A, NamedShader> v, bool sized) {
  ar.string("key", v.key);
  const auto fields = [&](A& shader) { wire(shader, v.shader); };
  sized ? ar.sized("shader", fields) : ar.group("shader", fields);
}

/// `map<str, shader>`; when `sized`, each shader is in a separate string (vulkan from v0.24).
template <class A> void wireShaderMap(A& ar, wire_ref<A, std::vector<NamedShader>> shaders, bool sized) {
  ar.list("smap", shaders, sized ? 28 : 20,
          [&](A& a, auto& entry) { a.group("", [&](A& inner) { wireShader(inner, entry, sized); }); });
}

/// Body::encodeEntry() of layouts with such a map.
inline EncodedCode encodeShader(std::string_view name, const Bytes& code, bool sized) {
  if (code.size() % 4 != 0)
    return {{}, "SPIR-V consists of 4-byte words; size of the file in bytes: " + std::to_string(code.size())};
  Writer writer;
  WriteArchive archive(writer);
  const NamedShader entry{Bytes::copyOf(name), {0, code}};
  wireShader(archive, entry, sized);
  return {joined(writer.takePieces()), {}};
}

/// Returns the words of the shader with that name.
inline std::optional<Bytes> findShader(const std::vector<NamedShader>& shaders, const Bytes& name) {
  for (const NamedShader& entry : shaders)
    if (entry.key == name) return entry.shader.words;
  return std::nullopt;
}

/// Returns one size per function, 0 where no shader has its name.
inline std::vector<uint64_t> shaderSizes(const std::vector<NamedFunction>& functions,
                                         const std::vector<NamedShader>& shaders) {
  std::vector<uint64_t> sizes;
  for (const NamedFunction& function : functions) {
    const auto words = findShader(shaders, function.key);
    sizes.push_back(words ? words->size() : 0);
  }
  return sizes;
}

} // namespace blobscope::modules
