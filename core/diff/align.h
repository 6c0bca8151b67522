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
  /// How the item's own name is excluded from its content when two items with different names are compared.
  enum class Naming : uint8_t {
    None, ///< the content does not contain it
    Text, ///< every occurrence counts as the same word
    Spirv ///< strings of OpName and OpEntryPoint are ignored
  };
  using Facts = std::vector<std::pair<std::string, std::string>>;

  std::string name; ///< any bytes
  Bytes content;
  Facts facts; ///< what is compared in addition to the content, by label: {"registers", "96"}
  Naming naming = Naming::None;
  uint32_t index = 0; ///< chosen by the code that makes the item, to recognize it
  std::string shown;  ///< the content as short text where that is possible, such as the value of a constant
  std::shared_ptr<const view::TextPage> listing = nullptr; ///< the listing whose canonical text is the content
  std::string language = {};                               ///< "ptx" if the content is PTX, otherwise empty
  Bytes cubin = {}; ///< the image that contains the machine code of the kernel; empty for others
  std::vector<std::pair<std::string, uint64_t>> numbers = {}; ///< of a kernel, as in CodeChange
};

/// Two items that correspond to each other.
struct Pair {
  uint32_t a = 0, b = 0; ///< indices of items
  bool sameName = false;
  bool sameContent = false; ///< facts included; for items with different names, without what their naming excludes
  bool outOfOrder = false;  ///< the pairs around it kept their order
};

struct Alignment {
  std::vector<Pair> pairs;            ///< in the order of A
  std::vector<uint32_t> onlyA, onlyB; ///< in order
};

struct AlignRules {
  /// Names carry no meaning (numbers of constants): items are matched by content first, then by order.
  bool byContent = false;
  /// Whether a changed order of items is reported.
  bool ordered = true;
  /// Whether items with different names may be partners when their content is equal.
  bool renamed = true;
  /// Whether items whose names differ only in a counter may be partners although their content differs.
  bool similar = true;
  /// Whether only items of equal content may be partners.
  bool onlyEqual = false;
};

/// Finds partners, in this order: equal name and content; equal content and names that differ in a counter; equal name;
/// equal content; names that differ in a counter and equal facts; among the few that remain, names that share most of
/// their words. If there are several candidates, the first ones in order are taken. The result for (b, a) mirrors the
/// result for (a, b). The running time is that of sorting for any items. Error: Cancelled.
Result<Alignment> align(std::span<const Item> a, std::span<const Item> b, const AlignRules& rules,
                        const SameBytes& same, Monitor& monitor);

/// Returns whether facts and content are equal. Error: Cancelled.
Result<bool> equalItems(const Item& a, const Item& b, const SameBytes& same, Monitor& monitor);
/// Returns a hash of facts and content, with `naming` applied. Items with the same hash count as equal only after their
/// bytes are compared. Error: Cancelled.
Result<uint64_t> contentHash(const Item& item, Monitor& monitor);
/// Returns whether facts and content are equal once the items' own names are excluded. Error: Cancelled.
Result<bool> equalButForNames(const Item& a, const Item& b, const SameBytes& same, Monitor& monitor);

/// Returns the name without its counters: the result is the same for "fused_matmul12_kernel" and "fused_matmul_kernel".
std::string withoutCounters(std::string_view name);

} // namespace blobscope::diff
