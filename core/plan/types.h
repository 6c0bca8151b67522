#pragma once

#include "core/protocol/data_type.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace blobscope::plan {

/// The type with TVM's name ("float16", "int8x4", "bool"); nothing for other names. Source of the codes: dmlc/dlpack
/// 007cef0eb0b2 include/dlpack/dlpack.h, DLDataTypeCode.
inline std::optional<protocol::DataType> typeNamed(std::string_view name) {
  if (name == "bool") return protocol::DataType{1, 1, 1};
  constexpr std::pair<std::string_view, uint8_t> kCodes[] = {{"int", 0}, {"uint", 1}, {"float", 2}, {"bfloat", 4}};
  for (const auto& [word, code] : kCodes) {
    if (!name.starts_with(word)) continue;
    const char* const end = name.data() + name.size();
    unsigned bits = 0, lanes = 1;
    const auto read = std::from_chars(name.data() + word.size(), end, bits);
    if (read.ec != std::errc{} || bits == 0 || bits > 64) continue;
    if (read.ptr != end && *read.ptr == 'x' &&
        (std::from_chars(read.ptr + 1, end, lanes).ec != std::errc{} || lanes == 0 || lanes > 64))
      return std::nullopt;
    return protocol::DataType{code, static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)};
  }
  return std::nullopt;
}

} // namespace blobscope::plan
