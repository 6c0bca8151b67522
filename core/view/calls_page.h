#pragma once

#include "core/base/ref.h"
#include "core/view/page.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::view {

/// Who calls what in a model, as a tree with counts from its bytecode. All texts are escaped.
struct CallsPage {
  enum class Kind : uint8_t { Function, Packed, Kernel, Builtins };
  /// How certain the count is.
  enum class Count : uint8_t {
    Exact,
    AtLeast, ///< it is in a loop
    AtMost,  ///< it is in a branch
    About    ///< both
  };
  /// A row of the tree, in the order of a walk from the roots.
  struct Row {
    std::string name;
    Kind kind = Kind::Function;
    uint32_t depth = 0;
    bool recursive = false; ///< a function that is above it in the tree; its rows are not repeated
    Count count = Count::Exact;
    uint64_t calls = 0;            ///< in one call of the root
    uint64_t launches = 0;         ///< of kernels, in one call of the root
    std::optional<double> flop;    ///< estimated operations, in one call of the root; nothing: not known
    std::optional<uint64_t> bytes; ///< of the code of a kernel, or of all kernels below it
    std::optional<Ref> ref;        ///< the node
    std::optional<uint64_t> first; ///< number of the first instruction that calls it, in the function above it
  };
  /// The word in --json: "function", "at-least".
  static std::string_view kindName(Kind kind);
  static std::string_view countName(Count count);
  /// "12", "at least 12", "at most 12", "about 12".
  static std::string countText(const Row& row, uint64_t number);
  /// "4,294,967,296"; "–" when they are not known.
  static std::string flopText(const Row& row);

  std::vector<Row> rows;
  std::string summary;  ///< "5 VM functions · 47 packed functions, 36 of them called · …"
  std::string sizes;    ///< for which operations were estimated: "n = 128, batch_size = 1"; may be empty
  uint64_t omitted = 0; ///< rows that were left out
};

/// The rows of the tree with their paths, in which the names of the functions above come first.
TablePage callsTable(const CallsPagePtr& page);

} // namespace blobscope::view
