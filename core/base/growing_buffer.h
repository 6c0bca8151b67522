#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

namespace blobscope {

/// Bytes that grow by realloc. The C library moves large blocks by their pages, so growing never needs two copies;
/// std::vector does.
class GrowingBuffer {
public:
  GrowingBuffer() = default;
  GrowingBuffer(GrowingBuffer&& other) noexcept
      : m_data(std::exchange(other.m_data, nullptr)), m_size(std::exchange(other.m_size, 0)),
        m_capacity(std::exchange(other.m_capacity, 0)) {}
  GrowingBuffer& operator=(GrowingBuffer&& other) noexcept {
    std::swap(m_data, other.m_data);
    std::swap(m_size, other.m_size);
    std::swap(m_capacity, other.m_capacity);
    return *this;
  }
  ~GrowingBuffer() { std::free(m_data); }

  std::byte* data() { return m_data; }
  uint64_t size() const { return m_size; }
  std::span<const std::byte> span() const { return {m_data, m_size}; }

  /// Resizes; new bytes are zero. Returns false when the system has no memory; nothing changes then.
  [[nodiscard]] bool resize(uint64_t size) {
    if (!reserve(size)) return false;
    if (size > m_size) std::memset(m_data + m_size, 0, size - m_size);
    m_size = size;
    return true;
  }
  /// Returns false when the system has no memory; nothing changes then.
  [[nodiscard]] bool append(std::span<const std::byte> bytes) {
    if (bytes.size() > SIZE_MAX - m_size || !reserve(m_size + bytes.size())) return false;
    if (!bytes.empty()) std::memcpy(m_data + m_size, bytes.data(), bytes.size());
    m_size += bytes.size();
    return true;
  }

private:
  bool reserve(uint64_t size) {
    if (size <= m_capacity) return true;
    // Memory that is never touched costs address space only.
    const uint64_t capacity = std::max(size, m_capacity + m_capacity / 2);
    void* const moved = capacity > PTRDIFF_MAX ? nullptr : std::realloc(m_data, capacity);
    if (!moved) return false;
    m_data = static_cast<std::byte*>(moved);
    m_capacity = capacity;
    return true;
  }

  std::byte* m_data = nullptr;
  uint64_t m_size = 0, m_capacity = 0;
};

} // namespace blobscope
