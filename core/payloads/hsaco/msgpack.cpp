#include "core/payloads/hsaco/msgpack.h"

#include "core/base/text.h"

#include <bit>

namespace blobscope::payloads {
namespace {

class PackedReader {
public:
  explicit PackedReader(std::string_view bytes) : m_bytes(bytes) {}

  std::optional<PackedValue> read(unsigned depth) {
    if (depth > kPackedDepth || ++m_items > kPackedItems) return std::nullopt;
    const auto head = number(1);
    if (!head) return std::nullopt;
    const auto first = static_cast<uint8_t>(*head);
    if (first <= 0x7f) return PackedValue{uint64_t{first}};
    if (first <= 0x8f) return map(first & 0x0f, depth);
    if (first <= 0x9f) return array(first & 0x0f, depth);
    if (first <= 0xbf) return string(first & 0x1f);
    if (first >= 0xe0) return PackedValue{int64_t{first} - 256};
    switch (first) {
    case 0xc0: return PackedValue{nullptr};
    case 0xc2: return PackedValue{false};
    case 0xc3: return PackedValue{true};
    case 0xc4:
    case 0xc5:
    case 0xc6: return string(number(1U << (first - 0xc4))); // bin
    case 0xc7:
    case 0xc8:
    case 0xc9: return extension(number(1U << (first - 0xc7)));
    case 0xca: return real(4);
    case 0xcb: return real(8);
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf: return integer(1U << (first - 0xcc));
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: return signedInteger(1U << (first - 0xd0));
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xd7:
    case 0xd8: return extension(uint64_t{1} << (first - 0xd4));
    case 0xd9:
    case 0xda:
    case 0xdb: return string(number(1U << (first - 0xd9)));
    case 0xdc:
    case 0xdd: return array(number(2U << (first - 0xdc)), depth);
    case 0xde:
    case 0xdf: return map(number(2U << (first - 0xde)), depth);
    default: return std::nullopt; // 0xc1 is never used
    }
  }

private:
  uint64_t left() const { return m_bytes.size() - m_at; }

  /// Big-endian, of 1, 2, 4 or 8 bytes.
  std::optional<uint64_t> number(unsigned size) {
    if (left() < size) return std::nullopt;
    uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i) value = value << 8 | static_cast<uint8_t>(m_bytes[m_at++]);
    return value;
  }
  std::optional<PackedValue> integer(unsigned size) {
    const auto value = number(size);
    return value ? std::optional(PackedValue{*value}) : std::nullopt;
  }
  std::optional<PackedValue> signedInteger(unsigned size) {
    const auto value = number(size);
    if (!value) return std::nullopt;
    const unsigned unused = 64 - 8 * size;
    return PackedValue{static_cast<int64_t>(*value << unused) >> unused};
  }
  std::optional<PackedValue> real(unsigned size) {
    const auto value = number(size);
    if (!value) return std::nullopt;
    if (size == 8) return PackedValue{std::bit_cast<double>(*value)};
    return PackedValue{double{std::bit_cast<float>(static_cast<uint32_t>(*value))}};
  }
  std::optional<PackedValue> string(std::optional<uint64_t> size) {
    if (!size || *size > left()) return std::nullopt;
    PackedValue value{std::string(m_bytes.substr(m_at, *size))};
    m_at += *size;
    return value;
  }
  std::optional<PackedValue> extension(std::optional<uint64_t> size) {
    if (!size || !number(1)) return std::nullopt; // its type
    return string(size);
  }
  std::optional<PackedValue> array(std::optional<uint64_t> count, unsigned depth) {
    if (!count || *count > left()) return std::nullopt; // a value has at least one byte
    PackedValue::Array values;
    for (uint64_t i = 0; i < *count; ++i) {
      auto value = read(depth + 1);
      if (!value) return std::nullopt;
      values.push_back(std::move(*value));
    }
    return PackedValue{std::move(values)};
  }
  std::optional<PackedValue> map(std::optional<uint64_t> count, unsigned depth) {
    if (!count || *count > left() / 2) return std::nullopt;
    PackedValue::Map values;
    for (uint64_t i = 0; i < *count; ++i) {
      auto key = read(depth + 1);
      if (!key) return std::nullopt;
      auto value = read(depth + 1);
      if (!value) return std::nullopt;
      values.emplace_back(std::move(*key), std::move(*value));
    }
    return PackedValue{std::move(values)};
  }

  std::string_view m_bytes;
  uint64_t m_at = 0;
  uint64_t m_items = 0;
};

} // namespace

const PackedValue* PackedValue::find(std::string_view key) const {
  if (const Map* const members = map())
    for (const auto& [name, value] : *members)
      if (const std::string* const text = name.string(); text && *text == key) return &value;
  return nullptr;
}

std::optional<uint64_t> PackedValue::number() const {
  if (const auto* const value = std::get_if<uint64_t>(&data)) return *value;
  if (const auto* const value = std::get_if<int64_t>(&data); value && *value >= 0) return static_cast<uint64_t>(*value);
  return std::nullopt;
}

std::string PackedValue::text() const {
  if (const auto* const value = std::get_if<bool>(&data)) return *value ? "yes" : "no";
  if (const auto* const value = std::get_if<int64_t>(&data)) return std::to_string(*value);
  if (const auto* const value = std::get_if<uint64_t>(&data)) return std::to_string(*value);
  if (const auto* const value = std::get_if<double>(&data)) return std::to_string(*value);
  if (const std::string* const value = string()) return escapedWithin(*value, 512);
  if (const Map* const members = map()) return std::to_string(members->size()) + " members";
  const Array* const items = array();
  if (!items) return {};
  std::string list = "[";
  for (std::size_t i = 0; i < items->size(); ++i) {
    if (i > 0) list += ", ";
    if (i == 16) {
      list += "…";
      break;
    }
    list += (*items)[i].array() ? "[…]" : (*items)[i].text();
  }
  return list + "]";
}

std::optional<PackedValue> readPacked(const Bytes& bytes) { return PackedReader(bytes.view()).read(0); }

} // namespace blobscope::payloads
