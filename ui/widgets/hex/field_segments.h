#pragma once

#include "core/base/extent.h"
#include "core/base/field_tree.h"

#include <cstdint>
#include <vector>

namespace blobscope::ui {

/// Maps each byte of a field tree to the field that owns it: a sorted list without overlaps, built once, so that a
/// lookup costs the same for ten rows and for a million. Length words are separate segments.
class FieldSegments {
public:
  static constexpr uint32_t kNoRow = UINT32_MAX;
  struct Segment {
    Extent bytes;   ///< from the start of the bytes that the tree describes
    uint32_t row;   ///< the deepest row that owns them, kNoRow in a gap
    FieldRole role; ///< Length for length words and counts
  };

  /// Takes 16 bytes per segment, at most two segments per row plus gaps. Rows that overlap earlier ones are cut.
  explicit FieldSegments(const FieldTree& tree);

  std::size_t count() const { return m_starts.size(); }
  /// Returns the index of the segment that contains the byte; the last one for bytes after the end.
  std::size_t indexAt(uint64_t offset) const;
  Segment segment(std::size_t index) const;
  Segment at(uint64_t offset) const { return segment(indexAt(offset)); }

private:
  struct Start {
    uint64_t offset;
    uint32_t row;
    FieldRole role;
  };
  void add(uint64_t offset, uint64_t size, uint32_t row, FieldRole role);

  std::vector<Start> m_starts; ///< ascending; the first is at 0
  uint64_t m_end = 0;          ///< of all bytes
};

} // namespace blobscope::ui
