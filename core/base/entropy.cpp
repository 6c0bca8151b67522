#include "core/base/entropy.h"

#include "core/base/thread_rule.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace blobscope {
namespace {

constexpr uint64_t kSmallestBlock = 256;
constexpr uint64_t kPiece = 4'096; ///< bytes that are read at once where not all are

/// Counts how often each byte value occurs.
class ByteCounts {
public:
  void add(std::string_view bytes) {
    // Four tables, because increments of the same counter wait for each other.
    std::size_t i = 0;
    for (; i + 4 <= bytes.size(); i += 4)
      for (std::size_t lane = 0; lane < 4; ++lane) ++m_counts[lane][static_cast<uint8_t>(bytes[i + lane])];
    for (; i < bytes.size(); ++i) ++m_counts[0][static_cast<uint8_t>(bytes[i])];
    m_total += bytes.size();
  }
  double entropy() const {
    double sum = 0;
    for (std::size_t value = 0; value < 256; ++value) {
      const uint64_t count = m_counts[0][value] + m_counts[1][value] + m_counts[2][value] + m_counts[3][value];
      if (count > 0) sum += static_cast<double>(count) * std::log2(static_cast<double>(count));
    }
    if (m_total == 0) return 0;
    const auto total = static_cast<double>(m_total);
    return std::max(0.0, std::log2(total) - sum / total);
  }

private:
  std::array<std::array<uint64_t, 256>, 4> m_counts = {};
  uint64_t m_total = 0;
};

} // namespace

double entropyOf(std::string_view bytes) {
  ByteCounts counts;
  counts.add(bytes);
  return counts.entropy();
}

Result<EntropyBlocks> computeEntropy(const Bytes& bytes, uint32_t most, uint64_t limit, Monitor& monitor) {
  longWork("computeEntropy");
  EntropyBlocks out;
  if (bytes.empty() || most == 0) return out;
  out.blockSize = std::max(kSmallestBlock, (bytes.size() - 1) / most + 1);
  const uint64_t blocks = (bytes.size() - 1) / out.blockSize + 1;
  out.isSampled = bytes.size() > limit;
  const uint64_t share = std::max<uint64_t>(limit / blocks, kPiece); // bytes to read of each block
  constexpr uint64_t kStep = 1 << 20;
  for (uint64_t block = 0; block < blocks; ++block) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("computing the entropy", block, blocks);
    const std::string_view all = bytes.slice(block * out.blockSize, out.blockSize).view();
    ByteCounts counts;
    if (out.isSampled && all.size() > share) {
      const uint64_t pieces = share / kPiece, distance = all.size() / pieces;
      for (uint64_t i = 0; i < pieces; ++i) counts.add(all.substr(i * distance, kPiece));
    } else {
      for (uint64_t at = 0; at < all.size(); at += kStep) {
        if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        counts.add(all.substr(at, kStep));
      }
    }
    out.bits.push_back(static_cast<float>(counts.entropy()));
  }
  return out;
}

} // namespace blobscope
