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

/// The bytes of many symbols, each found by binary search.
class SymbolBytes {
public:
  explicit SymbolBytes(const container::Image& image);
  /// Returns the bytes of a defined symbol; for a function without a size, the bytes up to the next function. Empty if
  /// the file has no bytes for it, and once the returned bytes add up to several times the size of the file, which
  /// means that symbols overlap.
  Bytes of(const container::Symbol& symbol);

private:
  /// Section number in an object file (otherwise 0) and the address in it.
  using Place = std::pair<uint32_t, uint64_t>;
  Place placeOf(const container::Symbol& symbol) const;

  const container::Image& m_image;
  std::vector<const container::Segment*> m_segments; ///< by address
  std::vector<Place> m_functions;                    ///< ascending, computed when first needed
  bool m_sorted = false;
  uint64_t m_left = 0; ///< bytes that may still be returned
};

/// Reads host functions with their code; `index` is the symbol's. Without `code`, only their names. Error:
/// Cancelled.
Result<std::vector<Item>> readHostFunctions(const library::Package& package, bool code, Monitor& monitor);
/// Reads sections with their bytes. Error: Cancelled.
Result<std::vector<Item>> readSections(const library::Package& package, Monitor& monitor);

/// The rows of two tables. Rows that are equal at the start and end of both tables cost only their numbers, so that
/// large tables with few differences are cheap.
struct TableItems {
  std::vector<Item> a, b;                          ///< the rows between the equal ends; `index` is the symbol's
  std::vector<std::pair<uint32_t, uint32_t>> same; ///< symbols of the equal ends
};
/// What is known about the two files beforehand.
struct TableContext {
  const CompareOptions& options;
  const SameBytes& same;
  bool identical = false; ///< the files are identical, so no bytes need to be read
};
/// Reads the host functions of two files; without `code`, only their names. Error: Cancelled.
Result<TableItems> readHostFunctions(const library::Package& a, const library::Package& b, bool code,
                                     const TableContext& context, Monitor& monitor);
/// Reads symbols that are not host functions. Error: Cancelled.
Result<TableItems> readSymbols(const library::Package& a, const library::Package& b, const TableContext& context,
                               Monitor& monitor);

} // namespace blobscope::diff
