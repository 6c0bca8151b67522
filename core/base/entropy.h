#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace blobscope {

/// Returns the entropy of the bytes by their frequencies, from 0 (all equal) to 8 bits per byte (all values equally
/// often). A few bytes cannot reach 8: n bytes have at most log2(n). 0 for no bytes.
double entropyOf(std::string_view bytes);

/// The entropy of some bytes, block by block.
struct EntropyBlocks {
  uint64_t blockSize = 0;  ///< the last block may be smaller
  std::vector<float> bits; ///< of each block, bits per byte
  bool isSampled = false;  ///< only some bytes of each block were read
  uint64_t blockAt(uint64_t offset) const { return blockSize == 0 ? 0 : offset / blockSize; }
};

/// Splits the bytes into at most `most` blocks of equal size, at least 256 bytes each. Of more than `limit` bytes in
/// all it reads pieces that are spread evenly over each block, so that a file of gigabytes takes no longer than `limit`
/// bytes. Error: only Cancelled.
Result<EntropyBlocks> computeEntropy(const Bytes& bytes, uint32_t most, uint64_t limit, Monitor& monitor);

} // namespace blobscope
