#include "core/view/details.h"

#include "core/base/entropy.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace blobscope::view {
namespace {

struct Words {
  std::string_view name, format;
};

/// How a field of that type is stored, in the order of FieldType.
constexpr std::array<Words, 18> kTypes = {{
    {"8-bit number", "One byte, unsigned."},
    {"16-bit number", "Two bytes, unsigned, little-endian."},
    {"32-bit number", "Four bytes, unsigned, little-endian."},
    {"64-bit number", "Eight bytes, unsigned, little-endian."},
    {"32-bit number with sign", "Four bytes, two's complement, little-endian."},
    {"64-bit number with sign", "Eight bytes, two's complement, little-endian."},
    {"floating-point number", "Eight bytes, IEEE 754 double, little-endian."},
    {"text", "A string as TVM stores it: its length in 8 bytes, little-endian, then its bytes without an end mark."},
    {"bytes", "Bytes in a separate format, with or without their length in 8 bytes before them."},
    {"32-bit words", "The number of words in 8 bytes, then four bytes each, little-endian."},
    {"64-bit words", "The number of words in 8 bytes, then eight bytes each, little-endian."},
    {"data type", "A data type as TVM stores it: u8 code, u8 bits, u16 lanes, little-endian."},
    {"list", "The number of items in 8 bytes, then the items one after the other."},
    {"items", "Items one after the other; another field has their number."},
    {"structure", "Its fields one after the other, without padding."},
    {"sized structure", "Its length in 8 bytes, then its fields."},
    {"unknown bytes", "No known layout describes these bytes; they are kept unchanged."},
    {"text", "The text of the value, unchanged."},
}};
static_assert(kTypes.size() == static_cast<std::size_t>(FieldType::Literal) + 1);

/// The meaning of a field with that name in TVM. Source: core/formats/blob.md 2.2, 3, 5.1,
/// core/formats/module-kinds.md.
constexpr std::array kMeanings = std::to_array<Words>({
    {"nbytes", "size of the stream after this number"},
    {"count", "number of records that follow"},
    {"records", "the modules as they are stored, and the import tree"},
    {"length", "size of the payload after this number"},
    {"payload", "data that the module itself stored"},
    {"key", "name by which the record or function is looked up"},
    {"fmt", "format of the code, as the module declares it"},
    {"fmap", "the functions of the module and how to call them"},
    {"info", "what host code must know to launch the function"},
    {"name", "the function's own name; empty: the key is the name"},
    {"arg_types", "types of the kernel's arguments, in call order"},
    {"launch_param_tags", "launch sizes that the host passes, in order"},
    {"arg_extra_tags", "how an argument is passed: 0 unchanged, 1 as a tensor map"},
    {"data", "the code"},
    {"source", "source text of the code"},
    {"code", "the code"},
    {"indptr", "where each module's imports begin in the list below"},
    {"child", "numbers of the imported modules"},
    {"import_tree_row_ptr", "where each module's imports begin in the list below"},
    {"import_tree_child_indices", "numbers of the imported modules"},
});

/// The row that contains `row`; 0 for the outermost rows.
uint32_t above(const FieldTree& tree, uint32_t row) {
  for (uint32_t at = row; at > 0;)
    if (--at; tree.rows[at].depth < tree.rows[row].depth) return at;
  return 0;
}

std::string_view meaningOf(const FieldTree& tree, uint32_t row) {
  const std::string_view name = tree.rows[row].name;
  // Only the functions of device modules are looked up by a key; those of a virtual machine have just a name.
  if (name == "name" && tree.rows[above(tree, row)].name != "info") {
    const bool ofList = tree.rows[above(tree, above(tree, row))].name == "functions";
    return ofList ? "name of the VM function" : std::string_view();
  }
  for (const Words& known : kMeanings)
    if (known.name == name) return known.format;
  return {};
}

uint64_t numberOf(std::string_view bytes, std::size_t size, bool big) {
  uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t shift = 8 * (big ? size - 1 - i : i);
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << shift;
  }
  return value;
}

std::string signedText(int64_t value) {
  return value < 0 ? "-" + groupedText(0 - static_cast<uint64_t>(value)) : groupedText(static_cast<uint64_t>(value));
}

/// "121, 121": a number of `bits` bits without and with its sign.
std::string bothText(uint64_t value, unsigned bits) {
  const auto moved = static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
  return groupedText(value) + ", " + signedText(moved);
}

template <class T> std::string floatText(T value) {
  std::array<char, 40> digits;
  const auto [end, failure] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return failure == std::errc{} ? std::string(digits.data(), end) : std::string();
}

