#include "core/diff/bytes.h"

#include "core/base/thread_rule.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace blobscope::diff {
namespace {

/// Bytes between two checks of the monitor; reading them from a sleeping disk may take a while.
constexpr uint64_t kStepBytes = 1u << 20;
/// A piece that is not equal is compared block by block while it is in the first-level cache.
constexpr uint64_t kPieceBytes = 4'096;
constexpr uint64_t kBlockBytes = 64;

/// Returns a bit for each byte of a block that differs, the first byte lowest.
uint64_t differingBits(const std::byte* a, const std::byte* b, uint64_t size) {
  uint64_t bits = 0;
  if (size == kBlockBytes) {
    for (unsigned word = 0; word < 8; ++word) {
      uint64_t first, second;
      std::memcpy(&first, a + word * 8, 8);
      std::memcpy(&second, b + word * 8, 8);
      uint64_t differs = first ^ second;
      if (differs == 0) continue;
      // Moves the bits of each byte to its lowest bit, and these together to the highest byte.
      differs |= differs >> 4 & 0x0f0f0f0f0f0f0f0f;
      differs |= differs >> 2 & 0x3333333333333333;
      differs |= differs >> 1;
      differs = (differs & 0x0101010101010101) * 0x0102040810204080 >> 56;
      bits |= differs << word * 8;
    }
    return bits;
  }
  for (uint64_t i = 0; i < size; ++i)
    if (a[i] != b[i]) bits |= uint64_t{1} << i;
  return bits;
}

class Comparer {
public:
  Comparer(const ByteOptions& options, ByteDiff& out) : m_options(options), m_out(out) {
    const uint64_t longer = std::max(out.sizeA, out.sizeB);
    if (options.buckets == 0 || longer == 0) return;
    // Buckets are whole blocks, so that each block is in one bucket.
    const uint64_t wanted = longer / options.buckets + (longer % options.buckets != 0);
    out.bucketBytes = (wanted + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
    out.map.resize(longer / out.bucketBytes + (longer % out.bucketBytes != 0));
  }

  /// `at`: a multiple of kBlockBytes, after everything compared before.
  void compare(const std::byte* a, const std::byte* b, uint64_t at, uint64_t size) {
    for (uint64_t piece = 0; piece < size; piece += kPieceBytes) {
      const uint64_t pieceSize = std::min(kPieceBytes, size - piece);
      if (std::memcmp(a + piece, b + piece, pieceSize) == 0) continue;
      for (uint64_t block = piece; block < piece + pieceSize; block += kBlockBytes) {
        const uint64_t blockSize = std::min(kBlockBytes, piece + pieceSize - block);
        const uint64_t bits = differingBits(a + block, b + block, blockSize);
        if (bits != 0) take(bits, at + block);
      }
    }
  }

  /// Adds the positions that only one side has.
  void addRest() {
    const uint64_t from = m_out.shared(), to = from + m_out.rest();
    for (std::size_t i = 0; i < m_out.map.size(); ++i) {
      const uint64_t begin = std::max(from, i * m_out.bucketBytes), end = std::min(to, (i + 1) * m_out.bucketBytes);
      if (begin < end) m_out.map[i] += end - begin;
    }
  }

private:
  void take(uint64_t bits, uint64_t at) {
    const auto count = static_cast<uint64_t>(std::popcount(bits));
    m_out.differing += count;
    if (!m_out.map.empty()) m_out.map[at / m_out.bucketBytes] += count;
    // The previous range continues if it ends where this one begins.
    const bool continued = m_end == at && (bits & 1) != 0;
    const uint64_t starts = bits & ~(bits << 1 | (continued ? 1 : 0));
    m_out.rangeCount += static_cast<uint64_t>(std::popcount(starts));
    if ((bits >> 63) != 0) m_end = at + kBlockBytes;
    if (m_full) return;
    for (uint64_t rest = bits; rest != 0;) {
      const auto first = static_cast<unsigned>(std::countr_zero(rest));
      const auto length = static_cast<unsigned>(std::countr_one(rest >> first));
      rest = first + length >= 64 ? 0 : rest >> (first + length) << (first + length);
      if (!m_out.ranges.empty() && m_out.ranges.back().end() == at + first) {
        m_out.ranges.back().size += length;
      } else if (m_out.ranges.size() < m_options.ranges) {
        m_out.ranges.push_back({at + first, length});
      } else {
        m_full = true;
        return;
      }
    }
  }

  const ByteOptions& m_options;
  ByteDiff& m_out;
  uint64_t m_end = UINT64_MAX; ///< end of the last range if it ends with a block
  bool m_full = false;
};

} // namespace

Result<ByteDiff> compareBytes(const Bytes& a, const Bytes& b, const ByteOptions& options, Monitor& monitor) {
  longWork("diff::compareBytes");
  ByteDiff out;
  out.sizeA = a.size();
  out.sizeB = b.size();
  Comparer comparer(options, out);
  const uint64_t shared = out.shared();
  for (uint64_t at = 0; at < shared && a.data() != b.data(); at += kStepBytes) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("comparing bytes", at, shared);
    comparer.compare(a.data() + at, b.data() + at, at, std::min(kStepBytes, shared - at));
  }
  comparer.addRest();
  return out;
}

} // namespace blobscope::diff
