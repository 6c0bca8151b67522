#pragma once

#include "core/base/extent.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope {

class ByteSource;

/// Bytes that own their memory and can be moved into a ByteSource.
using Buffer = std::vector<std::byte>;

/// A view of bytes that keeps their memory alive (a mapped file or a heap buffer) and knows their offset in the file.
/// Copying copies a pointer, never the bytes. Parts of a mapped file may turn to zeros when the file shrinks while it
/// is open (see ByteSource::damage()); the view never becomes invalid.
class Bytes {
public:
  Bytes() = default;
  /// `view` points into `owner`. `place` is the offset of its first byte in the file, nothing when the file does not
  /// contain these bytes (rebuilt or edited).
  Bytes(std::shared_ptr<const ByteSource> owner, std::span<const std::byte> view, std::optional<uint64_t> place)
      : m_owner(std::move(owner)), m_view(view), m_place(place) {}

  const std::byte* data() const { return m_view.data(); }
  uint64_t size() const { return m_view.size(); }
  bool empty() const { return m_view.empty(); }
  std::span<const std::byte> span() const { return m_view; }
  /// The bytes as characters; any byte may occur, NUL too. Valid as long as this object or a copy of it lives.
  std::string_view view() const { return {reinterpret_cast<const char*>(m_view.data()), m_view.size()}; }
  /// The offset of the first byte in the file, nothing when the file does not contain these bytes.
  std::optional<uint64_t> offset() const { return m_place; }
  const std::shared_ptr<const ByteSource>& owner() const { return m_owner; }

  /// The part `[offset, offset + size)`, counted from the start of this view and cut at its end.
  Bytes slice(uint64_t offset, uint64_t size = UINT64_MAX) const {
    const uint64_t from = offset < this->size() ? offset : this->size();
    const uint64_t count = size < this->size() - from ? size : this->size() - from;
    return {m_owner, m_view.subspan(from, count), m_place ? std::optional(*m_place + from) : std::nullopt};
  }

  /// Bytes on the heap with a copy of `text`, without a place in a file.
  static Bytes copyOf(std::string_view text);

private:
  std::shared_ptr<const ByteSource> m_owner;
  std::span<const std::byte> m_view;
  std::optional<uint64_t> m_place;
};

/// Compares the content; the offsets in the file do not matter. The same bytes are not read.
inline bool operator==(const Bytes& a, const Bytes& b) {
  return a.size() == b.size() && (a.data() == b.data() || a.view() == b.view());
}

} // namespace blobscope