/// A floating-point format of at most 16 bits. Sources: IEEE 754 binary16; the bfloat16 of the XLA and PyTorch
/// projects, the upper half of a binary32; OCP 8-bit Floating Point Specification 1.0, table 1.
struct SmallFloat {
  unsigned exponentBits, mantissaBits;
  bool isFinite; ///< the largest exponent is that of numbers; only all ones are NaN (E4M3)
};
constexpr SmallFloat kHalf{5, 10, false}, kBfloat{8, 7, false}, kE4M3{4, 3, true}, kE5M2{5, 2, false};

std::string smallText(uint64_t bits, const SmallFloat& format) {
  const unsigned all = format.exponentBits + format.mantissaBits;
  const bool negative = bits >> all & 1;
  const auto mantissa = static_cast<int>(bits & ((1u << format.mantissaBits) - 1));
  const auto exponent = static_cast<int>(bits >> format.mantissaBits & ((1u << format.exponentBits) - 1));
  const int last = (1 << format.exponentBits) - 1, bias = last / 2, whole = 1 << format.mantissaBits;
  if (exponent == last && (!format.isFinite || mantissa == whole - 1)) {
    if (!format.isFinite && mantissa == 0) return negative ? "-inf" : "inf";
    return negative ? "-nan" : "nan";
  }
  const int scale = std::max(exponent, 1) - bias - static_cast<int>(format.mantissaBits);
  const auto value = static_cast<float>(std::ldexp(exponent == 0 ? mantissa : mantissa + whole, scale));
  return floatText(negative ? -value : value);
}

std::string binaryText(uint64_t byte) {
  std::string out;
  for (int bit = 7; bit >= 0; --bit) out += (byte >> bit & 1) != 0 ? '1' : '0';
  return out;
}

/// "121, 1 byte": an unsigned number of 7 bits per byte, least significant first; empty when it does not end. Source:
/// DWARF 5, section 7.6.
std::string leb128Text(std::string_view bytes) {
  constexpr std::size_t kLongest = 9; // 63 bits
  uint64_t value = 0;
  for (std::size_t i = 0; i < std::min(bytes.size(), kLongest); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if ((byte & 0x80) == 0) return groupedText(value) + ", " + countText(i + 1, "byte");
  }
  return {};
}

DetailReading reading(std::string name, std::string_view bytes, bool big) {
  DetailReading out{std::move(name), {}};
  const auto add = [&](std::string label, std::string value) {
    out.rows.push_back({std::move(label), std::move(value), true, {}, {}});
  };
  if (bytes.size() >= 2) {
    const uint64_t word = numberOf(bytes, 2, big);
    add("u16, i16", bothText(word, 16));
    add("f16", smallText(word, kHalf));
    add("bf16", smallText(word, kBfloat));
  }
  if (bytes.size() >= 4) {
    const uint64_t word = numberOf(bytes, 4, big);
    add("u32, i32", bothText(word, 32));
    add("f32", floatText(std::bit_cast<float>(static_cast<uint32_t>(word))));
  }
  if (bytes.size() >= 8) {
    const uint64_t word = numberOf(bytes, 8, big);
    add("u64", groupedText(word));
    add("i64", signedText(static_cast<int64_t>(word)));
    add("f64", floatText(std::bit_cast<double>(word)));
  }
  return out;
}

/// `bytes`: what is selected; `numbers`: the bytes of which numbers are read, beginning at the same byte.
DetailGroup bytesAs(std::string_view bytes, std::string_view numbers) {
  constexpr std::size_t kShown = 8;
  DetailGroup group{"Bytes as", {}, {}, {}};
  const auto add = [&](std::string label, std::string value) {
    if (!value.empty()) group.rows.push_back({std::move(label), std::move(value), true, {}, {}});
  };
  if (numbers.size() >= 2)
    group.readings = {reading("little-endian", numbers, false), reading("big-endian", numbers, true)};
  const uint64_t first = numberOf(numbers, 1, false);
  add("hex", spacedHex(bytes.substr(0, kShown)) + (bytes.size() > kShown ? " …" : ""));
  add("u8, i8", bothText(first, 8));
  add("f8 e4m3", smallText(first, kE4M3));
  add("f8 e5m2", smallText(first, kE5M2));
  add("binary", binaryText(first));
  add("LEB128", leb128Text(numbers));
  std::string text;
  for (const char c : bytes.substr(0, 32)) text += c >= 0x20 && c < 0x7f ? std::string(1, c) : std::string("·");
  add("text", std::move(text));
  return group;
}

} // namespace

