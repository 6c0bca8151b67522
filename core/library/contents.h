#pragma once

#include "core/library/package.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::library {

/// What a row of the contents tree stands for; it chooses icon and colour.
enum class RowKind {
  Library,
  Blob,
  Module,
  Kernels,
  Kernel,
  Functions,
  Function,
  Constants,
  Constant,
  Images,
  Image,
  HostCode,
  HostFunction,
  Symbols,
  Sections,
  Section,
  Folder,
  Member,
  More
};

/// One row of the contents tree: library → blobs → modules by import → kernels and other
/// parts; host code; sections.
struct ContentsRow {
  static constexpr uint32_t kNoParent = UINT32_MAX;
  uint32_t parent = kNoParent; ///< always an earlier row
  RowKind kind = RowKind::Library;
  Ref ref;               ///< what opening the row shows
  std::string page;      ///< page to show first, empty for the node's own first page
  std::string name;      ///< one line
  std::string detail;    ///< secondary word: "m2", "50"
  std::string moduleKey; ///< type key of a module, role of a member
  std::optional<uint64_t> size;
  std::optional<Severity> worst; ///< worst finding at or below the row
  bool shared = false;           ///< a module that stands below several parents
};

/// What was found at a node.
struct FoundAt {
  Ref place;
  Severity severity;
};
/// Tells each row of the worst that was found at it or below it: the row that the place names, else the topmost row.
/// Notes are left out.
void markSeverities(std::vector<ContentsRow>& rows, const std::vector<FoundAt>& found);

/// All rows, parents before children, siblings in order. A module with several importers has a row below each; long
/// lists end with a row of kind More that leads to the table with all of them. At most limits::kTreeRows rows.
std::vector<ContentsRow> contentsOf(const Package& package);

} // namespace blobscope::library
