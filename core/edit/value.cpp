#include "core/edit/value.h"

#include "core/base/text.h"
#include "core/base/writer.h"
#include "core/modules/field_values.h"
#include "core/modules/module_fields.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace blobscope::edit {
namespace {

Error refuse(std::string_view ref, const json::Value& value, std::string reason) {
  return Error(DiagnosticId::EditValue,
               {arg("ref", ref), {"value", escapedWithin(jsonText(value), 80)}, {"reason", std::move(reason)}});
}

/// A whole number with its sign. wholeOf() returns nothing for other values and for numbers of more than 64 bits.
struct Whole {
  bool negative = false;
  uint64_t magnitude = 0;
};
std::optional<Whole> wholeOf(const json::Value& value) {
  if (const auto* number = std::get_if<uint64_t>(&value.data)) return Whole{false, *number};
  if (const auto* number = std::get_if<int64_t>(&value.data))
    return Whole{*number < 0,
                 *number < 0 ? uint64_t{0} - static_cast<uint64_t>(*number) : static_cast<uint64_t>(*number)};
  if (const auto* text = value.string()) {
    const bool negative = text->starts_with('-');
    const auto number = parseNumber(std::string_view(*text).substr(negative ? 1 : 0));
    if (number) return Whole{negative, *number};
  }
  return std::nullopt;
}

Bytes littleEndian(uint64_t value, unsigned size) {
  return Bytes::copyOf({reinterpret_cast<const char*>(&value), size});
}

Result<Bytes> numberBytes(unsigned size, bool isSigned, const json::Value& value, std::string_view ref) {
  const auto whole = wholeOf(value);
  if (!whole) return refuse(ref, value, "a whole number is needed");
  const unsigned bits = size * 8;
  const uint64_t largest = isSigned     ? (uint64_t{1} << (bits - 1)) - 1
                           : bits == 64 ? UINT64_MAX
                                        : (uint64_t{1} << bits) - 1;
  const uint64_t limit = whole->negative ? (isSigned ? largest + 1 : 0) : largest;
  if (whole->magnitude > limit)
    return refuse(ref, value, "the field has " + std::to_string(bits) + " bits" + (isSigned ? "" : " without a sign"));
  return littleEndian(whole->negative ? uint64_t{0} - whole->magnitude : whole->magnitude, size);
}

/// Returns the bytes of a text or {"hex": "…"}.
Result<Bytes> textBytes(const json::Value& value, std::string_view ref) {
  if (const auto* text = value.string()) return Bytes::copyOf(*text);
  if (const json::Value* hex = value.find("hex"); hex && hex->string())
    if (const auto bytes = parseHexDigits(*hex->string())) return Bytes::copyOf(*bytes);
  return refuse(ref, value, "a text or {\"hex\": \"…\"} is needed");
}

/// Whether data types anywhere in the tree use DLPack's numbering.
bool usesDlpack(const FieldTree& tree) {
  for (const Field& field : tree.rows)
    if (field.type == FieldType::DataType) return field.number >> 32 != 0;
  return true;
}

Result<Bytes> leafBytes(const Field& field, bool dlpack, const json::Value& value, std::string_view ref) {
  switch (field.type) {
  case FieldType::U8: return numberBytes(1, false, value, ref);
  case FieldType::U16: return numberBytes(2, false, value, ref);
  case FieldType::U32: return numberBytes(4, false, value, ref);
  case FieldType::U64: return numberBytes(8, false, value, ref);
  case FieldType::I32: return numberBytes(4, true, value, ref);
  case FieldType::I64: return numberBytes(8, true, value, ref);
  case FieldType::F64: {
    double number = 0;
    if (const auto* real = std::get_if<double>(&value.data))
      number = *real;
    else if (const auto whole = wholeOf(value))
      number = static_cast<double>(whole->magnitude) * (whole->negative ? -1 : 1);
    else
      return refuse(ref, value, "a number is needed");
    return Bytes::copyOf({reinterpret_cast<const char*>(&number), 8});
  }
  case FieldType::DataType: {
    if (const auto* name = value.string()) {
      // Several stored forms may have the same name; a field that already has that name stays unchanged.
      const auto stored = static_cast<uint32_t>(field.number);
      if (field.size > 0 && dataTypeName(stored, dlpack) == *name) return littleEndian(stored, 4);
      if (const auto raw = parseDataType(*name, dlpack)) return littleEndian(*raw, 4);
    }
    if (wholeOf(value)) return numberBytes(4, false, value, ref);
    return refuse(ref, value, "a type like \"float16x4\" is needed");
  }
  case FieldType::Words:
  case FieldType::Words64: {
    const auto* items = value.array();
    if (!items) return textBytes(value, ref);
    Writer writer;
    for (const json::Value& item : *items) {
      BLOBSCOPE_TRY(word, wordBytes(field.type == FieldType::Words ? 4 : 8, item, ref));
      writer.raw(word);
    }
    return joined(writer.takePieces());
  }
  case FieldType::String:
  case FieldType::Data: return textBytes(value, ref);
  case FieldType::List:
  case FieldType::Items:
  case FieldType::Group:
  case FieldType::Sized:
  case FieldType::Literal:
  case FieldType::Unknown: break;
  }
  return refuse(ref, value, "it consists of fields; set these");
}

/// Returns a decimal number up to `limit`.
std::optional<uint32_t> numberIn(std::string_view text, uint32_t limit) {
  uint32_t number = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} && stop == text.data() + text.size() && number <= limit ? std::optional(number)
                                                                                        : std::nullopt;
}