Details fieldDetails(const FieldTree& tree, uint32_t row, std::optional<uint64_t> base) {
  const Field& field = tree.rows[row];
  const Words& words = kTypes[static_cast<std::size_t>(field.type)];
  DetailGroup group{"Field", {}, {}, {}};
  const auto add = [&](std::string label, std::string value, bool code) {
    group.rows.push_back({std::move(label), std::move(value), code, {}, {}});
  };
  add("Name", tree.path(row), false);
  // An item has the meaning of its list.
  uint32_t named = row;
  while (named > 0 && tree.rows[named].index != Field::kNoIndex) named = above(tree, named);
  if (const std::string_view meaning = field.type == FieldType::Literal ? std::string_view() : meaningOf(tree, named);
      !meaning.empty())
    add("Meaning", std::string(meaning), false);
  add("Type", std::string(words.name), false);
  if (const auto start = tree.bytes.offset()) {
    add("Offset in file", hexText(*start + field.offset), true);
    if (base && *base <= *start) add("Offset in blob", hexText(*start - *base + field.offset), true);
  } else {
    add("Offset in data", hexText(field.offset), true);
  }
  add("Size", groupedText(field.size) + (field.size == 1 ? " byte" : " bytes"), false);
  add("Value", tree.value(row, 400), true);
  if (field.type == FieldType::DataType) {
    add("code", std::to_string(field.number & 0xff), true);
    add("bits", std::to_string(field.number >> 8 & 0xff), true);
    add("lanes", std::to_string(field.number >> 16 & 0xffff), true);
  }
  Details out = {std::move(group)};
  const Bytes bytes = tree.bytes.slice(field.offset, field.size);
  if (!bytes.empty()) out.push_back(bytesAs(bytes.view(), bytes.view()));
  out.push_back({"Format", {}, {}, std::string(words.format)});
  return out;
}

std::string offsetText(const Bytes& bytes, uint64_t offset) {
  return bytes.offset() ? hexText(*bytes.offset() + offset) : hexText(offset) + " in the data";
}

Details bytesDetails(const Bytes& all, uint64_t offset, uint64_t size, std::span<const Span> spans) {
  const Bytes bytes = all.slice(offset, size);
  if (bytes.empty()) return {};
  const std::string place = offsetText(all, offset) + " + " + groupedText(bytes.size());
  Details out = {{"Bytes", {{"Place", place, true, {}, {}}}, {}, {}}};
  const auto span = std::ranges::find_if(spans, [&](const Span& one) { return one.extent.contains(offset); });
  if (span != spans.end()) {
    out[0].rows.push_back({"Part of", span->name, false, span->ref, {}});
    out[0].rows.push_back(
        {"Part's place", offsetText(all, span->extent.offset) + " + " + groupedText(span->extent.size), true, {}, {}});
  }
  constexpr uint64_t kNumbers = 9; // the longest LEB128
  out.push_back(bytesAs(bytes.view(), bytes.size() == 1 ? all.slice(offset, kNumbers).view() : bytes.view()));
  // A few bytes say little about what is around them.
  constexpr uint64_t kAround = 1'024;
  const uint64_t from = offset > kAround / 2 ? offset - kAround / 2 : 0;
  const Bytes around = all.slice(from, kAround);
  std::array<char, 16> bits;
  std::snprintf(bits.data(), bits.size(), "%.1f", entropyOf(around.view()));
  out.push_back({"Around it",
                 {{"Entropy",
                   std::string(bits.data()) + " bits per byte, " + groupedText(around.size()) + " bytes",
                   false,
                   {},
                   {}}},
                 {},
                 {}});
  return out;
}

Details gridDetails(const GridPage& page, uint64_t index, const std::optional<std::string>& before) {
  DetailGroup value;
  value.title = "Value";
  const auto add = [](DetailGroup& group, std::string label, std::string text, bool code) {
    group.rows.push_back({std::move(label), std::move(text), code, {}, {}});
  };
  add(value, "Index", placeText(placeOf(index, page.shape)), true);
  const std::string now = page.values->text(index);
  add(value, before ? "Now" : "Value", now.empty() ? "not stored" : now, true);
  if (before) add(value, "Before", *before, true);
  if (page.stored) {
    const auto [digits, offset] = page.stored(index);
    if (!digits.empty()) add(value, "Bytes", digits, true);
    if (!offset.empty()) add(value, "Offset", offset, true);
  }
  if (before) add(value, "State", "changed, not saved", false);
  DetailGroup all;
  all.title = "Tensor";
  for (const auto& [label, text] : page.facts) add(all, label, text, label == "type" || label == "shape");
  return {std::move(value), std::move(all)};
}

} // namespace blobscope::view
