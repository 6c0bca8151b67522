#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace blobscope::diff {

/// Answers whether bytes of two files are equal. The files are compared once, position by position; the answer for
/// bytes at the same offset in both is then known without reading them again, so that two large files with few
/// differences cost one pass.
class SameBytes {
public:
  /// Compares the files. Error: Cancelled.
  static Result<SameBytes> of(const Bytes& a, const Bytes& b, Monitor& monitor);

  /// Returns whether the whole files are equal.
  bool identical() const { return m_identical; }
  /// Returns whether `x` and `y`, any bytes, are equal. Error: Cancelled.
  Result<bool> equal(const Bytes& x, const Bytes& y, Monitor& monitor) const;
  /// The number of bytes that differ, position by position, and the position of the first; surplus bytes of the longer
  /// one count as different.
  struct Count {
    uint64_t bytes = 0;
    std::optional<uint64_t> first; ///< counted from the first byte of both
  };
  /// Error: Cancelled.
  Result<Count> countDifferences(const Bytes& x, const Bytes& y, Monitor& monitor) const;

private:
  /// Size in bytes of the chunk that one bit of m_differs represents.
  static constexpr uint64_t kChunk = 64 * 1024;
  SameBytes(Bytes a, Bytes b) : m_a(std::move(a)), m_b(std::move(b)) {}
  /// Returns the offset of `x` and `y` in their files if both have the same one.
  std::optional<uint64_t> placeOf(const Bytes& x, const Bytes& y) const;
  /// Calls `visit(offset, size)` for ranges of the two that may differ, until it returns that it wants to stop. Error:
  /// Cancelled.
  template <class F> Result<Done> visitDoubtful(const Bytes& x, const Bytes& y, Monitor& monitor, F visit) const;

  Bytes m_a, m_b;
  std::vector<bool> m_differs; ///< one per chunk that both files have
  bool m_identical = false;
};

/// Returns a hash of the content. Error: Cancelled.
Result<uint64_t> computeHash(const Bytes& bytes, Monitor& monitor);

} // namespace blobscope::diff
