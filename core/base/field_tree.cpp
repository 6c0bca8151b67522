#include "core/base/field_tree.h"

#include "core/base/limits.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace blobscope {
namespace {

/// The bytes of a row that come before the rows below it.
uint64_t headSize(const Field& field) {
  return field.type == FieldType::List || field.type == FieldType::Sized ? 8 : 0;
}

bool hasLengthWord(const Field& field) {
  return field.type == FieldType::String || field.type == FieldType::Sized || field.type == FieldType::Words ||
         field.type == FieldType::Words64 || (field.type == FieldType::Data && field.size == field.number + 8);
}

} // namespace

Field& FieldTreeBuilder::add(std::string_view name, FieldType type, FieldRole role, uint64_t number) {
  Field field;
  field.name = name;
  field.index = m_nextIndex;
  field.type = type;
  field.role = role;
  field.offset = m_position;
  field.number = number;
  field.depth = static_cast<uint16_t>(m_open.size());
  m_nextIndex = Field::kNoIndex;
  m_rows.push_back(field);
  return m_rows.back();
}

bool FieldTreeBuilder::isFull() {
  if (m_full || m_rows.size() < limits::kFieldRows) return m_full;
  m_nextIndex = Field::kNoIndex;
  add("further fields", FieldType::Data, FieldRole::Structure, 0);
  m_full = true;
  return true;
}

void FieldTreeBuilder::leaf(std::string_view name, FieldType type, FieldRole role, uint64_t size, uint64_t number) {
  if (isFull()) {
    m_position += size;
    return;
  }
  Field& field = add(name, type, role, number);
  field.size = size;
  field.after = static_cast<uint32_t>(m_rows.size());
  m_position += size;
}

void FieldTreeBuilder::open(std::string_view name, FieldType type, FieldRole role, uint64_t headSize, uint64_t number) {
  if (isFull()) {
    m_position += headSize;
    return;
  }
  add(name, type, role, number);
  m_open.push_back(static_cast<uint32_t>(m_rows.size() - 1));
  m_position += headSize;
}

void FieldTreeBuilder::close() {
  if (m_full) return; // open rows then end with the last row
  Field& field = m_rows[m_open.back()];
  field.size = m_position - field.offset;
  field.after = static_cast<uint32_t>(m_rows.size());
  m_open.pop_back();
}

FieldTree FieldTreeBuilder::take(Bytes bytes) {
  if (m_full) {
    m_rows.back().size = m_position - m_rows.back().offset;
    m_rows.back().after = static_cast<uint32_t>(m_rows.size());
    m_full = false;
    while (!m_open.empty()) close();
  }
  FieldTree tree{std::move(bytes), std::move(m_rows)};
  m_rows = {};
  return tree;
}