/// Returns code and bits of a type with one lane.
std::optional<uint32_t> parseScalar(std::string_view name, bool dlpack) {
  constexpr std::string_view kCustom = "custom";
  if (const std::size_t line = name.find('_'); name.starts_with(kCustom) && line != std::string_view::npos) {
    const auto code = numberIn(name.substr(kCustom.size(), line - kCustom.size()), 0xff),
               bits = numberIn(name.substr(line + 1), 0xff);
    return code && bits ? std::optional(*code | *bits << 8) : std::nullopt;
  }
  constexpr uint32_t kCodes = 18; // of DLPack 1.1; TVM's own codes end earlier
  // Compares names with two lanes, since zero bits and one lane have the name "void".
  const std::string twice = std::string(name) + "x2";
  const auto isCalled = [&](uint32_t raw) { return dataTypeName(raw | 2u << 16, dlpack) == twice; };
  // Names that contain the width fit any number of bits; the usual number is the one in the name.
  for (uint32_t code = 0; code < kCodes; ++code)
    for (const uint32_t usual : {8u, 4u, 6u})
      if (name.starts_with("float" + std::to_string(usual) + "_") && isCalled(code | usual << 8))
        return code | usual << 8;
  for (uint32_t code = 0; code < kCodes; ++code)
    for (uint32_t bits = 0; bits < 256; ++bits)
      if (isCalled(code | bits << 8)) return code | bits << 8;
  return std::nullopt;
}

bool hasLength(FieldType type) { return type == FieldType::String || type == FieldType::Data; }

} // namespace

std::optional<uint32_t> parseDataType(std::string_view name, bool dlpack) {
  if (name == "void") return 3u; // stored as 3, 0, 0
  // "complex64" ends like a type with 64 lanes.
  if (const std::size_t x = name.rfind('x'); x != std::string_view::npos)
    if (const auto lanes = numberIn(name.substr(x + 1), 0xffff))
      if (const auto scalar = parseScalar(name.substr(0, x), dlpack)) return *scalar | *lanes << 16;
  const auto scalar = parseScalar(name, dlpack);
  return scalar ? std::optional(*scalar | 1u << 16) : std::nullopt;
}

Result<Bytes> wordBytes(unsigned size, const json::Value& value, std::string_view ref) {
  const auto whole = wholeOf(value);
  return numberBytes(size, whole && whole->negative, value, ref);
}

Result<Bytes> fieldBytes(const FieldTree& tree, uint32_t row, const json::Value& value, std::string_view ref) {
  const Field& field = tree.rows[row];
  if (field.type != FieldType::List) return leafBytes(field, field.number >> 32 != 0, value, ref);
  const auto* items = value.array();
  if (!items) return refuse(ref, value, "a list is needed");
  const bool hasItems = field.after > row + 1;
  const std::optional<Field> item = hasItems ? std::optional(tree.rows[row + 1]) : modules::itemOfEmptyList(field.name);
  if (!item) return refuse(ref, value, "the list is empty and the form of its items is unknown");
  if (hasItems && tree.rows[row + 1].after > row + 2)
    return refuse(ref, value, "its items consist of fields; set these");
  const bool dlpack = hasItems && item->type == FieldType::DataType ? item->number >> 32 != 0 : usesDlpack(tree);
  Writer writer;
  writer.number<uint64_t>(items->size());
  for (const json::Value& one : *items) {
    BLOBSCOPE_TRY(bytes, leafBytes(*item, dlpack, one, ref));
    hasLength(item->type) ? writer.string(bytes) : writer.raw(bytes);
  }
  return joined(writer.takePieces());
}

