#pragma once

#include "core/base/diagnostic.h"
#include "core/base/field_tree.h"
#include "core/base/ref.h"
#include "core/view/page.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace blobscope::view {

/// A label and its value; a value with a link leads to another node.
struct DetailRow {
  std::string label, value;
  bool code = false; ///< offsets, digests, types: shown in the code font
  std::optional<Ref> link;
  std::optional<Severity> severity;
  std::string note = {}; ///< a few words after the value; a row with a note has no label
  /// The value of B, in a column of its own; `value` is then that of A.
  std::optional<std::string> other = {};
};

/// One step of a path or a row of a small tree, parents before children.
struct DetailStep {
  std::string name;
  Ref ref;
  std::string moduleKey; ///< type key of a module, empty for other nodes
  uint32_t depth = 0;
};

/// One of several readings of the same thing, such as numbers in a byte order.
struct DetailReading {
  std::string name; ///< "little-endian"
  std::vector<DetailRow> rows;
};

/// What the Details panel shows under one title.
struct DetailGroup {
  std::string title;
  std::vector<DetailRow> rows;
  std::vector<DetailStep> path;
  std::string note;         ///< a sentence below the rows
  std::string printed = {}; ///< the words of a program, above the rows
  /// The user chooses one of them; its rows are shown before the others. None, or at least two.
  std::vector<DetailReading> readings = {};
  bool startsFix = false; ///< a button below the note starts the quick fix of the finding
};
using Details = std::vector<DetailGroup>;

/// Details of one field: name, meaning, place, value, its bytes as numbers and text, and how such a field is stored.
/// `base` is the offset in the file of the blob that contains the field, if there is one.
Details fieldDetails(const FieldTree& tree, uint32_t row, std::optional<uint64_t> base);
/// Details of one value of a grid: its index, text, bytes and place. `before`: what it was before a change that is not
/// saved.
Details gridDetails(const GridPage& page, uint64_t index, const std::optional<std::string>& before);
/// Details of some bytes of `all` as numbers in both byte orders and as text; empty for none. `offset` counts from the
/// start of `all`. A single byte is where numbers begin that have more bytes. `spans`: the parts of `all`; the part
/// with the first byte is named.
Details bytesDetails(const Bytes& all, uint64_t offset, uint64_t size, std::span<const Span> spans = {});

/// The place of a byte of `bytes`: "0x5586" in the file, or "0x10 in the data" for bytes that the file does not
/// contain, such as an edited or unpacked payload.
std::string offsetText(const Bytes& bytes, uint64_t offset);

} // namespace blobscope::view
