#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace blobscope::diff {

/// Answers whether bytes of two files are equal. The files are compared once, place by place; whatever lies at the same
/// place of both is then known without looking again, so that two large files with few differences cost one pass.
class SameBytes {
public:
  /// Compares the files. Cancelled.
  static Result<SameBytes> of(const Bytes& a, const Bytes& b, Monitor& monitor);

  /// Whether the files are equal as a whole.
  bool identical() const { return m_identical; }
  /// Whether `x`, any bytes, and `y` are equal. Cancelled.
  Result<bool> equal(const Bytes& x, const Bytes& y, Monitor& monitor) const;
  /// How many bytes differ, place by place, and where the first one is; what one has more than the other differs.
  struct Count {
    uint64_t bytes = 0;
    std::optional<uint64_t> first; ///< from the first byte of both
  };
  /// Cancelled.
  Result<Count> countDifferences(const Bytes& x, const Bytes& y, Monitor& monitor) const;

private:
  /// Bytes of one bit of m_differs.
  static constexpr uint64_t kChunk = 64 * 1024;
  SameBytes(Bytes a, Bytes b) : m_a(std::move(a)), m_b(std::move(b)) {}
  /// Offset in both files at which `x` and `y` lie, when it is the same one.
  std::optional<uint64_t> placeOf(const Bytes& x, const Bytes& y) const;
  /// Calls `visit(offset, size)` for ranges of the two that may differ, until it says stop. Cancelled.
  template <class F> Result<Done> visitDoubtful(const Bytes& x, const Bytes& y, Monitor& monitor, F visit) const;

  Bytes m_a, m_b;
  std::vector<bool> m_differs; ///< one per chunk that both have
  bool m_identical = false;
};

/// A number for the content, the same for the same bytes. Cancelled.
Result<uint64_t> computeHash(const Bytes& bytes, Monitor& monitor);

} // namespace blobscope::diff
