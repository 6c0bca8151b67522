#pragma once

#include "core/base/field_tree.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::diff {

enum class FieldChangeKind : uint8_t {
  Changed, ///< different value or type
  Removed, ///< with everything below it
  Added,   ///< with everything below it
  Moved    ///< a named list item at another position; changes inside it have their own rows
};

/// A difference between two trees.
struct FieldChange {
  FieldChangeKind kind = FieldChangeKind::Changed;
  std::optional<uint32_t> a, b; ///< rows of the trees
  std::string path;             ///< in `b`; for removed fields, in `a`
};

struct FieldDiff {
  std::vector<FieldChange> changes; ///< in the order of the trees
  uint64_t equal = 0;               ///< fields without children that are equal in both
  uint64_t changed = 0, removed = 0, added = 0, moved = 0;
  uint64_t leftOut = 0; ///< changes that are counted but not listed

  bool same() const { return changed == 0 && removed == 0 && added == 0 && moved == 0; }
};

/// Compares two trees field by field. Fields of a structure are matched by name. List items are matched by the content
/// of their field "name", "key" or "symbol" if all items of both lists have one (the n-th with a given text matches the
/// n-th), otherwise by index. Only the values count, not their offsets. At most `most` changes are listed. Error: only
/// Cancelled.
Result<FieldDiff> compareFields(const FieldTree& a, const FieldTree& b, Monitor& monitor, uint64_t most = 100'000);

} // namespace blobscope::diff
