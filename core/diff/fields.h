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
  Changed, ///< another value or another type
  Removed, ///< with all that is below it
  Added,   ///< with all that is below it
  Moved    ///< a list item with a name, in another order; what changed in it has rows of its own
};

/// A difference between two trees.
struct FieldChange {
  FieldChangeKind kind = FieldChangeKind::Changed;
  std::optional<uint32_t> a, b; ///< rows of the trees
  std::string path;             ///< in `b`; of removed ones in `a`
};

struct FieldDiff {
  std::vector<FieldChange> changes; ///< in the order of the trees
  uint64_t equal = 0;               ///< fields without fields below, of both
  uint64_t changed = 0, removed = 0, added = 0, moved = 0;
  uint64_t leftOut = 0; ///< changes that are counted, but not in the list

  bool same() const { return changed == 0 && removed == 0 && added == 0 && moved == 0; }
};

/// Compares two trees field by field: those of a structure by name, list items by the content of their field "name",
/// "key" or "symbol" when all of both lists have one (of several with one text the n-th of each), else by index. Where
/// fields lie does not matter, only what they hold. At most `most` changes are listed. Error: only Cancelled.
Result<FieldDiff> compareFields(const FieldTree& a, const FieldTree& b, Monitor& monitor, uint64_t most = 100'000);

} // namespace blobscope::diff
