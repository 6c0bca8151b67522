#pragma once

#include "core/base/source.h"
#include "core/library/open.h"

#include <string>
#include <string_view>

namespace blobscope::test {

/// Bytes on the heap; every access outside them is seen by the address sanitizer.
inline std::shared_ptr<const ByteSource> source(std::string_view bytes) {
  const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
  return ByteSource::fromBuffer(Buffer(first, first + bytes.size()));
}

inline Bytes bytes(std::string_view text) { return ByteSource::all(source(text)); }

/// Opens a library that is not on disk.
inline Result<library::PackagePtr> openBytes(std::string_view file) {
  NullMonitor monitor;
  return library::open(source(file), "made.so", monitor);
}

/// Says stop at the n-th look.
class StopAfter final : public Monitor {
public:
  explicit StopAfter(int looks) : m_left(looks) {}
  bool stopRequested() const override { return m_left-- <= 0; }
  void progress(std::string_view, uint64_t, uint64_t) override {}

private:
  mutable int m_left;
};

} // namespace blobscope::test
