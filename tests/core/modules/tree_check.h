#pragma once

#include "core/base/field_tree.h"
#include "core/base/text.h"

#include <QString>

#include <string>
#include <string_view>
#include <vector>

namespace blobscope::test {

inline QString shown(std::string_view text) { return QString::fromStdString(escaped(text)); }

/// Skips the common beginning of two texts and shows where they differ, and how.
inline QString whereDifferent(std::string_view is, std::string_view wanted) {
  if (is == wanted) return {};
  std::size_t at = 0;
  while (at < is.size() && at < wanted.size() && is[at] == wanted[at]) ++at;
  return QStringLiteral("differs at %1: is \"%2\" (%3 bytes in all), wanted \"%4\" (%5 bytes)")
      .arg(at)
      .arg(shown(is.substr(at, 40)))
      .arg(is.size())
      .arg(shown(wanted.substr(at, 40)))
      .arg(wanted.size());
}

/// Says why the rows of a tree are not nested or adjacent, leave bytes of `size` without owner, or are not found by
/// their paths; empty when the tree is correct. `unknown` gets the bytes that rows mark as unknown.
inline QString whyNotTiled(const FieldTree& tree, uint64_t size, uint64_t* unknown = nullptr) {
  const auto sendEvent = [&](uint32_t row, const char* what) {
    return QStringLiteral("row %1 '%2': %3").arg(row).arg(shown(tree.path(row)), QString::fromLatin1(what));
  };
  struct Open {
    uint32_t after;   ///< first row that is no longer below it
    uint64_t at, end; ///< the start of its next row, and the end of the last one
    bool leaf;
  };
  const auto rowCount = static_cast<uint32_t>(tree.rows.size());
  std::vector<Open> open = {{rowCount, 0, size, false}};
  uint64_t unknownBytes = 0;
  for (uint32_t row = 0; row < rowCount; ++row) {
    const Field& field = tree.rows[row];
    while (open.size() > 1 && open.back().after == row) {
      if (!open.back().leaf && open.back().at != open.back().end)
        return sendEvent(row, "the rows before it leave a gap");
      open.pop_back();
    }
    Open& parent = open.back();
    if (field.depth != open.size() - 1) return sendEvent(row, "its depth is not one more than its parent's");
    if (field.offset != parent.at) return sendEvent(row, "does not begin where the row before it ends");
    if (field.size > parent.end - field.offset) return sendEvent(row, "reaches out of its parent");
    if (field.after <= row || field.after > parent.after)
      return sendEvent(row, "the rows below it are not all its parent's");
    parent.at = field.offset + field.size;
    const bool leaf = field.after == row + 1;
    const uint64_t head = field.type == FieldType::List || field.type == FieldType::Sized ? 8 : 0;
    if (field.role == FieldRole::Unknown) unknownBytes += field.size;
    if (leaf && (field.type == FieldType::List || field.type == FieldType::Items || field.type == FieldType::Group) &&
        field.size != head)
      return sendEvent(row, "has bytes of its own without rows");
    open.push_back({field.after, field.offset + head, field.offset + field.size, leaf});
  }
  while (open.size() > 1) {
    if (!open.back().leaf && open.back().at != open.back().end) return QStringLiteral("the last rows leave a gap");
    open.pop_back();
  }
  if (open.back().at != size)
    return QStringLiteral("the rows end at %1, the bytes at %2").arg(open.back().at).arg(size);
  if (tree.ownedBytes() + unknownBytes != size)
    return QStringLiteral("%1 bytes are owned and %2 unknown, of %3")
        .arg(tree.ownedBytes())
        .arg(unknownBytes)
        .arg(size);
  if (unknown) *unknown = unknownBytes;
  return {};
}

/// The rows as text, one line each: offset, size, path, value.
inline std::string rowsText(const FieldTree& tree) {
  std::string out;
  for (uint32_t row = 0; row < tree.rows.size(); ++row) {
    const Field& field = tree.rows[row];
    out += std::to_string(field.offset) + "+" + std::to_string(field.size) + " " + tree.path(row);
    const std::string value = tree.value(row);
    out += (value.empty() ? "" : " = " + value) + "\n";
  }
  return out;
}

} // namespace blobscope::test