namespace {

/// A stored text, number or type.
struct Stored {
  Bytes bytes;
  FieldType type;
  bool dlpack;

  std::string words() const {
    if (type == FieldType::String) return "'" + escapedWithin(bytes.view(), 80) + "'";
    if (type == FieldType::DataType) return "a type of code " + std::to_string(number());
    return std::to_string(number());
  }
  /// Returns the number; for a type, its code.
  int64_t number() const {
    if (type == FieldType::DataType) return bytes.empty() ? 0 : std::to_integer<uint8_t>(bytes.span()[0]);
    uint64_t raw = 0;
    std::memcpy(&raw, bytes.data(), std::min<std::size_t>(bytes.size(), sizeof raw));
    return type == FieldType::I32 ? static_cast<int32_t>(raw) : static_cast<int64_t>(raw);
  }
  bool isIn(const modules::FieldValues& values) const {
    return type == FieldType::String ? values.has(bytes.view()) : values.has(number());
  }
};

/// Returns the items of a list as encoded by fieldBytes(), or the single value.
std::vector<Stored> storedValues(FieldType type, const Field& item, bool dlpack, const Bytes& bytes) {
  std::vector<Stored> out;
  if (type != FieldType::List) return {{bytes, item.type, dlpack}};
  for (uint64_t at = 8; at < bytes.size();) {
    uint64_t size = 4;
    if (item.type == FieldType::String) {
      std::memcpy(&size, bytes.data() + at, 8);
      at += 8;
    }
    out.push_back({bytes.slice(at, size), item.type, dlpack});
    at += size;
  }
  return out;
}

Error unread(const Ref& ref, const std::string& value, const modules::FieldValues& values) {
  return Error(DiagnosticId::EditEnum, {arg("ref", ref.toString()), {"value", value}, {"known", values.words()}}, ref);
}

} // namespace

std::optional<Error> findUnread(const FieldTree& tree, uint32_t row, std::string_view kind, const Bytes& bytes,
                                const Ref& ref) {
  const Field& field = tree.rows[row];
  const bool list = field.type == FieldType::List, hasItems = list && field.after > row + 1;
  const std::optional<Field> item = !list      ? std::optional(field)
                                    : hasItems ? std::optional(tree.rows[row + 1])
                                               : modules::itemOfEmptyList(field.name);
  if (!item) return std::nullopt;
  using enum FieldType;
  const bool isType = item->type == DataType, isNumber = item->type == I32 || item->type == U32;
  if (item->type != String && !isType && (!isNumber || (list && item->size != 4 && hasItems))) return std::nullopt;
  const bool dlpack = isType && hasItems ? item->number >> 32 != 0 : list ? usesDlpack(tree) : field.number >> 32 != 0;
  const modules::FieldValues* const values =
      isType ? &modules::dataTypeCodes(dlpack) : modules::findFieldValues(kind, tree.path(row));
  if (!values) return std::nullopt;
  const auto isHeld = [&](const Stored& value) { // existing values may stay
    for (uint32_t at = list ? row + 1 : row; at < field.after; ++at)
      if (tree.rows[at].type == value.type && tree.content(at) == value.bytes) return true;
    return false;
  };
  for (const Stored& value : storedValues(field.type, *item, dlpack, bytes))
    if (!value.isIn(*values) && !isHeld(value)) return unread(ref, value.words(), *values);
  return std::nullopt;
}

std::optional<Error> findUnreadItem(std::string_view list, std::string_view kind, const json::Value& item,
                                    const Ref& ref) {
  const modules::FieldValues* const values = modules::findFieldValues(kind, list);
  if (!values) return std::nullopt;
  if (const auto* text = item.string())
    return values->has(*text) ? std::nullopt
                              : std::optional(unread(ref, "'" + escapedWithin(*text, 80) + "'", *values));
  const auto whole = wholeOf(item);
  if (!whole ||
      (!whole->negative && whole->magnitude <= INT64_MAX && values->has(static_cast<int64_t>(whole->magnitude))))
    return std::nullopt;
  return unread(ref, jsonText(item), *values);
}

std::string jsonText(const json::Value& value) {
  std::string out;
  json::Writer writer([&](std::string_view text) { out += text; });
  writer.value(value);
  writer.finish();
  // Line feeds occur only between values; in texts they are escaped.
  std::string line;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] != '\n') {
      line += out[i];
      continue;
    }
    line += ' ';
    while (i + 1 < out.size() && out[i + 1] == ' ') ++i;
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

} // namespace blobscope::edit
