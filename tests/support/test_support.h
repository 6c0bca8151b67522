#pragma once

#include "core/base/source.h"
#include "core/library/open.h"

#include <ctime>
#include <string>
#include <string_view>

namespace blobscope::test {

/// Bytes on the heap; the address sanitizer detects every access outside them.
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

/// The computing time of this thread in nanoseconds: other work of the machine does not change it.
inline int64_t threadNs() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// Requests a stop at the n-th check.
class StopAfter final : public Monitor {
public:
  explicit StopAfter(int looks) : m_left(looks) {}
  bool stopRequested() const override { return m_left-- <= 0; }
  void progress(std::string_view, uint64_t, uint64_t) override {}

private:
  mutable int m_left;
};

} // namespace blobscope::test
