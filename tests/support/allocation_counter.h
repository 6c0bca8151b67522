#pragma once

#include <cstdint>

namespace blobscope::test {

/// Counts what `new` allocates while it lives, by all threads together. A program that links allocation_counter.cpp has
/// its own forms of the global operators new and delete; they take their memory from malloc and free, so
/// AddressSanitizer still sees every block, but no longer checks that new and delete are of the same form. Link it only
/// into the programs that count.
///
/// Not seen: memory that is taken from malloc, realloc or mmap directly. libarchive, zlib, zstd and lz4 do that, and so
/// do mapped files.
///
/// Counters may be nested, the inner one ending first. Begin and end them while no other thread of the test allocates,
/// or what those threads do is counted in part.
class AllocationCounter {
public:
  static constexpr uint64_t kNoLimit = UINT64_MAX;

  /// Begins at zero. With a limit an allocation that would bring currentBytes() above it throws std::bad_alloc (or
  /// returns null, where it must not throw), as when memory is exhausted. An outer counter's limit holds as well.
  explicit AllocationCounter(uint64_t limitBytes = kNoLimit);
  ~AllocationCounter();
  AllocationCounter(const AllocationCounter&) = delete;
  AllocationCounter& operator=(const AllocationCounter&) = delete;

  /// Bytes that were allocated since the beginning and not freed, less those that were there before and are freed now.
  int64_t currentBytes() const;
  /// The largest currentBytes() so far.
  uint64_t peakBytes() const;
  /// All bytes that were allocated since the beginning, freed or not.
  uint64_t totalBytes() const;
  /// Number of allocations since the beginning.
  uint64_t allocations() const;
  /// Number of allocations that a limit refused since the beginning.
  uint64_t refused() const;

private:
  int64_t m_current;
  uint64_t m_total, m_allocations, m_refused;
  int64_t m_outerPeak, m_outerCeiling;
};

} // namespace blobscope::test
