#pragma once

#include "core/base/bytes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace blobscope::payloads {

/// A value of MessagePack. Source: msgpack/msgpack spec.md, "Formats".
struct PackedValue {
  using Array = std::vector<PackedValue>;
  using Map = std::vector<std::pair<PackedValue, PackedValue>>; ///< in stored order
  std::variant<std::nullptr_t, bool, int64_t, uint64_t, double, std::string, Array, Map> data = nullptr;

  const Array* array() const { return std::get_if<Array>(&data); }
  const Map* map() const { return std::get_if<Map>(&data); }
  const std::string* string() const { return std::get_if<std::string>(&data); }
  /// First value of a map under that text; null when this is no map or has none.
  const PackedValue* find(std::string_view key) const;
  /// A number that is not negative.
  std::optional<uint64_t> number() const;
  /// The value in words, one line: numbers in decimal, text as it is (escaped), lists as "[64, 1, 1]".
  std::string text() const;
};

/// Values read at most, and how deep they may lie in one another; the metadata of a kernel has some 60 in 5 levels.
constexpr uint64_t kPackedItems = 262'144;
constexpr unsigned kPackedDepth = 16;

/// The value at the start of the bytes; what follows it is not looked at. Nothing when the bytes end inside it, hold a
/// byte that begins no value, or are above the limits.
std::optional<PackedValue> readPacked(const Bytes& bytes);

} // namespace blobscope::payloads
