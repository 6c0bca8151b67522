#pragma once

#include <cstdint>

namespace blobscope::test {

/// Counts the allocations by `new` during its lifetime, of all threads together. A program that links
/// allocation_counter.cpp has its own global operators new and delete; they use malloc and free, so AddressSanitizer
/// still sees every block, but no longer checks that new and delete match. Link it only into the programs that count.
///
/// Not counted: memory from malloc, realloc or mmap directly, as in libarchive, zlib, zstd and lz4, and mapped files.
///
/// Counters may be nested, the inner one ending first. Begin and end them while no other thread of the test allocates,
/// or the allocations of those threads are counted in part.
class AllocationCounter {
public:
  static constexpr uint64_t kNoLimit = UINT64_MAX;

  /// Begins at zero. With a limit, an allocation that would bring currentBytes() above it throws std::bad_alloc (or
  /// returns null, where it must not throw), as when memory is exhausted. The limit of an outer counter applies as
  /// well.
  explicit AllocationCounter(uint64_t limitBytes = kNoLimit);
  ~AllocationCounter();
  AllocationCounter(const AllocationCounter&) = delete;
  AllocationCounter& operator=(const AllocationCounter&) = delete;

  /// Bytes allocated since the beginning and not freed, less older bytes that were freed since.
  int64_t currentBytes() const;
  /// The largest currentBytes() so far.
  uint64_t peakBytes() const;
  /// All bytes allocated since the beginning, freed or not.
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
