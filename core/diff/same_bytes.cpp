#include "core/diff/same_bytes.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>

namespace blobscope::diff {
namespace {

constexpr uint64_t kStep = uint64_t{1} << 20;

std::optional<uint64_t> offsetIn(const Bytes& file, const Bytes& part) {
  const std::less<const std::byte*> before;
  if (part.empty() || before(part.data(), file.data()) || before(file.data() + file.size(), part.data() + part.size()))
    return std::nullopt;
  return static_cast<uint64_t>(part.data() - file.data());
}

} // namespace

Result<SameBytes> SameBytes::of(const Bytes& a, const Bytes& b, Monitor& monitor) {
  SameBytes same(a, b);
  const uint64_t common = std::min(a.size(), b.size());
  bool differs = a.size() != b.size();
  same.m_differs.resize(static_cast<std::size_t>((common + kChunk - 1) / kChunk));
  const bool oneMapping = a.data() == b.data();
  for (uint64_t offset = 0; offset < common && !oneMapping; offset += kChunk) {
    // Each chunk may first have to be read from a disk.
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (offset % kStep == 0) monitor.progress("comparing bytes", offset, common);
    const std::size_t size = static_cast<std::size_t>(std::min(kChunk, common - offset));
    if (std::memcmp(a.data() + offset, b.data() + offset, size) == 0) continue;
    same.m_differs[static_cast<std::size_t>(offset / kChunk)] = true;
    differs = true;
  }
  same.m_identical = !differs;
  return same;
}

std::optional<uint64_t> SameBytes::placeOf(const Bytes& x, const Bytes& y) const {
  const auto inA = offsetIn(m_a, x), inB = offsetIn(m_b, y);
  if (inA && inB && *inA == *inB) return inA;
  return std::nullopt;
}

template <class F>
Result<Done> SameBytes::visitDoubtful(const Bytes& x, const Bytes& y, Monitor& monitor, F visit) const {
  const uint64_t common = std::min(x.size(), y.size());
  const auto place = placeOf(x, y);
  uint64_t looked = 0;
  for (uint64_t offset = 0; offset < common;) {
    uint64_t end = std::min(common, offset + kChunk);
    bool doubtful = true;
    if (place) {
      const uint64_t chunk = (*place + offset) / kChunk;
      end = std::min(common, (chunk + 1) * kChunk - *place);
      doubtful = chunk >= m_differs.size() || m_differs[static_cast<std::size_t>(chunk)];
    }
    if (doubtful && looked++ % 2 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (doubtful && !visit(offset, end - offset)) return Done{};
    offset = end;
  }
  return Done{};
}

Result<bool> SameBytes::equal(const Bytes& x, const Bytes& y, Monitor& monitor) const {
  if (x.size() != y.size()) return false;
  if (x.empty() || x.data() == y.data()) return true;
  if (m_identical && placeOf(x, y)) return true;
  bool same = true;
  BLOBSCOPE_CHECK(visitDoubtful(x, y, monitor, [&](uint64_t offset, uint64_t size) {
    same = std::memcmp(x.data() + offset, y.data() + offset, static_cast<std::size_t>(size)) == 0;
    return same;
  }));
  return same;
}

Result<SameBytes::Count> SameBytes::countDifferences(const Bytes& x, const Bytes& y, Monitor& monitor) const {
  Count count;
  BLOBSCOPE_CHECK(visitDoubtful(x, y, monitor, [&](uint64_t offset, uint64_t size) {
    const std::byte* const left = x.data() + offset;
    const std::byte* const right = y.data() + offset;
    if (std::memcmp(left, right, static_cast<std::size_t>(size)) == 0) return true;
    uint64_t differing = 0;
    for (uint64_t i = 0; i < size; ++i) differing += left[i] != right[i];
    if (!count.first)
      for (uint64_t i = 0; i < size && !count.first; ++i)
        if (left[i] != right[i]) count.first = offset + i;
    count.bytes += differing;
    return true;
  }));
  const uint64_t common = std::min(x.size(), y.size());
  const uint64_t longer = std::max(x.size(), y.size());
  if (longer > common && !count.first) count.first = common;
  count.bytes += longer - common;
  return count;
}

Result<uint64_t> computeHash(const Bytes& bytes, Monitor& monitor) {
  uint64_t hash = bytes.size();
  for (uint64_t offset = 0; offset < bytes.size(); offset += kStep) {
    if (offset > 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const uint64_t piece = std::hash<std::string_view>{}(
        bytes.view().substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(kStep)));
    hash = (hash ^ piece) * 0x9e3779b97f4a7c15 + (hash >> 29);
  }
  return hash;
}

} // namespace blobscope::diff
