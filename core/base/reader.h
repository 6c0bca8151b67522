#pragma once

#include "core/base/bytes.h"
#include "core/base/limits.h"
#include "core/base/result.h"

#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace blobscope {

/// Bounded little-endian cursor over Bytes with a sticky error: after the first failure every read returns zeros or
/// nothing and does not move, so that callers check once at the end. A length is compared with the bytes left before it
/// is used. Sources of the encodings: formats of TVM blobs, dmlc-core stream and tvm include/tvm/support/serializer.h
/// (str and vec are a u64 count followed by the elements, nothing is aligned).
class Reader {
public:
  explicit Reader(Bytes bytes) : m_bytes(std::move(bytes)) {}

  bool ok() const { return !m_failure; }
  uint64_t position() const { return m_position; }
  uint64_t left() const { return m_bytes.size() - m_position; }
  /// The number of values that were read: the cost of decoding, regardless of their size.
  uint64_t operations() const { return m_operations; }
  const Bytes& bytes() const { return m_bytes; }

  /// An integer, enum or double with the size of its type. `field` is a literal that names it in messages.
  template <class T> T number(const char* field) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    static_assert(std::endian::native == std::endian::little);
    T value{};
    if (!take(field, sizeof(T))) return value;
    std::memcpy(&value, m_bytes.data() + m_position - sizeof(T), sizeof(T));
    return value;
  }
  /// `size` bytes unchanged.
  Bytes raw(const char* field, uint64_t size) {
    if (!take(field, size)) return {};
    return m_bytes.slice(m_position - size, size);
  }
  /// u64 length, then that many bytes.
  Bytes string(const char* field);
  /// u64 count of elements of at least `minimumSize` bytes each. Fails when they do not fit into the bytes left or
  /// their number is above limits::kListItems.
  uint64_t count(const char* field, uint64_t minimumSize);
  /// u64 count of elements of exactly `elementSize` bytes, then the elements, as one view. Fails above `limit`
  /// elements; there is no limit by default, since nothing is copied.
  Bytes array(const char* field, uint64_t elementSize, uint64_t limit = UINT64_MAX);

  /// Moves to `position`, which must not be after the end; does not clear a failure.
  void seek(uint64_t position) { m_position = position < m_bytes.size() ? position : m_bytes.size(); }

  /// Scopes name the place of a failure: "fmap[3].key". `name` is a literal.
  void enter(const char* name) { m_scopes.push_back({name, kNoIndex}); }
  void enterItem(uint64_t index) { m_scopes.push_back({nullptr, index}); }
  void leave() { m_scopes.pop_back(); }

  /// Records that the value at `position` is invalid. `expected` is a literal: "0 or 1".
  void failValue(const char* field, uint64_t position, uint64_t value, const char* expected);
  /// Records that `size` bytes at the current position have no meaning in the layout that was tried.
  void failLeftOver(const char* field);

  /// Offset in the file of the field that failed, or in the blob's bytes when these are not contiguous in the file.
  uint64_t failedAt() const;
  /// The failure as an Error. When the file changed under the mapping, that is the error (FILE-CHANGED).
  Error error() const;

private:
  static constexpr uint64_t kNoIndex = UINT64_MAX;
  struct Scope {
    const char* name;
    uint64_t index;
  };
  enum class Kind { Truncated, Length, Count, Limit, Value, LeftOver };
  struct Failure {
    Kind kind;
    std::vector<Scope> scopes;
    const char* field;
    uint64_t position;
    uint64_t wanted;
    uint64_t left;
    const char* expected;
    uint64_t limit;
  };

  bool take(const char* field, uint64_t size) {
    if (m_failure) return false;
    ++m_operations;
    if (size > left()) {
      fail(Kind::Truncated, field, m_position, size);
      return false;
    }
    m_position += size;
    return true;
  }
  void fail(Kind kind, const char* field, uint64_t position, uint64_t wanted, const char* expected = "",
            uint64_t limit = 0);

  Bytes m_bytes;
  uint64_t m_position = 0;
  uint64_t m_operations = 0;
  std::vector<Scope> m_scopes;
  std::optional<Failure> m_failure;
};

} // namespace blobscope
