#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <bit>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

namespace blobscope {

/// Appends little-endian values and collects them as pieces. Large byte ranges are referenced, not copied, so that
/// encoding a library of gigabytes costs only the memory of its small fields.
class Writer {
public:
  template <class T> void number(T value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    static_assert(std::endian::native == std::endian::little);
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    m_literal.insert(m_literal.end(), first, first + sizeof(T));
    m_size += sizeof(T);
  }
  void raw(const Bytes& bytes);
  /// u64 length, then the bytes.
  void string(const Bytes& bytes) {
    number<uint64_t>(bytes.size());
    raw(bytes);
  }
  /// Appends the pieces of another writer, which is empty afterwards.
  void append(Writer&& other);

  uint64_t size() const { return m_size; }
  /// The encoded bytes in order.
  std::vector<Bytes> takePieces();

private:
  void flush();

  std::vector<Bytes> m_pieces;
  Buffer m_literal;
  uint64_t m_size = 0;
};

/// One buffer with all pieces, without a place in a file.
Bytes joined(const std::vector<Bytes>& pieces);

/// Offset of the first byte in which `pieces` and `whole` differ (the end of the shorter one counts), nothing when they
/// are equal. Pieces that point into `whole` at the same offset are not read. Error: only Cancelled.
Result<std::optional<uint64_t>> findDifference(const std::vector<Bytes>& pieces, const Bytes& whole, Monitor& monitor);

} // namespace blobscope