namespace {

/// The row and its ancestors, outermost first.
std::vector<uint32_t> stepsTo(const std::vector<Field>& rows, uint32_t row) {
  // Ancestors are the last rows before it of each smaller depth.
  std::vector<uint32_t> steps = {row};
  for (uint32_t at = row; at > 0 && rows[steps.back()].depth > 0;) {
    --at;
    if (rows[at].depth < rows[steps.back()].depth) steps.push_back(at);
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

} // namespace

std::string FieldTree::path(uint32_t row) const {
  std::string out;
  for (const uint32_t step : stepsTo(rows, row)) out = pathBelow(out, step);
  return out;
}

std::string FieldTree::shownPath(uint32_t row) const {
  std::string out;
  for (const uint32_t step : stepsTo(rows, row)) {
    const Field& field = rows[step];
    out += field.index != Field::kNoIndex ? "[" + std::to_string(field.index) + "]"
                                          : (out.empty() ? "" : ".") + escaped(field.name);
  }
  return out;
}

std::string FieldTree::pathBelow(std::string_view parent, uint32_t row) const {
  const Field& field = rows[row];
  std::string out(parent);
  if (field.index != Field::kNoIndex) return out + "[" + std::to_string(field.index) + "]";
  return out + (out.empty() ? "" : ".") + std::string(field.name);
}

std::optional<uint32_t> FieldTree::find(std::string_view path) const {
  uint32_t begin = 0;
  auto end = static_cast<uint32_t>(rows.size());
  std::optional<uint32_t> found;
  while (!path.empty()) {
    uint32_t index = Field::kNoIndex;
    std::string_view name;
    if (path[0] == '[') {
      const std::size_t close = path.find(']');
      if (close == std::string_view::npos) return std::nullopt;
      const auto [stop, failure] = std::from_chars(path.data() + 1, path.data() + close, index);
      if (failure != std::errc{} || stop != path.data() + close || index == Field::kNoIndex) return std::nullopt;
      path.remove_prefix(close + 1);
    } else {
      if (path[0] == '.' && found) path.remove_prefix(1);
      const std::size_t stop = path.find_first_of(".[");
      name = path.substr(0, stop);
      path.remove_prefix(stop == std::string_view::npos ? path.size() : stop);
      if (name.empty()) return std::nullopt;
    }
    found.reset();
    for (uint32_t row = begin; row < end; row = rows[row].after) {
      if (index != Field::kNoIndex ? rows[row].index != index : rows[row].name != name) continue;
      found = row;
      break;
    }
    if (!found) return std::nullopt;
    begin = *found + 1;
    end = rows[*found].after;
  }
  return found;
}

std::optional<uint32_t> FieldTree::rowAt(uint64_t offset) const {
  std::optional<uint32_t> found;
  uint32_t end = static_cast<uint32_t>(rows.size());
  for (uint32_t row = 0; row < end;) {
    if (Extent{rows[row].offset, rows[row].size}.contains(offset)) {
      found = row;
      end = rows[row].after;
      ++row;
    } else {
      row = rows[row].after;
    }
  }
  return found;
}

Bytes FieldTree::content(uint32_t row) const {
  const Field& field = rows[row];
  const uint64_t head = hasLengthWord(field) ? 8 : 0;
  return bytes.slice(field.offset + head, field.size - head);
}

std::string FieldTree::value(uint32_t row, std::size_t limit) const {
  const Field& field = rows[row];
  switch (field.type) {
  case FieldType::U8:
  case FieldType::U16:
  case FieldType::U32:
  case FieldType::U64:
    return field.role == FieldRole::Offset || field.role == FieldRole::TypeCode ? hexText(field.number)
                                                                                : std::to_string(field.number);
  case FieldType::I32: return std::to_string(static_cast<int32_t>(field.number));
  case FieldType::I64: return std::to_string(static_cast<int64_t>(field.number));
  case FieldType::F64: {
    double number = 0;
    std::memcpy(&number, &field.number, sizeof number);
    std::array<char, 40> digits;
    const auto [end, failure] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    return std::string(digits.data(), end);
  }
  case FieldType::String: {
    return "\"" + escapedWithin(content(row).view(), limit > 2 ? limit - 2 : 0) + "\"";
  }
  case FieldType::Data:
  case FieldType::Sized:
  case FieldType::Unknown: return sizeText(content(row).size());
  case FieldType::Literal: return escapedWithin(content(row).view(), limit);
  case FieldType::Words:
  case FieldType::Words64: return std::to_string(field.number) + " words";
  case FieldType::DataType:
    // The high half says which numbering applies, so that a tree needs no context.
    return dataTypeName(static_cast<uint32_t>(field.number), field.number >> 32 != 0);
  case FieldType::Items:
  case FieldType::List: return field.number == 1 ? "1 item" : std::to_string(field.number) + " items";
  case FieldType::Group: break;
  }
  return {};
}

uint64_t FieldTree::ownedBytes() const {
  uint64_t owned = 0;
  for (uint32_t row = 0; row < rows.size(); ++row) {
    const bool leaf = rows[row].after == row + 1;
    if (rows[row].role == FieldRole::Unknown) continue;
    owned += leaf ? rows[row].size : headSize(rows[row]);
  }
  return owned;
}

std::string dataTypeName(uint32_t raw, bool dlpack) {
  const unsigned code = raw & 0xff, bits = (raw >> 8) & 0xff, lanes = raw >> 16;
  constexpr std::array<std::string_view, 6> kCommon = {"int", "uint", "float", "handle", "bfloat", "complex"};
  constexpr std::array<std::string_view, 12> kDlpack = {
      "bool",        "float8_e3m4",     "float8_e4m3",    "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
      "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn",      "float6_e3m2fn", "float4_e2m1fn"};
  constexpr std::array<std::string_view, 3> kOlder = {"float8_e4m3", "float8_e5m2", "float4_e2m1"};
  std::string name;
  if (code == 3 && bits == 0 && lanes <= 1) return "void"; // stored as 3, 0, 0
  if (code == 3) {
    name = bits == 64 ? "handle" : "handle" + std::to_string(bits);
  } else if (code == 1 && bits == 1) {
    name = "bool";
  } else if (code < kCommon.size()) {
    name = std::string(kCommon[code]) + std::to_string(bits);
  } else if (dlpack && code - 6 < kDlpack.size()) {
    name = kDlpack[code - 6];
  } else if (!dlpack && code - 6 < kOlder.size()) {
    name = kOlder[code - 6];
  } else {
    name = "custom" + std::to_string(code) + "_" + std::to_string(bits);
  }
  if (lanes != 1) name += "x" + std::to_string(lanes);
  return name;
}

} // namespace blobscope
