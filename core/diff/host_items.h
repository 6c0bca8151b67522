#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"
#include "core/diff/align.h"
#include "core/diff/options.h"
#include "core/library/package.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace blobscope::diff {

/// The bytes of many symbols, each found in the time of a binary search.
class SymbolBytes {
public:
  explicit SymbolBytes(const container::Image& image);
  /// The bytes of a defined symbol; of a function without a size up to the next one. Empty when the file has none, and
  /// once symbols have asked for several times the bytes of the file: then they lie over one another.
  Bytes of(const container::Symbol& symbol);

private:
  /// Section of an object file, 0 else, and address there.
  using Place = std::pair<uint32_t, uint64_t>;
  Place placeOf(const container::Symbol& symbol) const;

  const container::Image& m_image;
  std::vector<const container::Segment*> m_segments; ///< by address
  std::vector<Place> m_functions;                    ///< ascending, made when first needed
  bool m_sorted = false;
  uint64_t m_left = 0; ///< bytes that may still be handed out
};

/// Host functions with their code; `index` is the symbol's. Without `code` by name alone. Cancelled.
Result<std::vector<Item>> readHostFunctions(const library::Package& package, bool code, Monitor& monitor);
/// Sections with their bytes. Cancelled.
Result<std::vector<Item>> readSections(const library::Package& package, Monitor& monitor);

/// What two tables hold. Equal ends cost no more than their numbers, so that large tables with few differences are
/// cheap.
struct TableItems {
  std::vector<Item> a, b;                          ///< what lies between the ends; `index` is the symbol's
  std::vector<std::pair<uint32_t, uint32_t>> same; ///< symbols at the ends
};
/// What is known of the two files beforehand.
struct TableContext {
  const CompareOptions& options;
  const SameBytes& same;
  bool identical = false; ///< no bytes need be looked at
};
/// Host functions of two files; without `code` by name alone. Cancelled.
Result<TableItems> readHostFunctions(const library::Package& a, const library::Package& b, bool code,
                                     const TableContext& context, Monitor& monitor);
/// Symbols that are no host functions. Cancelled.
Result<TableItems> readSymbols(const library::Package& a, const library::Package& b, const TableContext& context,
                               Monitor& monitor);

} // namespace blobscope::diff
