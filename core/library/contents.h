#pragma once

#include "core/library/package.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::library {

/// What a row of the contents tree represents; it decides icon and colour.
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
  Ref ref;               ///< the node that opening the row shows
  std::string page;      ///< page to show first; empty for the first page of the node
  std::string name;      ///< one line
  std::string detail;    ///< secondary text: "m2", "50"
  std::string moduleKey; ///< type key of a module, role of a member
  std::optional<uint64_t> size;
  std::optional<Severity> worst; ///< worst finding at or below the row
  bool shared = false;           ///< a module below several parents
};

/// A finding at a node.
struct FindingPlace {
  Ref place;
  Severity severity;
};
/// Sets ContentsRow::worst of each row to the worst finding at or below it. A finding belongs to the row that its place
/// names, or else to the topmost row. Notes are skipped.
void markSeverities(std::vector<ContentsRow>& rows, const std::vector<FindingPlace>& found);

/// Returns all rows, parents before children, siblings in order. A module with several importers has a row below each
/// of them; long lists end with a row of kind More that opens the complete table. At most limits::kTreeRows rows.
std::vector<ContentsRow> contentsOf(const Package& package);

} // namespace blobscope::library
