#pragma once

#include "core/base/bytes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope {

/// The type of a field, by which its bytes are shown as a value.
enum class FieldType : uint8_t {
  U8,
  U16,
  U32,
  U64,
  I32,
  I64,
  F64,
  String,   ///< u64 length and text
  Data,     ///< u64 length and bytes, or bytes alone, that have their own format
  Words,    ///< u64 count and that many 32-bit words
  Words64,  ///< u64 count and that many 64-bit words
  DataType, ///< code, bits, lanes
  List,     ///< u64 count and items
  Items,    ///< items, whose number is in other fields
  Group,    ///< the fields of a structure
  Sized,    ///< u64 byte length and a structure
  Unknown,  ///< bytes that no layout explains
  Literal   ///< text that is its own value, such as a string or number of JSON
};

/// The purpose of a field, which chooses its colour in the hex view.
enum class FieldRole : uint8_t {
  Length,
  Text,
  TypeKey,
  Number,
  Offset,
  TypeCode,
  Padding,
  Payload,
  Unknown,
  Structure
};

/// One row of a field tree. Offsets count from the start of the bytes that the tree describes.
struct Field {
  static constexpr uint32_t kNoIndex = UINT32_MAX;
  std::string_view name;     ///< a literal, or a part of the described bytes; empty for list items
  uint32_t index = kNoIndex; ///< position in the list, kNoIndex outside a list
  FieldType type = FieldType::Group;
  FieldRole role = FieldRole::Structure;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t number = 0; ///< raw value of numbers, count of lists, length of strings; 1 for a group that was cut
  uint32_t after = 0;  ///< index of the first row after this row and all rows below it
  uint16_t depth = 0;
};

/// All fields of some bytes as a flat list, parents before children, in stored order. Rows refer to one another by
/// index, so the tree can be moved and shared freely.
struct FieldTree {
  Bytes bytes; ///< the described bytes
  std::vector<Field> rows;

  /// The path of a row, "fmap[3].info.arg_types": the PATH of a `field:` ref. Searches the rows before it; use
  /// pathBelow() in loops.
  std::string path(uint32_t row) const;
  /// path() for people: names are escaped and cut.
  std::string shownPath(uint32_t row) const;
  /// The same path, when the path of its parent row is known.
  std::string pathBelow(std::string_view parent, uint32_t row) const;
  /// The row with that path.
  std::optional<uint32_t> find(std::string_view path) const;
  /// Deepest row whose bytes contain `offset`.
  std::optional<uint32_t> rowAt(uint64_t offset) const;
  /// The value in words, one line, at most `limit` bytes long: `"vulkan"`, `40 items`, `float16x4`, `0x2b`.
  std::string value(uint32_t row, std::size_t limit = 120) const;
  /// Bytes of the field's content: without the length word for strings, data and sized fields.
  Bytes content(uint32_t row) const;
  /// Number of bytes that rows other than FieldRole::Unknown own, each counted once. Rows below a row must tile it: no
  /// row owns a gap.
  uint64_t ownedBytes() const;
};

/// "int32", "float16x4", "handle", "bool". Uses the numbering of DLPack, which TVM has since v0.21 (`dlpack`), or TVM's
/// own before that. Source: core/formats/blob.md 5.1; tvm include/tvm/runtime/data_type.h v0.20, v0.21.
std::string dataTypeName(uint32_t raw, bool dlpack);

/// Collects rows; the describing archive of wire.h uses it. After limits::kFieldRows rows, all that follows becomes one
/// last row.
class FieldTreeBuilder {
public:
  uint64_t position() const { return m_position; }
  /// Adds a row of `size` bytes at the current position and moves to its end.
  void leaf(std::string_view name, FieldType type, FieldRole role, uint64_t size, uint64_t number);
  /// Opens a row that consists of `headSize` bytes and of everything that is added until close().
  void open(std::string_view name, FieldType type, FieldRole role, uint64_t headSize, uint64_t number);
  void close();
  /// The next row gets this list index instead of a name.
  void nextIndex(uint32_t index) { m_nextIndex = index; }

  /// The finished tree. `bytes` are the described bytes, encoded.
  FieldTree take(Bytes bytes);

private:
  Field& add(std::string_view name, FieldType type, FieldRole role, uint64_t number);
  /// Whether no more rows are made; adds the last row when the limit is reached.
  bool isFull();

  std::vector<Field> m_rows;
  std::vector<uint32_t> m_open;
  uint64_t m_position = 0;
  uint32_t m_nextIndex = Field::kNoIndex;
  bool m_full = false;
};

} // namespace blobscope
