#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/diff/same_bytes.h"
#include "core/view/page.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace blobscope::diff {

/// Something that may have a partner on the other side: a kernel, a tensor, a section.
struct Item {
  /// How the item's own name is kept out of its content when two items of different names are compared.
  enum class Naming : uint8_t {
    None, ///< the content does not hold it
    Text, ///< every occurrence counts as one and the same word
    Spirv ///< strings of OpName and OpEntryPoint do not count
  };
  using Facts = std::vector<std::pair<std::string, std::string>>;

  std::string name; ///< any bytes
  Bytes content;
  Facts facts; ///< what is compared besides the content, by label: {"registers", "96"}
  Naming naming = Naming::None;
  uint32_t index = 0; ///< whatever the maker wants to know it by
  std::string shown;  ///< the content in words, when a few do: the value of a constant
  std::shared_ptr<const view::TextPage> listing = nullptr; ///< whose canonical text is the content
};

/// What belongs together.
struct Pair {
  uint32_t a = 0, b = 0; ///< indices of items
  bool sameName = false;
  bool sameContent = false; ///< facts, too; of items of different names without what their naming leaves out
  bool outOfOrder = false;  ///< others around it kept their order
};

struct Alignment {
  std::vector<Pair> pairs;            ///< in the order of A
  std::vector<uint32_t> onlyA, onlyB; ///< in order
};

struct AlignRules {
  /// Names say nothing (numbers of constants): content comes first, then the order.
  bool byContent = false;
  /// Whether the order of items is worth a word.
  bool ordered = true;
  /// Whether items of other names may be partners when their content is equal.
  bool renamed = true;
  /// Items of names that differ in a counter alone may be partners although their content differs.
  bool similar = true;
  /// Only items of equal content are partners.
  bool onlyEqual = false;
};

/// Finds partners: equal name and content; equal content and a name that differs in a counter; equal name; equal
/// content; a name that differs in a counter and equal facts; of the few that are left, names that share most of their
/// words. Of several candidates the first ones are taken in order. The
/// result for (b, a) is the mirror of that for (a, b). Time is that of sorting, whatever the items are. Cancelled.
Result<Alignment> align(std::span<const Item> a, std::span<const Item> b, const AlignRules& rules,
                        const SameBytes& same, Monitor& monitor);

/// Whether facts and content are equal. Cancelled.
Result<bool> equalItems(const Item& a, const Item& b, const SameBytes& same, Monitor& monitor);
/// A number for facts and content, with `naming` applied. Items of the same number are taken for equal only after a
/// look at their bytes. Cancelled.
Result<uint64_t> contentHash(const Item& item, Monitor& monitor);
/// Whether facts and content are equal once the items' own names are left out. Cancelled.
Result<bool> equalButForNames(const Item& a, const Item& b, const SameBytes& same, Monitor& monitor);

/// The name without its counters: "fused_matmul12_kernel" and "fused_matmul_kernel" give the same.
std::string withoutCounters(std::string_view name);

} // namespace blobscope::diff
