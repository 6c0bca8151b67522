#include "tests/support/allocation_counter.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

// Constant-initialised: the first allocations happen before any constructor of this program.
std::atomic<int64_t> g_current{0}, g_peak{0}, g_ceiling{INT64_MAX};
std::atomic<uint64_t> g_total{0}, g_allocations{0}, g_refused{0};

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  const auto wanted = static_cast<int64_t>(std::min<std::size_t>(size, INT64_MAX / 2));
  if (g_current.load(std::memory_order_relaxed) + wanted > g_ceiling.load(std::memory_order_relaxed)) {
    g_refused.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  if (size == 0) size = 1;
  // aligned_alloc needs a multiple of the alignment.
  void* const block = alignment <= alignof(std::max_align_t)
                          ? std::malloc(size)
                          : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (!block) return nullptr;
  // The size that malloc reserved for the block, because a delete may not know the requested size.
  const auto kept = static_cast<int64_t>(malloc_usable_size(block));
  const int64_t current = g_current.fetch_add(kept, std::memory_order_relaxed) + kept;
  g_total.fetch_add(static_cast<uint64_t>(kept), std::memory_order_relaxed);
  g_allocations.fetch_add(1, std::memory_order_relaxed);
  int64_t peak = g_peak.load(std::memory_order_relaxed);
  while (current > peak && !g_peak.compare_exchange_weak(peak, current, std::memory_order_relaxed)) {}
  return block;
}

void* allocateOrThrow(std::size_t size, std::size_t alignment) {
  void* const block = allocate(size, alignment);
  if (!block) throw std::bad_alloc();
  return block;
}

void release(void* block) noexcept {
  if (!block) return;
  g_current.fetch_sub(static_cast<int64_t>(malloc_usable_size(block)), std::memory_order_relaxed);
  std::free(block);
}

constexpr std::size_t number(std::align_val_t alignment) { return static_cast<std::size_t>(alignment); }

} // namespace

void* operator new(std::size_t size) { return allocateOrThrow(size, 0); }
void* operator new[](std::size_t size) { return allocateOrThrow(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) { return allocateOrThrow(size, number(alignment)); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return allocateOrThrow(size, number(alignment)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, number(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, number(alignment));
}

void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { release(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { release(block); }
void operator delete(void* block, std::align_val_t, const std::nothrow_t&) noexcept { release(block); }
void operator delete[](void* block, std::align_val_t, const std::nothrow_t&) noexcept { release(block); }

namespace blobscope::test {

AllocationCounter::AllocationCounter(uint64_t limitBytes)
    : m_current(g_current), m_total(g_total), m_allocations(g_allocations), m_refused(g_refused), m_outerPeak(g_peak),
      m_outerCeiling(g_ceiling) {
  g_peak = m_current;
  if (limitBytes < INT64_MAX / 2) g_ceiling = std::min(m_outerCeiling, m_current + static_cast<int64_t>(limitBytes));
}

AllocationCounter::~AllocationCounter() {
  g_ceiling = m_outerCeiling;
  g_peak = std::max(m_outerPeak, g_peak.load());
}

int64_t AllocationCounter::currentBytes() const { return g_current - m_current; }
uint64_t AllocationCounter::peakBytes() const { return static_cast<uint64_t>(g_peak - m_current); }
uint64_t AllocationCounter::totalBytes() const { return g_total - m_total; }
uint64_t AllocationCounter::allocations() const { return g_allocations - m_allocations; }
uint64_t AllocationCounter::refused() const { return g_refused - m_refused; }

} // namespace blobscope::test
