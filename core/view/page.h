#pragma once

#include "core/base/bytes.h"
#include "core/base/extent.h"
#include "core/base/field_tree.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// What can be shown of a node, without saying how it looks. Sources are immutable and deliver on demand, so a page of
/// a million rows costs nothing until rows are asked for.
namespace blobscope::view {

struct Column {
  std::string title;
  bool number = false; ///< right-aligned, sorted by value
  bool bar = false;    ///< the one number that matters: a window draws a bar in front of it
};

/// Rows of a table. Any thread may ask.
class TableSource {
public:
  virtual ~TableSource() = default;
  virtual std::vector<Column> columns() const = 0;
  virtual uint64_t rowCount() const = 0;
  /// One line; bytes that are not printable are the caller's to escape.
  virtual std::string cell(uint64_t row, std::size_t column) const = 0;
};

/// A few facts or fixed rows, made at once.
class FixedTable final : public TableSource {
public:
  FixedTable(std::vector<Column> columns, std::vector<std::vector<std::string>> rows)
      : m_columns(std::move(columns)), m_rows(std::move(rows)) {}
  std::vector<Column> columns() const override { return m_columns; }
  uint64_t rowCount() const override { return m_rows.size(); }
  std::string cell(uint64_t row, std::size_t column) const override { return m_rows[row][column]; }

private:
  std::vector<Column> m_columns;
  std::vector<std::vector<std::string>> m_rows;
};

struct FieldsPage {
  std::shared_ptr<const FieldTree> tree;
};
struct TablePage {
  std::shared_ptr<const TableSource> source;
};
struct TextPage {
  Bytes text;           ///< bytes as stored; usually UTF-8
  std::string language; ///< "ptx", "cuda", "opencl", "json", empty for plain text
};
/// A part of some bytes, for the coverage bar.
struct Span {
  std::string name;
  Extent extent;        ///< from the first byte of the page
  bool unknown = false; ///< nothing explains it
};
struct HexPage {
  Bytes bytes;
  std::shared_ptr<const FieldTree> fields; ///< may be null
  std::vector<Span> spans;                 ///< tile the bytes, in order; may be empty
};
/// Says why there is nothing to show and what would change that.
struct NoticePage {
  std::string text;
};

struct Page {
  std::string name; ///< unique in its list: "Functions", "Source", "Fields", "Hex"
  std::variant<FieldsPage, TablePage, TextPage, HexPage, NoticePage> content;
};
using PageList = std::vector<Page>;

/// "fields", "table", "text", "hex" or "notice".
std::string_view pageKind(const Page& page);

/// The topmost fields of a tree as spans that tile its bytes; small neighbours of one kind are one span, what no field
/// owns is unknown.
std::vector<Span> spansOf(const FieldTree& tree);

} // namespace blobscope::view
